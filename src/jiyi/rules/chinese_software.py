"""What software is called in Chinese: 一个叫星雀的笔记应用, 星雀的后端是海塔, 海塔是用Rust写的."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_name_words import HAN
from jiyi.rules.chinese_no_names import NO_SOFTWARE
from jiyi.rules.chinese_persons import H, matches, nameable, person_like
from jiyi.rules.chinese_things import NOT_CALLED, nothing_latin
from jiyi.rules.english_proper_words import TECHNOLOGIES
from jiyi.rules.found import Name, Stretch

_KINDS = {
    "project": "项目|工程",
    "organisation": "公司|工作室",
    "technology": "编程语言|框架|库|引擎|数据库",
    "product": (
        "应用|app|软件|工具|网站|小程序|系统|平台|插件|游戏|机器人|产品|脚本|公众号|编辑器|浏览器|客户端|助手|日记本"
    ),
}
_QUOTE = '["“”「」『』]?'
_KIND = "|".join(f"(?P<{kind}>{words})" for kind, words in _KINDS.items())
_BEHIND = f"{_QUOTE} ?的 ?{H}{{0,6}}?(?:{_KIND})(?!商店|程序)"
_ANNOUNCED = re.compile(
    rf"(?:[一这那两]?[个款套家])(?:名叫|名为|叫做?) ?{_QUOTE}(?P<name>{H}{{2,6}}?|[a-z][\w.-]{{1,20}}){_BEHIND}"
)
_ANNOUNCES = re.compile(f"(?:名叫|名为|叫做?) ?{_QUOTE}$")
_SUFFIX = re.compile(_BEHIND)
_STARTS = f"(?<![{HAN}a-z0-9·])(?:(?:那|而|但是?|所以|其实|对了|另外|现在|目前|听我说|项目)(?={H}{{3}}))?"
_ENDS = f"(?=$|[^{HAN}a-z0-9·\"“”'的]|[啊呢哦呀啦](?!{H}))"
_PART = re.compile(
    rf"{_STARTS}(?P<a>{H}{{2,5}}?)的(?P<noun>后端|数据库|前端)(?:现在|目前|一直)?(?:用的)?就?是{_QUOTE}(?P<b>{H}{{2,5}}?)"
    rf"{_QUOTE}{_ENDS}"
)
_SURELY_SOFTWARE = re.compile("后端|数据库")
_WRITTEN = re.compile(
    rf"{_STARTS}(?P<a>{H}{{2,4}}?)(?:的(?:后端|前端|服务端|客户端|后台|内核))?(?:现在|目前|都|全|也)?是(?:用|拿)"
    rf" ?(?P<in>[a-z][\w+#.]*) ?(?:语言)?(?:来|重新?)?(?:写|开发|编写|实现|构建)(?:出来)?的{_ENDS}"
)
_ADVERB = re.compile(
    "[然概面部余分数实底来都就是只能般初刚其像似的]$|^(?:估计|肯定|明明|反正|幸好|多半|纯粹|完全|全程|通通|一律|本质)"
)


def kind_behind(stretch: Stretch, start: int, end: int) -> int:
    """Where 的笔记应用 ends behind a name that 叫 announces; the end of the name where it does not stand."""
    if not _ANNOUNCES.search(stretch.low, max(stretch.start, start - 4), start):
        return end
    found = _SUFFIX.match(stretch.low, end, stretch.end)
    return found.end() if found else end


def announced(stretch: Stretch) -> Iterator[Name]:
    """Names that stand before what they are: 一个叫星雀的笔记应用."""
    for found in matches(_ANNOUNCED, stretch):
        said = found["name"]
        if not nothing_latin(said) if said.isascii() else nameable(said) and not NOT_CALLED.match(said):
            yield Name(*found.span("name"), next(kind for kind in _KINDS if found[kind]))


def software(stretch: Stretch) -> Iterator[Name]:
    """Names that nothing marks beside words that are said of software alone: 星雀的后端是海塔, 海塔是用Rust写的.

    The front end of something may also be that of a pencil: it counts where the sentence speaks of a back end too.
    """
    for found in matches(_PART, stretch):
        sure = found["noun"] != "前端" or _SURELY_SOFTWARE.search(stretch.low, stretch.start, stretch.end)
        if sure and _nameable(found["a"]) and _nameable(found["b"]):
            yield Name(*found.span("a"), "project")
            yield Name(*found.span("b"))
    for found in matches(_WRITTEN, stretch):
        if found["in"] in TECHNOLOGIES and _nameable(found["a"]):
            yield Name(*found.span("a"))


def _nameable(said: str) -> bool:
    return (
        nameable(said)
        and not person_like(said)
        and not said.startswith(tuple(NO_SOFTWARE))
        and not said.endswith(tuple(NO_SOFTWARE))
        and not _ADVERB.search(said)
    )

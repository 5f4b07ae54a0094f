"""Names of works, projects and whatever has a Latin name or is said to be called something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_name_words import FUNCTION, HAN, ROLE
from jiyi.rules.chinese_no_names import COMMON, KIND_ENDS, KIND_STARTS, KINDS, NO_LATIN, PLACES
from jiyi.rules.chinese_persons import FOREIGN, H, group, matches, nameable, person_like
from jiyi.rules.english_proper_words import TECHNOLOGIES
from jiyi.rules.found import Name, Stretch

_LATIN = re.compile(
    r"(?<![a-z0-9@./_-])[a-z][a-z0-9]*+(?:[.+&_'/-][a-z0-9]++|[+#])*+(?: [a-z][a-z0-9]*+(?:[.+&_'-][a-"
    r"z0-9]++)*+)*+(?![a-z0-9@_])"
)
_TOKEN = re.compile(r"\S+")
_CALLED = re.compile(
    rf"(?P<what>{H}{{0,6}}?)(?P<word>名叫|名为|叫做|叫作|名字叫做?|名字是|名字就?叫|全名[是叫]?"
    r"|大名[是叫]?|小名[是叫]?|本名[是叫]?|真名[是叫]?|原名[是叫]?|取名叫?|起名叫?|(?<![大尖喊呼])叫)"
    rf"[\"“「『']?(?P<name>(?![{FUNCTION}一二三四五六七八九十车外醒号停上下做作苦好得嚷板座错卖出声人])"
    rf"(?:(?![{FUNCTION}]){H}){{1,7}}?|{FOREIGN})[\"”」』']?"
    rf"(?=$|[^{HAN}a-z0-9·]|的|是|和|在|今年|现在|{H}?[一二三四五六七八九十\d]+岁|很|也|住|喜欢|了?$)"
)
_AKA = re.compile(
    r"(?:简称|又叫|又名|也叫|别名|别称|英文名|中文名|曾用名|俗称|外号|绰号|昵称)(?:做|是|为|叫"
    rf"|:)*[\"“「『']?(?P<name>[a-z][\w .&+#-]{{0,30}}\w|[a-z]|(?![是叫为做]){H}{{1,8}}?)[\"”」』']?(?"
    rf"=$|[^{HAN}\w]|的|,)"
)
_WORK = re.compile(r"[《](?P<name>[^《》\n]{1,40})[》]")
_PROJECT = re.compile(
    rf"[\"“「『'](?P<a>[^\"“”「」『』'\n]{{1,20}})[\"”」』'](?:这个|这一)?(?:项目|工程|计划|系统|平台"
    r"|产品|小程序|框架|工具|应用|app|软件|公众号)"
    rf"|(?:项目|产品|系统|平台|公司|品牌|软件|框架|小程序|公众号)[\"“「『'](?P<b>[^\"“”「」『』'\n]{{1,"
    rf"20}})[\"”」』']"
    rf"|[\"“「『'](?P<f>[^\"“”「」『』'\n,。]{{1,20}}?(?:计划|工程|系统|平台|行动))[\"”」』']"
    rf"|[\"“「『'](?P<g>[^\"“”「」『』'\n,。]{{1,20}}?)项目[\"”」』']"
    rf"|叫(?:做)?[\"“「『']?(?P<h>{H}{{2,6}}?|[a-z][\w.-]{{1,20}})[\"”」』']?的(?:开源|新|小)?(?:项目"
    r"|专案|工程|产品|框架)"
    rf"|(?:开源|新)项目(?P<i>{H}{{2,4}}?)(?=由|是|用|基于|的后端|的作者|的前端)"
    rf"|(?P<c>[a-z0-9·-]{{2,20}}|{H}{{2,9}})(?:这个|这一)(?:开源|新|小)?(?:项目)"
    rf"|(?P<d>[a-z][\w .-]{{1,20}}?|{H}{{2,9}}) ?(?:项目|专案)(?![\"“「『]|经理|组|部|管理|书|上|式|制"
    r"|负责人|名|数|里"
    r"|中|期|前|后|进|规|文|资|预|启|款|金|的?成员|总监|计划)"
    rf"|项目(?:的?名字?|名称)?(?:叫做?|名为|是叫|代号为?|代号叫)[\"“「『']?(?P<e>{H}{{2,6}}?"
    rf"|[a-z][\w.-]{{1,20}})[\"”」』']?(?=$|[^{HAN}\w])"
)
_ONE_HAN = re.compile(H)
_PROJECT_CUT = re.compile("""(?s:.*)(?:[的了在和与是把被让给从到,;:(\\s"“「『'‘]|[一这那]个|我们?|你们?|[他她它]们?)""")
_DOING = re.compile(
    ".*(?:发起|创办|创建|创立|开发|负责|参与|参加|主导|牵头|启动|完成|推进|接手|管理|维护|关于|做|写"
    "|加入|领导|带领|主持|讨论|介绍|暂停|停止|叫停|取消|批准|支持|投资|退出|离开"
    "|决定|继续|开始|准备好?|打算|正在|目前|最近|现在|[今明昨]天|[今明去]年|[上下这本]个?[周月])"
)
_WHAT = (
    ("organisation", re.compile("(?:公司|企业|集团|机构|学校|医院|银行|品牌|店)$")),
    ("person", re.compile(f"(?:{ROLE}|我|他|她|人|孩|女|儿|[妈爸爷奶哥姐弟妹])$")),
    ("project", re.compile("(?:项目|工程)$")),
    ("product", re.compile("(?:产品|软件|app|小程序|系统|平台|应用|工具)$")),
    ("animal", re.compile("(?:猫咪?|狗狗?|兔子|仓鼠|鹦鹉|金毛|柯基|宠物|鱼|乌龟|泰迪|布偶|橘猫|[只条])$")),
    ("place", re.compile("(?:城市|村子?|镇子?|小区|地方)$")),
)
NOT_CALLED = re.compile(
    "外卖|车|停|醒|救护|出租|滴滴|医生|老师|大家|妈|爸|爷|奶|爹|哥|姐|叔|姨|快递|保安|警|服务|人"
    "|自己|起床|吃饭|回家|早点|多|少|快|慢|苦|好|真|声|板|名字|啥|宝宝$|一"
)


def works(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_WORK, stretch):
        yield Name(*found.span("name"), "work")


def projects(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_PROJECT, stretch):
        start, end = group(found, "a", "b", "c", "d", "e", "f", "g", "h", "i")
        if (found["h"] or found["i"]) and not stretch.low[start:end].isascii() and not nameable(stretch.low[start:end]):
            continue
        if (found["d"] or found["c"]) and _ONE_HAN.match(stretch.low, end - 1):
            start = _project_start(stretch, start, end)
        if end - start > 1 or "a" <= stretch.low[start : start + 1] <= "z":
            yield Name(start, end, "project")


def _project_start(stretch: Stretch, start: int, end: int) -> int:
    """Where the name of 星雀项目 begins; ``end`` where it is none: 重点项目, 杭州项目, 确保项目."""
    before = stretch.low[start:end]
    cut = _PROJECT_CUT.match(before)
    at = cut.end() if cut else 0
    done = _DOING.match(before, at)
    at = done.end() if done else at
    said = before[at:]
    led = bool(done) or (start + at == stretch.start) or stretch.low[start + at - 1] in ",(:\"“「' " or bool(cut)
    kind = said in KINDS or said.endswith(KIND_ENDS) or said.startswith(KIND_STARTS)
    if not led or kind or not nameable(said) or len(said) > 4 or person_like(said) or said.startswith(tuple(PLACES)):
        return end
    return start + at


def known_as(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_AKA, stretch):
        yield Name(*found.span("name"))


_PET_CALLED = re.compile(
    rf"叫(?:做)?[\"“「『']?(?P<name>(?![{FUNCTION}]){H}{{1,4}}?)[\"”」』']?的(?:{H}{{0,3}}?)(?:猫|狗"
    r"|橘猫|金毛|柯基|兔子|仓鼠|鹦鹉|泰迪|布偶)"
)


def called(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_PET_CALLED, stretch):
        yield Name(*found.span("name"), "animal")
    for found in matches(_CALLED, stretch):
        said = found["name"]
        if said in COMMON or NOT_CALLED.match(said) or said[-1] in "们":
            continue
        before = stretch.low[max(stretch.start, found.start("word") - 12) : found.start("word")].rstrip(
            ",， 的就也一只个条"
        )
        kind = next((kind for kind, pattern in _WHAT if pattern.search(before)), "")
        if found["word"] == "叫" and not kind:
            continue
        if kind == "person" and found["word"] == "叫" and len(said) > 4 and "·" not in said:
            continue
        yield Name(*found.span("name"), kind)


def latin(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_LATIN, stretch):
        run: list[re.Match[str]] = []
        for token in _TOKEN.finditer(stretch.low, *found.span()):
            if _is_latin_name(stretch, token) and (not run or _joins(stretch, run[-1], token)):
                run.append(token)
                continue
            if run:
                yield _latin_name(stretch, run)
            run = [token] if _is_latin_name(stretch, token) else []
        if run:
            yield _latin_name(stretch, run)


def _is_latin_name(stretch: Stretch, token: re.Match[str]) -> bool:
    said, low = stretch.text[token.start() : token.end()], token[0]
    if low in TECHNOLOGIES and len(low) > 1 and said != "go":
        return True
    if nothing_latin(low):
        return False
    return any(char.isupper() for char in said) or bool(re.search(r"[a-z]-?\d{2}", low))


def nothing_latin(low: str) -> bool:
    """Whether a Latin word within Chinese names nothing: PPT, D6, order numbers, file names."""
    return (
        len(low) < 2
        or low in NO_LATIN
        or re.fullmatch(r"[a-z]\d+|\d+[a-z]*|v\d[\d.]*", low) is not None
        or re.search(r"\d{7}|^x+$|xx|\.(?:jpg|png|pdf|docx?|xlsx?|pptx?|txt|md|zip)$|^[a-z]{2,4}\d{6}", low) is not None
    )


def _joins(stretch: Stretch, left: re.Match[str], right: re.Match[str]) -> bool:
    return not {left[0], right[0]} & TECHNOLOGIES and right.start() == left.end() + 1


def _latin_name(stretch: Stretch, run: list[re.Match[str]]) -> Name:
    start, end = run[0].start(), run[-1].end()
    if stretch.low[start:end].endswith("'s"):
        end -= 2
    return Name(start, end, "technology" if run[0][0] in TECHNOLOGIES else "")

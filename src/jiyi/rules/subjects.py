"""The projects and subjects that a message names on purpose: "the Starling project", 厨房装修, a heading.

In both languages; pure, and linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.own import BLANK
from jiyi.rules.subject_words import FUNCTION, GENERIC, READ, Subject
from jiyi.text import flat

_HEADS = (
    "project|renovation|remodel|redesign|rewrite|migration|refactoring|refactor|rollout|launch|wedding|thesis|dissertation"
    "|novel|podcast|website|app|startup|campaign|trip|move|conference|exhibition|prototype|newsletter|integration|audit"
    "|book|game|blog|garden|course|party|report|paper|presentation|contract|release|budget plan|business plan"
)
_MINE = ("the", "our", "my")
_ALONE = frozenset(
    word
    for line in (
        "renovation redesign migration wedding thesis dissertation novel podcast startup move conference exhibition",
        "garden newsletter website",
    )
    for word in line.split()
)
_EN_HEAD = re.compile(
    rf"\b(the|our|my|this|his|her|their|a|an) ((?:[a-z0-9][\w'-]*[ ]){{0,3}}?)({_HEADS})\b"
    rf"(?! (?:{_HEADS}|manager|team)\b)"
)
_EN_CAPITAL = re.compile(rf"\b((?:[A-Z][\w-]*|[A-Z]{{2,}}\d*)(?: [A-Z][\w-]*){{0,2}}) ({_HEADS})\b")
_EN_PROJECT = re.compile(r"\b[Pp]roject (?:called |named |code-named )?[\"'“]?([A-Z][\w-]*(?: [A-Z0-9][\w-]*){0,2})")
_EN_CALLED = re.compile(
    rf"\b(?:{_HEADS}|software|tool) (?:is |was |will be |that is |that's )?(?:now )?(?:called|named|code-named) "
    r"[\"'“]?([A-Z][\w-]*(?: [A-Z0-9][\w-]*){0,2})"
)
_EN_LEAD = re.compile(
    r"(?:^|(?<=[.!?\n]))[ \t]*(?:(?:ok|okay|so|now|well|hi|hello|hey|and|anyway)[,!]? )*"
    r"(?:back to|regarding|re:|concerning|as for|about|on to|topic:|subject:|project:|(?:quick |some )?(?:update|news)"
    r" on"
    r"|let's (?:talk about|discuss|(?:go|get) back to|continue with|work on|switch to)"
    r"|(?:i'm|i am|we're|we are|i've been|we've been) (?:working on|planning|building|organi[sz]ing|writing)"
    r"|(?:i've |we've |i |we )?(?:just )?started (?:working )?on) "
    r"(?:the |my |our |this |a |an )?((?:[a-z0-9][\w'-]* ){0,3}[a-z0-9][\w'-]*)(?=[,.:;!?\n]|$| [-–—] )"
)
_HEADING = re.compile(r"^#{1,3} +(\S.{1,40}?)\s*$", re.MULTILINE)
_ZH_HEADS = (
    "项目|(?<!安)装修|翻修|改造|婚礼|毕业论文|论文|毕业设计|毕设|搬家|旅行|之行|迁移|重构|改版|发布会|官网|网站|小程序|小说|课程|比赛"
    "|活动|方案|计划书|产品|展览"
)
_ZH_HEAD = re.compile(rf"([\u4e00-\u9fffa-z0-9·-]{{0,12}}?)(?:这个|那个|的)?({_ZH_HEADS})(?!经理|组|部|名|费)")
_ZH_QUOTED = re.compile(
    r"[《“「『\"]([^》”」』\"\n]{1,20})[》”」』\"](?:这个|那个)?(?:项目|计划|小说|小程序|网站|产品|活动)"
)
_ZH_CALLED = re.compile(
    rf"(?:{_ZH_HEADS}|软件|应用|游戏)(?:的名字|名字|代号)?(?:就|暂时)?叫(?:做|作)?[《“「『\"]?([\u4e00-\u9fffA-Za-z0-9·-]{{2,10}})"
    r"(?=[》”」』\"，,。.！!；;\n]|$)"
)
_ZH_CALLED_OF = re.compile(
    rf"叫(?:做|作)?[《“「『\"]?([\u4e00-\u9fffA-Za-z0-9·-]{{2,10}}?)[》”」』\"]?的(?:{_ZH_HEADS}|软件|应用|游戏)"
)
_ZH_LEAD = re.compile(
    r"(?:^|(?<=[。！？\n.!?,，]))\s*(?:好的?[,，]?)?(?:关于|说说|聊聊|谈谈|说到|说回|回到|继续(?:聊|说|讨论)|讨论一?下|至于)"
    r"(?:一下|我们的?|我的?|那个|这个)?([\u4e00-\u9fffa-z0-9·-]{2,12}?)"
    r"(?:的(?:事情?|问题|进展|话题)|这(?:件事|个|边|块)|那边|吧)?(?=[,，。：:！!?？\n]|$)"
)
_ZH_CUT = re.compile(
    "^.*(?:关于|开始|继续|准备|打算|参加|负责|进行|讨论|推进|目前|现在|今天|明天|昨天|最近|正在|一个|这个|那个|整个|这次|那次|每个|上个"
    "|下个|哪个|什么|怎么|为了|还有|以及|需要|决定|而且|并且|或者|如果|因为|喜欢|热爱|挑选|选择|关注|享受|参与|组织|举办|策划|筹备|报名"
    "|初步|调研|具体|实际|相关|类似|各种|后续|前往|接触|处理|一同|一起|平时|稍微|通过|结合|利用|使用|用于|自己|适合|提出|接受|勘查|整理|融入|安排|规划|回头|详细|穿插|[一两三几多每首本上下][份场次项款部篇个种类届]"
    "|[的了在做是对给把跟和与我你您他她它们咱这那从到就也都还要想说搞弄让去谈聊忙等写办再看听买很太最更却又但若])"
)
_ZH_LOOSE = frozenset(
    word for line in ("旅行 之行 活动 方案 产品 课程 比赛 展览 官网 网站 小程序 小说 计划书",) for word in line.split()
)
"""Heads of what is mostly spoken of in passing: 商场活动, 保险产品."""
_ZH_LED = re.compile(
    "(?:^|[的，。！？；：,.!?;:\\s]|我们|咱们|关于|参加|负责|推进|筹备|组织|策划|准备|报名|举办|继续|讨论|这个|那个|[我做写办])$"
)
_ZH_GENERIC = frozenset(
    word
    for line in (
        "新 大 小 老 旧 本 该 此 每 各 另 另一 别 好 多 几 两 三 主要 整体 公司 个人 家庭 新的 大型 小型",
        "全部 其他 别的 一 重点 解决 治疗 资金 促销 四个 两个 三个 收入 颜色 年度 区域",
    )
    for word in line.split()
)
_ZH_ALONE = frozenset(
    word for line in ("装修 翻修 婚礼 毕业论文 论文 毕业设计 毕设 搬家 小说 官网 网站 小程序",) for word in line.split()
)


def named(text: str, low: str) -> list[Subject]:
    """The projects and subjects that a text names on purpose, in order, each once.

    Args:
        text: as it was written.
        low: the same as ``own_words`` gives it: what is not the user's own gives no name.
    """
    text, low = text[:READ], low[:READ]
    found = [one for one in _all_named(text, low) if BLANK not in low[one.start : one.end]]
    found.sort(key=lambda one: (one.start - one.end, one.start))  # the longest first
    taken: list[Subject] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in taken):
            taken.append(one)
    once: dict[str, Subject] = {}
    for one in sorted(taken, key=lambda one: one.start):
        once.setdefault(flat(one.name), one)
    return list(once.values())


def _all_named(text: str, low: str) -> Iterator[Subject]:
    for pattern in (_HEADING, _EN_PROJECT, _EN_CALLED, _ZH_QUOTED, _ZH_CALLED, _ZH_CALLED_OF):
        for found in pattern.finditer(text):
            yield from _subject(text, *found.span(1))
    for found in _EN_CAPITAL.finditer(text):
        yield from _capital(text, found)
    for found in _EN_HEAD.finditer(low):
        yield from _english(text, found)
    for found in _EN_LEAD.finditer(low):
        yield from _lead(text, low, found)
    if not low.isascii():
        for found in _ZH_HEAD.finditer(low):
            yield from _chinese(text, low, found)
        for found in _ZH_LEAD.finditer(low):
            yield from _chinese_lead(text, found)


def _subject(text: str, start: int, end: int) -> Iterator[Subject]:
    name = text[start:end].strip(" \t*_:：#\"'")
    if any(map(str.isalnum, name)):
        yield Subject(name, start, end)


def _headed(text: str, start: int, end: int, head: str, upto: int) -> Iterator[Subject]:
    """The words before a head: with it, but for "project", which says nothing."""
    yield from _subject(text, start, end if head == "project" else upto)


def _capital(text: str, found: re.Match[str]) -> Iterator[Subject]:
    start = found.start(1)
    words = found[1].split(" ")
    while words and (flat(words[0]) in GENERIC or flat(words[0]) in _MINE):
        start += len(words.pop(0)) + 1
    if words:
        yield from _headed(text, start, found.end(1), found[2], found.end(2))


def _chinese_lead(text: str, found: re.Match[str]) -> Iterator[Subject]:
    end = found.end(1)
    name = _ZH_CUT.sub("", found[1])
    if len(name) >= 2 and name not in _ZH_GENERIC and not set(name) & FUNCTION:
        yield from _subject(text, end - len(name), end)


def _english(text: str, found: re.Match[str]) -> Iterator[Subject]:
    words = found[2].split()
    start = found.start(2)
    while words and (words[0] in GENERIC or len(words[0]) < 2):
        start = text.index(" ", start) + 1 if " " in text[start : found.start(3)] else start
        words.pop(0)
    if any(word in GENERIC for word in words):
        return  # "the time we need for the app"
    if words:
        yield from _headed(text, start, found.start(3) - 1, found[3], found.end(3))
    elif found[1] in ("our", "my") and found[3] in _ALONE and not found[2].strip():
        yield from _subject(text, *found.span(3))


def _lead(text: str, low: str, found: re.Match[str]) -> Iterator[Subject]:
    start, end = found.span(1)
    words = low[start:end].split(" ")
    while words and words[0] in GENERIC:
        start += len(words.pop(0)) + 1
    if words and not any(word in GENERIC for word in words) and any(len(word) > 2 for word in words):
        if words[-1] == "project":
            end = max(start, end - len(" project"))
        yield from _subject(text, start, end)


def _chinese(text: str, low: str, found: re.Match[str]) -> Iterator[Subject]:
    before, head = found[1], found[2]
    name = _ZH_CUT.sub("", before)
    start = found.start(1) + len(before) - len(name)
    while name and name[:1] in "新大小老旧本该此每各另次场份种为":
        name, start = name[1:], start + 1
    generic = name in _ZH_GENERIC and (head in ("项目", "活动", "方案", "产品", "课程", "比赛") or len(name) < 2)
    passing = head in _ZH_LOOSE and (
        low[found.end(1) : found.start(2)] == "的" or not _ZH_LED.search(low[max(0, start - 4) : start])
    )
    if len(name) >= 2 and not generic and not passing and len(name) <= 10:
        between = found.start(2) if head == "项目" else found.end(2)
        yield from _subject(text, start, start + len(name) if head == "项目" else between)
    elif (
        not name
        and head in _ZH_ALONE
        and low[max(0, found.start(2) - 3) : found.start(2)].endswith(
            ("我的", "我们", "我们的", "我", "咱们", "咱们的", "写", "办")
        )
    ):
        yield from _subject(text, *found.span(2))

"""What a Chinese rule is, and the value that it finds."""

from __future__ import annotations

import re
from typing import NamedTuple

from jiyi.rules.found import Clause


class Rule(NamedTuple):
    """One way to say something.

    Attributes:
        attribute: what is said.
        keys: characters of which one must stand in the clause: most rules are passed over by them.
        pattern: up to the value or, in a group, the value itself.
        negates: 不 and 没 before it are looked at.
        negated: it is a negated statement by itself.
        stops: it says that something is over.
        begins: it holds from the time named.
        bare: it needs no value.
        mine: of the user only.
        also: even where the attribute was found already.
        bare_subject: it is the user's even where the clause names nobody.
        importance: None for that of the attribute.
    """

    attribute: str
    keys: str
    pattern: re.Pattern[str]
    negates: bool = False
    negated: bool = False
    stops: bool = False
    begins: bool = False
    bare: bool = False
    mine: bool = False
    also: bool = False
    bare_subject: bool = False
    importance: float | None = None


def rule(attribute: str, keys: str, pattern: str, **rest: object) -> Rule:
    """A rule from its expression."""
    return Rule(attribute, keys, re.compile(pattern), **rest)  # type: ignore[arg-type]


ONLY_WHEN = re.compile(
    r"(?:[今去明]年|[今明昨后前]天|现在|目前|最近|平时|一般|通常"
    r"|每[天周月年晚早][一二三四五六日天末]?|早上|晚上|中午|下午|从小|一直|也|还|都|就|很|非常"
    r"|特别|超级?|比较|挺|真的?|其实|"
    r"已经|刚刚?|又|只|最|家里|家中|主要|\d+[月日号点]|的|对|一|不|是|在|可|但|虽然|因为|所以"
    r"|而且|平常|从来|有点|有些|尤其|除此之外|此外|另外)*"
)
"""What may stand before the verb of a clause that names nobody and is still about the user."""
_PARTICLES = "了啦啊呀哦吧呢嘛的哈呗～~！! "
_VALUE_END = re.compile(
    r"[，。；！？,;!?:：（）()\n]|(?:因为|所以|但是?|不过|而且|然后|并且|之后|以后|的时候"
    r"|时候)|\s(?=[\u4e00-\u9fff]{4})"
)
_FILLERS = ("一下", "了", "过", "的是", "是", "：", ":")


def cut(clause: Clause, start: int, end: int) -> str:
    """The value from ``start`` on, without what only fills."""
    stop = _VALUE_END.search(clause.low, start, end)
    said = clause.said(start, stop.start() if stop else end)
    while len(said) > 1 and said[-1] in _PARTICLES:
        said = said[:-1]
    for filler in _FILLERS:
        if said.startswith(filler) and len(said) > len(filler):
            said = said[len(filler) :]
    return said[:60].strip(' “”"「」『』')

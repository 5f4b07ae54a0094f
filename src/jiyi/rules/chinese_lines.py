"""A Chinese stretch with its names as single signs, so that what is said of them can be read by short expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jiyi.rules.chinese_name_words import TITLES
from jiyi.rules.chinese_software import kind_behind
from jiyi.rules.found import Name, Span, Stretch

SURE, WEAK, USER, THIRD, OTHER = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
"""Signs of a name, of what is one where the sentence says so, of the user, of 他 她 它, and of anybody else (我们)."""

_SKIPPED = (
    r"(?:在|于|从)?(?:今年|去年|前年|明年|(?:19|20)\d\d年(?:初|底|末)?|\d{1,2}月(?:\d{1,2}[日号])?"
    r"|[一二三四五六七八九十]{1,2}月(?:份|初|底)?|[上这本]个?(?:周|月|星期"
    r"|季度)[一二三四五六日末]?(?:初|底)?"
    r"|昨[天晚]|今天|前[天几]天?|年[初底]|刚刚|已经|目前|现在|如今|最近|近日|近期|终于|一直|正在|主要"
    r"|其实|当时|同时|正式|成功|后来|最终|原来|不久前|几年前|多年前"
    r"|早就|全资|[一二两三四五六七八九十\d]+年前|[上下]午|早上|晚上|直接|亲自|独自|独立|单独|一个人"
    r"|一手|共同|一起|联合)(?:的?时候|时|就|才|又)?"
    r"|[\"“”「」『』《》]|(?<=[^a-z0-9]) +| +(?=[^a-z0-9])"
)
_PRONOUNS = (
    r"(?P<me>我自己|本人|[我咱]们?家(?=的?(?:猫|狗|小|大|老|儿|女|宝|孩|金毛|柯基|布偶|橘|英短|泰迪"
    r"|仓鼠|兔|鹦鹉|乌龟))|[我俺](?!们|公司|司|单位|厂|院|行))"
    r"|(?P<third>[他她它](?!们|家|人|乡|俩))|(?:我们?|咱们?|你们?|您|[他她它]们?|人家|别人|大家|对方"
    r"|自己|有人|谁)(?:家|公司|单位|司)?"
)
_LEFT_OUT = re.compile(f"(?P<who>{_PRONOUNS})|{_SKIPPED}")
_SUFFIX = {
    "project": re.compile(
        r"[\"”」』']?(?:这个|这一)?(?:开源|新|小)?(?:项目|专案|工程|计划|系统|平台|产品|框架|小程序|工具|软件"
        r"|应用|公众号)"
    ),
    "person": re.compile(f"(?:{TITLES})(?![\u4e00-\u9fff]们)"),
    "organisation": re.compile("这家公司|这家企业|这家店|公司"),
    "work": re.compile("》?(?:这[本部首篇](?:书|小说|歌|文章|电影)|一[书文])"),
    "technology": re.compile("(?:框架|语言|数据库|服务器)"),
}


_HAVE_KINDS = frozenset(("project", "product", "work", "organisation"))
_PREFIX = re.compile(
    '(?:开源|新|长篇|短篇)?(?:项目|专案|产品|系统|平台|框架|小程序|小说|散文集|歌|书|电影|(?<![子母分总])公司)["“「『《]?$'
)


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of a stretch.

    Attributes:
        signs: its characters, each name one sign; times, quotes and words such as 已经 left out.
        spans: where each sign stands in the message.
        names: the names by their place in ``signs``.
    """

    signs: str
    spans: tuple[Span, ...]
    names: dict[int, Name]

    def part(self, start: int, end: int) -> Line:
        """The signs [start, end)."""
        names = {at - start: name for at, name in self.names.items() if start <= at < end}
        return Line(self.signs[start:end], self.spans[start:end], names)

    def without(self, holes: Iterable[Span]) -> Line:
        """Without the signs of some parts."""
        out = {at for start, end in holes for at in range(start, end)}
        if not out:
            return self
        kept = [at for at in range(len(self.signs)) if at not in out]
        names = {new: self.names[old] for new, old in enumerate(kept) if old in self.names}
        return Line("".join(self.signs[at] for at in kept), tuple(self.spans[at] for at in kept), names)

    def after(self, subject: Name) -> Line:
        """With a subject in front that stands in a clause before."""
        names = {at + 1: name for at, name in self.names.items()}
        sign = USER if subject.user else SURE
        return Line(sign + self.signs, ((subject.start, subject.end), *self.spans), {0: subject, **names})

    def span(self, start: int, end: int) -> Span:
        """Where the signs [start, end) stand in the message; (0, 0) for none."""
        return (self.spans[start][0], self.spans[end - 1][1]) if start < end else (0, 0)


def line_of(stretch: Stretch, sure: Iterable[Name], weak: Iterable[Name]) -> Line:
    """A stretch as a line."""
    signs: list[str] = []
    spans: list[Span] = []
    names: dict[int, Name] = {}
    for start, end, sign, name in _pieces(stretch, sure, weak):
        if name:
            names[len(signs)] = name
        if sign:
            signs.append(sign)
            spans.append((start, end))
            continue
        for at in range(start, end):
            signs.append(stretch.low[at])
            spans.append((at, at + 1))
    return Line("".join(signs), tuple(spans), names)


def _pieces(
    stretch: Stretch, sure: Iterable[Name], weak: Iterable[Name]
) -> Iterator[tuple[int, int, str, Name | None]]:
    """Names, and the characters between them."""
    marked = [(name.start, name.end, SURE, name) for name in sure]
    taken = [span[:2] for span in marked]
    marked += [(name.start, name.end, WEAK, name) for name in weak if _free(taken, name)]
    at = stretch.start
    for start, end, sign, name in sorted(marked, key=lambda one: one[:2]):
        kind = _PREFIX.search(stretch.low, at, start) if name.type in _HAVE_KINDS else None
        yield from _between(stretch, at, kind.start() if kind else start)
        yield start, end, sign, name
        suffix = _SUFFIX[name.type].match(stretch.low, end, stretch.end) if name.type in _SUFFIX else None
        at = suffix.end() if suffix else kind_behind(stretch, start, end)
    yield from _between(stretch, at, stretch.end)


def _free(taken: Iterable[Span], name: Name) -> bool:
    return all(end <= name.start or name.end <= start for start, end in taken)


def _between(stretch: Stretch, start: int, end: int) -> Iterator[tuple[int, int, str, Name | None]]:
    """Characters between names; who is meant by a pronoun is a sign, and times are left out."""
    at = start
    for found in _LEFT_OUT.finditer(stretch.low, start, end):
        yield at, found.start(), "", None
        at = found.end()
        if found["me"]:
            yield found.start(), at, USER, Name(found.start(), at, user=True)
        elif found["who"]:
            yield found.start(), at, THIRD if found["third"] else OTHER, None
    yield at, end, "", None

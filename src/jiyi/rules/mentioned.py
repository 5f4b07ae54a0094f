"""From a message to what it says of named things: mentions, aliases and relations, in both languages.

Each language is a half of its own, two functions with the same signature (``chinese_names``, ``english_names``):

    chinese_names(stretches: Sequence[Stretch]) -> Iterator[Name | Same | Link]
    chinese_name_in(text: str, span: Span, attribute: str) -> Span | None

The first reads all stretches of a message that have words of its language, in order: sentences of the user's own, or
parts of them, without what asks, supposes, doubts or requests.  It says where names stand (``Name``), which two are one
thing (``Same``) and how they relate (``Link``), by offsets into ``Stretch.text``; a ``Link`` and a ``Same`` bring their
names along.  The second finds the name in the value of one of the user's own facts (``candidates``), of which the
relation is made here (``RelationType.attribute``), so that no second pattern is needed for "I work at".

What holds for both is seen to here: offsets, quotes, dates, the direction of relations, a mention for every end, no
relation of a thing to itself, names that overlap.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from jiyi.candidates import Candidate
from jiyi.mentions import USER, Alias, Edge, Mention, Mentioned
from jiyi.periods import Period, plain
from jiyi.relation_types import RELATIONS, RelationType, relation_of
from jiyi.rules.clauses import clauses, follows, requests, sentences
from jiyi.rules.dates import Times, dated, named
from jiyi.rules.english_names import english_name_in, english_names
from jiyi.rules.found import Clause, Link, Name, Same, Span, Stretch
from jiyi.rules.own import BLANK, own_words
from jiyi.rules.reading import LONGEST, READ, candidates
from jiyi.text import flat
from jiyi.types import Message

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]")
_ME = re.compile(r"\b(?:i|my|me|mine|we|our)\b|[我咱俺]|本人", re.IGNORECASE)
_SAID = 40  # characters of the words that say a relation
_BY_ATTRIBUTE: Mapping[str, RelationType] = {one.attribute: one for one in RELATIONS.values() if one.attribute}


def mentioned(message: Message) -> Mentioned:
    """What a message of the user surely says of people and things that have a name, in order.

    Messages of others give nothing.  Questions, conditions, doubts, requests, quotes, code, pasted and made-up texts
    are left out.  Each end of a relation and each name of an alias has a mention; no relation leads from a name to
    itself; relations stand in the direction in which ``relation_types`` names them.
    """
    if message.role != "user":
        return Mentioned()
    text = message.text
    stretches = _stretches(text)
    if not stretches:
        return Mentioned()
    found = [
        *_chinese_names([one for one in stretches if _HAN.search(one.low, one.start, one.end)]),
        *_worth(stretches, english_names([one for one in stretches if _LATIN.search(one.low, one.start, one.end)])),
    ]
    found += _of_the_user(text, stretches, candidates(message), found)
    return _Reading(message, stretches).all(found)


def _chinese_names(stretches: Sequence[Stretch]) -> Iterator[Name | Same | Link]:
    if not stretches:
        return iter(())
    # imported when a message first has Chinese in it: its expressions take a quarter of a second to compile
    from jiyi.rules.chinese_names import chinese_names

    return chinese_names(stretches)


def _chinese_name_in(text: str, span: Span, attribute: str) -> Span | None:
    from jiyi.rules.chinese_names import chinese_name_in

    return chinese_name_in(text, span, attribute)


def _worth(stretches: Sequence[Stretch], found: Iterable[Name | Same | Link]) -> Iterator[Name | Same | Link]:
    """Without the Latin words of a Chinese sentence that are none of a language of their own: PPT, KPI."""
    if not any(_HAN.search(one.low, one.start, one.end) for one in stretches):
        yield from found
        return
    from jiyi.rules.chinese_things import nothing_latin

    for one in found:
        if isinstance(one, Name):
            at = _around(stretches, one.start, one.end)
            if at and _HAN.search(at.low, at.start, at.end) and nothing_latin(at.low[one.start : one.end]):
                continue
        yield one


def _stretches(text: str) -> list[Stretch]:
    if len(text) <= READ:
        return _stretches_of(text, text, 0)[0]
    half = READ // 2
    first, more = _stretches_of(text, text[:half], 0)
    return first + _stretches_of(text, text[-half:], len(text) - half)[0] if more else first


def _stretches_of(whole: str, text: str, after: int) -> tuple[list[Stretch], bool]:
    """Stretches of a part that begins at ``after``, with offsets into the whole; whether it ends in own words."""
    if not text.strip():
        return [], True
    low = own_words(plain(text))
    shifted = BLANK * after + low if after else low
    found: list[Stretch] = []
    for sentence in sentences(low):
        if sentence.end - sentence.start > LONGEST or requests(low, sentence.start, sentence.end):
            continue
        run: list[Clause] = []
        for clause in clauses(text, low, sentence, relative=True):
            if run and not follows(low, run[-1], clause):
                found.append(_stretch(whole, shifted, after, run))
                run = []
            run.append(clause)
        if run:
            found.append(_stretch(whole, shifted, after, run))
    return found, not low.endswith(BLANK)


def _stretch(text: str, low: str, after: int, run: Sequence[Clause]) -> Stretch:
    moved = tuple(Clause(text, low, one.start + after, one.end + after, one.first) for one in run)
    return Stretch(text, low, moved[0].start, moved[-1].end, moved)


# -- the user's own facts --------------------------------------------------------------------------------------------


def _of_the_user(
    text: str, stretches: Sequence[Stretch], facts: Iterable[Candidate], found: Sequence[Name | Same | Link]
) -> Iterator[Link | Same]:
    """What facts of the user state: employer, home, partner, what they are called; and those of "my wife Anna"."""
    for fact in facts:
        known = _BY_ATTRIBUTE.get(fact.attribute)
        called = fact.attribute == "name" and fact.subject == USER and not (fact.negated or fact.ends)
        at = text.find(fact.value, fact.start, fact.end) if fact.value and (known or called) else -1
        if at < 0:
            continue
        span = (at, at + len(fact.value))
        stretch = _around(stretches, *span)
        name_in = _chinese_name_in if _HAN.search(text, *span) else english_name_in
        name = stretch and name_in(text, span, fact.attribute)
        head = stretch and name and _head(stretch, fact, name[0], found)
        if not (name and head):
            continue
        if known:
            begins = fact.valid_from is not None
            between = re.split("[,，;；]", text[head.end : name[0]])[-1].strip(" :\"'：“「")
            said = between if 0 < len(between) <= _SAID else known.en
            yield Link(head, known.name, Name(*name), said, fact.negated, fact.ends, begins)
        else:
            yield Same(head, Name(*name, "person"))


def _head(stretch: Stretch, fact: Candidate, before: int, found: Sequence[Name | Same | Link]) -> Name | None:
    """Who a fact is about: the user, or the one name of the message that has this role.

    The user stands where "I" does, the nearest before the value, else in the words before it (住在 of 住在宁波).
    """
    text = stretch.text
    if fact.subject == USER:
        me = [found.span() for found in _ME.finditer(text, stretch.start, before)]
        return Name(*(me[-1] if me else (fact.start, before)), user=True)
    called = {text[one.start : one.end]: one for one in found if isinstance(one, Name) and _plays(text, one, fact)}
    return next(iter(called.values())) if len(called) == 1 else None


def _plays(text: str, name: Name, fact: Candidate) -> bool:
    role = text[slice(*name.role)].lower()
    return fact.subject in role.split() or (not fact.subject.isascii() and fact.subject in role)


# -- made ------------------------------------------------------------------------------------------------------------


class _Ends(NamedTuple):
    """An edge before its ends are known to have mentions."""

    head: Name
    tail: Name
    edge: Edge


class _Reading:
    """What the halves found in a message, made into mentions, aliases and edges."""

    def __init__(self, message: Message, stretches: Sequence[Stretch]) -> None:
        self.message, self.text, self.stretches = message, message.text, stretches
        self._periods: dict[int, list[Period]] = {}

    def all(self, found: Sequence[Name | Same | Link]) -> Mentioned:
        """Everything, in the order in which it stands in the message."""
        same = [one for one in found if isinstance(one, Same)]
        ends = [made for one in found if isinstance(one, Link) and (made := self._ends(one))]
        tied = [name for one in same for name in (one.first, one.second)]
        tied += [name for one in ends for name in (one.head, one.tail)]
        mentions = self._mentions([*tied, *(one for one in found if isinstance(one, Name))], len(tied))
        aliases = [
            made for one in same if _have(mentions, one.first, one.second) and (made := self._alias(one, mentions))
        ]
        edges = [one.edge for one in ends if _have(mentions, one.head, one.tail)]
        return Mentioned(
            tuple(sorted(mentions.values(), key=lambda one: (one.start, one.end))),
            tuple({one.names: one for one in sorted(aliases, key=lambda one: -one.start)}.values())[::-1],
            tuple(_once(edges)),
        )

    def _mentions(self, names: Sequence[Name], tied: int) -> dict[Span, Mention]:
        """A mention for each place; of names that overlap the longer stays, before others one that something ties."""
        taken, places = dict[Span, Name](), list[Span]()
        order = sorted(range(len(names)), key=lambda at: (at >= tied, names[at].start - names[at].end, at))
        for at in order:
            one = names[at]
            span = (one.start, one.end)
            if span in taken:
                taken[span] = _both(taken[span], one)
            elif one.end > one.start and _free(places, span):
                insort(places, span)
                taken[span] = one
        made = {span: self._mention(one) for span, one in taken.items()}
        return {span: one for span, one in made.items() if one}

    def _mention(self, name: Name) -> Mention | None:
        quote = self._quote(name.start, name.end, *(at for _, span in name.traits for at in span))
        if quote is None:
            return None
        traits = {attribute: self.text[slice(*span)] for attribute, span in name.traits}
        said = USER if name.user else self.text[name.start : name.end]
        role = self.text[slice(*name.role)]
        return Mention(self.message, name.start, name.end, said, name.type, role, traits, *quote)

    def _quote(self, *places: int) -> Span | None:
        """The clauses in which all places stand; None where they are not one stretch of the user's own words."""
        first, last = min(places), max(places)
        one = _around(self.stretches, first, last)
        if one is None or BLANK in one.low[first:last]:
            return None
        start = max((clause.start for clause in one.clauses if clause.start <= first), default=one.start)
        end = min((clause.end for clause in one.clauses if clause.end >= last), default=one.end)
        return start, end + (one.low[end : end + 1] == ")" and "(" in one.low[start:end])

    def _alias(self, same: Same, mentions: Mapping[Span, Mention]) -> Alias | None:
        first, second = (mentions[one.start, one.end].name for one in same)
        quote = self._quote(same.first.start, same.first.end, same.second.start, same.second.end)
        if quote is None or flat(first) == flat(second):
            return None
        return Alias(self.message, *quote, (first, second))

    def _ends(self, link: Link) -> _Ends | None:
        quote = self._quote(link.head.start, link.head.end, link.tail.start, link.tail.end)
        relation, turned = relation_of(link.words)
        head, tail = (link.tail, link.head) if turned else (link.head, link.tail)
        said = [USER if one.user else self.text[one.start : one.end] for one in (head, tail)]
        if quote is None or not relation or not all(map(flat, said)) or flat(said[0]) == flat(said[1]):
            return None
        if known := RELATIONS.get(relation):
            head, tail = _typed(head, known.head), _typed(tail, known.tail)
        edge = Edge(self.message, *quote, said[0], relation, said[1], link.said or link.words, link.negated, link.ends)
        return _Ends(head, tail, edge if link.undated else self._timed(edge, begins=link.begins))

    def _timed(self, edge: Edge, *, begins: bool) -> Edge:
        times = self._times(edge)
        since = times.since or (times.event_from if begins and not edge.ends else None)
        if since:
            return replace(edge, valid_from=since)
        return replace(edge, event_from=times.event_from, event_to=times.event_to)

    def _times(self, edge: Edge) -> Times:
        """The times of the last clause of the quote; where it is the only one, of a time before it: 去年，…"""
        stretch = _around(self.stretches, edge.start, edge.end)
        if stretch is None:
            return Times()
        if stretch.start not in self._periods:
            self._periods[stretch.start] = named(self.text, stretch.start, stretch.end, self.message.created_at)
        there = self._periods[stretch.start]
        if not there:
            return Times()
        upto = [clause for clause in stretch.clauses if clause.end <= edge.end]
        start = max(edge.start, upto[-1].start) if upto else edge.start
        times = dated(self.text, start, edge.end, there)[1]
        if times == Times() and start == edge.start and len(upto) > 1:
            before = upto[-2]
            alone = any(one.begin <= before.start + 1 and before.end <= one.stop + 1 for one in there)
            times = dated(self.text, before.start, before.end, there)[1] if alone else times
        return times


def _around(stretches: Sequence[Stretch], start: int, end: int) -> Stretch | None:
    """The stretch that has the characters [start, end) in it."""
    at = bisect_right(stretches, start, key=lambda one: one.start) - 1
    return stretches[at] if at >= 0 and end <= stretches[at].end else None


def _free(places: Sequence[Span], span: Span) -> bool:
    """Whether a place overlaps none of those in order that are taken."""
    at = bisect_left(places, span)
    before = at == 0 or places[at - 1][1] <= span[0]
    return before and (at == len(places) or span[1] <= places[at][0])


def _have(mentions: Mapping[Span, Mention], *names: Name) -> bool:
    return all((one.start, one.end) in mentions for one in names)


def _typed(name: Name, type_: str) -> Name:
    """With the type that the relation tells, where the name does not."""
    return name if name.type or name.user else name._replace(type=type_)


def _both(one: Name, other: Name) -> Name:
    """What two rules say of a name in the same place."""
    return one._replace(
        type=one.type or other.type,
        role=one.role if any(one.role) else other.role,
        traits=(*one.traits, *(trait for trait in other.traits if trait not in one.traits)),
        user=one.user or other.user,
    )


def _once(edges: Iterable[Edge]) -> Iterator[Edge]:
    """The same relation of the same names once, the first that was said."""
    seen = set[tuple[str, str, str, bool, bool]]()
    for one in sorted(edges, key=lambda edge: (edge.start, edge.end)):
        key = (flat(one.head), one.relation, flat(one.tail), one.negated, one.ends)
        if key not in seen:
            seen.add(key)
            yield one

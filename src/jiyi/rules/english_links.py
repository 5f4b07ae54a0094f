"""Relations that English verbs state between two names that follow one another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from jiyi.relation_types import RELATIONS, relation_of
from jiyi.rules.english_proper_words import AFTER, KINDS, TECHNOLOGIES, several
from jiyi.rules.english_relation_words import PERFECT, VERBS, Says
from jiyi.rules.found import Link, Name, Stretch

_NEAR = 110  # characters between two names that a verb relates
_TOKEN = re.compile(r"'[a-z]+|[a-z]+(?:['-][a-z]+)*|[,()\"&]")
_ONLY = re.compile(r"\)?[\sa-z',(\"&-]*(?:: )?[\"']?")
_ADVERBS = several(
    "now currently also just recently still really actually officially finally already originally first later both "
    "mainly primarily largely directly successfully jointly together only even then full-time part-time happily soon"
)
_ARTICLES = several("the a an our my his her their its some this another own new small big old large local little own")
_BE = several("is are am 'm 're was were be been being 's isn't aren't wasn't weren't")
_PAST = several("was were wasn't weren't had")
_ENDED = several("no-longer used-to")
_PERFECT = several("has have 've 's")
_DENIES = several("not never don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't dont doesnt didnt")
_HELPS = several("has have had do does did 've don't doesn't didn't hasn't haven't hadn't dont doesnt didnt")
_LEADING = _ADVERBS | _BE | _DENIES | _HELPS | _ENDED
_BARE = _ARTICLES | _ADVERBS | several('" ( called named')
_BESIDE = re.compile(r",\s(?:the|an?|our|my|their|his|her)\s[a-z' -]{2,50},(?=\s)|\s\((?:[a-z' -]{2,50})\)(?=\s)")
_NOUN = re.compile(rf" (?:{'|'.join(sorted(AFTER))})\b")
_PARTS = "(?:backend|back[ -]end|frontend|front[ -]end|server|core|codebase|code|api|cli|compiler)"
_ITS_PART = re.compile(rf"(?: project| app)?'s (?:whole |new )?{_PARTS}(?= (?:is|isn't|was)\b)")
_PART_OF = re.compile(rf"(?:^|[,;:(]\s?|\band )the (?:new )?{_PARTS} of (?:the )?$")
_FOLLOWS = several(
    "and or but in on at for with from to by as since until last this next when while where which who that because so "
    "then now today yesterday tomorrow recently currently again too also instead after before during ago via through "
    "over under between about if though although anymore any no not together directly daily every full-time part-time "
    "earlier for these those right already alone once twice here there against within is was plus & yet "
    "online everywhere professionally officially privately publicly anonymously"
)
_AFTER = re.compile(
    r"[\"')\]*_]*(?:$|[.,;:!?()\u2013\u2014\"]|\s*[\u4e00-\u9fff]|\s+[-\u2013\u2014(\ufffc\d$\u20ac]|\s+([a-z&][a-z'-]*))"
)
_BEFORE = re.compile(
    r"(?:^|[,;:(\u2013\u2014]\s*|\s-\s+|\b(?:and|but|that|because|since|so|while|when|where|as|although|though|then|now"
    r"|today|yesterday|recently|currently|also|(?:19|20)\d\d|ago|last (?:week|month|year|summer|winter|spring|autumn"
    r"|fall|night)|this (?:week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|dr|mr|mrs|ms|prof)\s)"
    r"[\"'(]?(?:(?:the|our|my|a|an|this|his|her|their)\s(?:(?!of|in|at|for|from|with|to|by|on|about|and|than|is|was"
    r"|are|who|that|which)[a-z'-]+\s){0,3})?$"
)
SAID_BY = re.compile(
    r"\b(?:says?|said|tells?|told|thinks?|thought|asks?|asked|claims?|claimed|insists?|heard|believes?|believed"
    r"|assumes?|suggests?|suggested|dreamt|dreamed|hopes?|hoped|wonders?|imagines?|rumou?rs?|rumou?red|wants?|wish"
    r"|according|supposed|expected?|likely|plans?|planning|tried|trying|try|about to|almost|nearly|pretends?"
    r"|could|should|may|can|will|'ll|going to|let's|alleged|allegedly|reportedly)\b"
)
_CLUBS = several("association society club union federation committee board council league choir church alliance")
_AS_ITS = re.compile(r" (?:as|for) (?:its|the|a|our|their) (backend|frontend|database)\b")
_OVER = re.compile(r"\s*(?:any ?more|any longer)\b")
_LIST = re.compile(r"(?:, | and | & |, and | as well as )(?:(?:the|a|an) )?")
_INSTEAD = re.compile(r" (?:with|by) (?:(?:the|our|a|an) )?")
_SHORT_BE = re.compile(r"^(?:'[a-z]+|\))\s")
_TO = re.compile(r" to (?:(?:the|our|a|an) )?")


class Parsed(NamedTuple):
    """What the words between two names say.

    Attributes:
        phrase: without adverbs, articles, forms of "be" and "have".
        be, past, perfect: which of those stood there.
        negated, ends: "not", "no longer" and "used to".
        joined: "and" stood first: the subject is that of the verb before.
        relative: "who" or "which" did.
        opened: a comma did.
        kind: what the noun before the second name tells ("a company called").
        part: it is said of a part of the first ("Nightjar's backend is written in").
    """

    phrase: str = ""
    be: bool = False
    past: bool = False
    perfect: bool = False
    negated: bool = False
    ends: bool = False
    joined: bool = False
    relative: bool = False
    opened: bool = False
    kind: str = ""
    part: bool = False


def verb_links(stretch: Stretch, ends: Sequence[Name], also: Collection[Name]) -> Iterator[Link]:
    """What verbs state between names that follow one another.

    ``ends`` in order, words for the user among them; ``also``: second names of an alias, which follow the first.
    """
    before: tuple[Link, bool] | None = None
    for place in range(len(ends) - 1):
        parsed = parse(stretch.low, ends[place], ends[place + 1])
        links = list(_Pair(stretch, ends, place, also).links(parsed, before)) if parsed else []
        yield from links
        before = (links[0], parsed.relative) if parsed and links and links[0].tail == ends[place + 1] else None


class _Pair:
    """Two names that follow one another, and what stands between them."""

    def __init__(self, stretch: Stretch, ends: Sequence[Name], place: int, also: Collection[Name]) -> None:
        self.stretch, self.low, self.ends, self.place, self.also = stretch, stretch.low, ends, place, also
        self.tail = ends[place + 1]
        self.next = ends[place + 2] if place + 2 < len(ends) else None

    def links(self, parsed: Parsed, before: tuple[Link, bool] | None) -> Iterator[Link]:
        """Relations that the verb states; ``before``: the one that leads to the first name, and if by "who"."""
        head = self.ends[self.place]
        if not follows(self.stretch, self.tail):
            return
        goes_on = before is not None and before[0].tail == head
        if before and goes_on and (parsed.joined or (before[1] and parsed.opened and not parsed.relative)):
            head, parsed = before[0].head, parsed._replace(be=parsed.be and parsed.joined)
            if parsed.phrase == "joined" and before[0].words == "works at":  # "left Larkspur and joined Quillon"
                self.tail = self.tail._replace(type=self.tail.type or "organisation")
        elif head in self.also and parsed.opened and not parsed.relative:
            parsed = parsed._replace(be=False)
        elif _PART_OF.search(self.low[max(self.stretch.start, head.start - 40) : head.start]):
            parsed = parsed._replace(part=True)
        elif parsed.joined or not (parsed.relative or is_subject(self.stretch, head) or head in self.also):
            return
        if SAID_BY.search(self.low, self.stretch.start, head.start):
            return
        says = _reading(parsed, self.stretch, head, self.tail)
        if says is not None and not (says.ends and parsed.negated) and (says.words == "uses" or not parsed.part):
            yield from self._said(head, says, parsed)

    def _said(self, head: Name, says: Says, parsed: Parsed) -> Iterator[Link]:
        over = bool(parsed.negated and _OVER.match(self.low, self.tail.end, self.stretch.end))
        said = self.stretch.text[self.ends[self.place].end : self.tail.start]
        said = _SHORT_BE.sub("", said).strip(" ,\"'()")
        tail = self._typed(says, parsed)
        ends = says.ends or parsed.ends or over
        joined_club = parsed.phrase == "joined" and self.low[tail.start : tail.end].split()[-1] in _CLUBS
        words = "member" if joined_club else says.words
        one = Link(head, words, tail, said, parsed.negated and not over, ends, says.begins)
        if other := self._instead(says):
            yield one._replace(head=other, tail=tail)
            return
        yield one
        if part := _AS_ITS.match(self.low, self.tail.end) if one.words == "uses" else None:
            yield one._replace(words=part[1])
        if other := self._towards(says, parsed):
            yield one._replace(tail=other, ends=False, begins=True)
            return
        yield from self._several(one, joined=parsed.joined)

    def _typed(self, says: Says, parsed: Parsed) -> Name:
        known = says.words == "uses" and _known(self.stretch, self.tail)
        return self.tail._replace(type=self.tail.type or parsed.kind or ("technology" if known else ""))

    def _instead(self, says: Says) -> Name | None:
        """B of "replaced A with B"."""
        if says.words != "replaces" or self.next is None or not follows(self.stretch, self.next):
            return None
        return self.next if _INSTEAD.fullmatch(self.low, self.tail.end, self.next.start) else None

    def _towards(self, says: Says, parsed: Parsed) -> Name | None:
        """B of "switched from A to B"."""
        if says.words != "uses" or not parsed.phrase.endswith(" from") or self.next is None:
            return None
        to = _TO.fullmatch(self.low, self.tail.end, self.next.start)
        return self.next if to and follows(self.stretch, self.next) else None

    def _several(self, one: Link, *, joined: bool) -> Iterator[Link]:
        """The same of "A and B" on either side."""
        relation = RELATIONS.get(relation_of(one.words)[0])
        if relation is None or relation.values == "many":
            for more in more_names(self.stretch, self.ends, self.place + 1):
                yield one._replace(tail=more)
        if self.place and not joined:
            other, head = self.ends[self.place - 1], self.ends[self.place]
            if self.low[other.end : head.start] in (" and ", " & ") and is_subject(self.stretch, other):
                yield one._replace(head=other)


def more_names(stretch: Stretch, ends: Sequence[Name], last: int, *, group: bool = False) -> list[Name]:
    """The names of "A, B and C" behind A; ``group``: whatever follows ("my friends A and B live")."""
    found: list[Name] = []
    closed = False
    for one, other in zip(ends[last:], ends[last + 1 :], strict=False):
        if closed or not _LIST.fullmatch(stretch.low, one.end, other.start) or other.user:
            break
        if not group and not follows(stretch, other):
            return []
        closed = stretch.low[one.end] == " " or " and " in stretch.low[one.end : other.start]
        found.append(other)
    return found if closed else []


def parse(low: str, head: Name, tail: Name) -> Parsed | None:
    """The words between two names; None where something else stands there too."""
    part = None if head.user else _ITS_PART.match(low, head.end, tail.start)
    noun = part or _NOUN.match(low, head.end, tail.start)
    start = noun.end() if noun else head.end
    if beside := _BESIDE.match(low, start, tail.start):
        start = beside.end()
    if tail.start - start > _NEAR or not _ONLY.fullmatch(low, start, tail.start):
        return None
    tokens = _TOKEN.findall(low[start : tail.start].replace("used to ", "used-to ").replace("no longer", "no-longer"))
    opened = bool(tokens and tokens[0] in (",", "("))
    tokens = tokens[1:] if opened or (tokens and tokens[0] == ")") else tokens
    first = tokens[0] if tokens else ""
    so = Parsed(joined=first in ("and", "but", "then"), relative=first in ("who", "which"), opened=opened)
    tokens = tokens[1:] if so.joined or so.relative else tokens
    leading = list(takewhile(_LEADING.__contains__, tokens))
    be, perfect = not _BE.isdisjoint(leading), not _PERFECT.isdisjoint(leading)
    so = so._replace(
        be=be or (opened and not so.relative and not so.joined and beside is None),  # ", acquired by"
        past=not _PAST.isdisjoint(leading),
        perfect=perfect,
        negated=not _DENIES.isdisjoint(leading),
        ends=not _ENDED.isdisjoint(leading),
        part=part is not None,
    )
    return _phrased(tokens[len(leading) :], so, has=perfect and not be)


def _phrased(tokens: list[str], so: Parsed, *, has: bool) -> Parsed | None:
    """With the phrase that the rest is, its article and "a company called" taken off."""
    bare = [token for token in tokens if token not in _BARE]
    if so.be and len(bare) > 2 and bare[0] in KINDS:
        bare = bare[1:]  # "is a framework written in"
    for words in (["has", *bare], bare) if has else (bare,):
        for cut in range(len(words), max(0, len(words) - 3), -1):
            said, rest = " ".join(words[:cut]), words[cut:]
            said = PERFECT.get(said, said) if so.perfect else said
            kind = KINDS.get(rest[-1], "") if rest else ""
            if said in VERBS and bool(rest) == bool(kind):
                return so._replace(phrase=said, kind=kind)
    return None


def _reading(parsed: Parsed, stretch: Stretch, head: Name, tail: Name) -> Says | None:
    """The first reading of the phrase that fits the tense and what the names are."""
    tail = tail._replace(type=tail.type or parsed.kind)
    for says in VERBS[parsed.phrase]:
        over = says.state and parsed.past and not parsed.ends
        if says.passive != parsed.be or over or (parsed.ends and not says.state):
            continue
        if _fits(says.head, head, stretch) and _fits(says.tail, tail, stretch):
            return says
    return None


def _fits(types: str, name: Name, stretch: Stretch) -> bool:
    if not types:
        return True
    kind = (
        "user" if name.user else name.type or ("technology" if "technology" in types and _known(stretch, name) else "?")
    )
    return kind in types.split() or kind not in _KINDS and "?" in types.split()


_KINDS = several("person organisation project product technology animal place user ?")


def _known(stretch: Stretch, name: Name) -> bool:
    return stretch.low[name.start : name.end] in TECHNOLOGIES


def is_subject(stretch: Stretch, name: Name) -> bool:
    """Whether a name begins a statement, so that the verb behind it speaks of it."""
    if name.user:
        return stretch.low[name.start : name.end] == "i"
    start = name.role[0] if any(name.role) and name.role[0] < name.start else name.start
    return bool(_BEFORE.search(stretch.low[max(stretch.start, start - 60) : start]))


def follows(stretch: Stretch, name: Name) -> bool:
    """Whether a name stands by itself, and is not part of what follows ("Python scripts", "Anna's")."""
    found = _AFTER.match(stretch.low, name.end, stretch.end)
    if found is None:
        return False
    if found[1] is None:
        return True
    return found[1] in _FOLLOWS or found[1] in AFTER

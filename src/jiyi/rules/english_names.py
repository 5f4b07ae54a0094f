"""Names, aliases and relations in English clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jiyi.rules.english_aliases import aliases, stands_for
from jiyi.rules.english_drugs import drugs
from jiyi.rules.english_links import verb_links
from jiyi.rules.english_proper import in_value, proper, small_words, written_so
from jiyi.rules.english_proper_words import TECHNOLOGIES, several
from jiyi.rules.english_ties import ties
from jiyi.rules.english_traits import traits
from jiyi.rules.found import Link, Name, Same, Span, Stretch
from jiyi.rules.own import BLANK

_ME = re.compile(r"\b(?:i(?=[ '])|me(?=[.,;!?)]|$| (?:and|at|on|since|for|now|directly)\b))")
_ANNOUNCED = re.compile(
    r"\b(?:written|built|implemented|coded|programmed|developed|rewritten|made|running|runs|run|powered|based)"
    r" (?:in|with|on|by|using|on top of) (?:the )?(?P<a>[a-z][\w.+#-]*)"
    r"|\b(?:uses?|using|(?:switched|migrated|moved) (?:to|from)|(?:backend|frontend|database) is) "
    r"(?P<b>(?!(?:written|built|based|made|powered|running|implemented|coded|developed)\b)[a-z][\w.+#-]*)"
)
_AND = re.compile(r"(?:, | and | & )([a-z][\w.+#-]*)")
_HEAD = r"(?:head|director|manager|chief|vp|vice president|team lead|lead|leader|president|dean|principal|supervisor)"
_DESCRIBED = re.compile(
    rf"\breport(?:s|ing)? (?:directly )?to (?:the|our) "
    rf"(?P<v>{_HEAD} (?:of|for) (?:the )?[a-z]+(?: and [a-z]+(?=$|[.,;!?]))?"
    rf"|ceo|cto|cfo|coo|(?:(?!who|that)[a-z]+ ){{1,2}}(?:manager|director|lead|head|officer|supervisor))"
    r"(?=$|[.,;:!?)]|\s(?:and|but|at|now|since|who|in|directly|because)\b)"
)
_SHORT = re.compile(
    r"(?P<v>[a-z]{2,5})(?= (?:asked|approved|wants|wanted|said|sent|called|signed|agreed|replied|needs|paid|owes"
    r"|offered|rejected|cancelled|confirmed|requested|delivered|insures|runs|owns|supplies|acquired|bought)\b)"
)
_SPOKEN = re.compile(
    r"[aeiou]|[bcdfghjklmnpqrstvwxyz]?[aeiouy]|(?:bl|br|ch|cl|cr|dr|dw|fl|fr|gh|gl|gn|gr|kn|ph|pl|pr|qu|rh|sc|sh|sk"
    r"|sl|sm|sn|sp|sq|st|sw|th|tr|tw|wh|wr|sch|scr|shr|spl|spr|str|thr)[aeiouy]"
)
_SLANG = several("tbh btw lmk idk omg lol ngl fyi thx pls plz mr dr hmm brb ppl smth msg")
_PLAIN = re.compile(r"(?<![\w.@/-])[a-z0-9&]+(?![\w@/-])")
_NEAR = re.compile(r"\b(?:near|by|outside|around|towards?)\s(?:the\s)?$")
_CALLED = re.compile(r"(?:name is|name's|names|call me|go by)\s*[\"']?$")


def english_names(stretches: Sequence[Stretch]) -> Iterator[Name | Same | Link]:
    """What the stretches of a message with English in them say of named things."""
    small = small_words(stretches)
    sure = frozenset(_low(one, name) for one in stretches for name in proper(one, frozenset(), small))
    proper_ones = [proper(one, sure, small) for one in stretches]
    known = _kinds(stretches, proper_ones)
    shorts: set[str] = set()
    for stretch, found in zip(stretches, proper_ones, strict=True):
        names = _named(stretch, found, known, shorts)
        same = list(aliases(stretch, names))
        shorts |= {form for pair in same for form in _shorts(stretch, pair)}
        yield from names
        yield from same
        ends = sorted([*names, *_users(stretch)], key=lambda name: name.start)
        yield from traits(stretch, names)
        tied = list(ties(stretch, ends))
        yield from tied
        typed = {(one.start, one.end): one for one in tied if isinstance(one, Name)}
        also = {_typed(pair.second, typed) for pair in same}
        yield from verb_links(stretch, [_typed(name, typed) for name in ends], also)


def _typed(name: Name, typed: dict[Span, Name]) -> Name:
    known = typed.get((name.start, name.end))
    return name._replace(type=name.type or known.type, role=known.role) if known else name


def _kinds(stretches: Sequence[Stretch], names: Sequence[Sequence[Name]]) -> dict[str, str]:
    """What each name of a message is, where one of its mentions tells."""
    kinds: dict[str, str] = {}
    for stretch, found in zip(stretches, names, strict=True):
        for name in found:
            if name.type:
                kinds.setdefault(_low(stretch, name), name.type)
    return kinds


def _low(stretch: Stretch, name: Name) -> str:
    return stretch.low[name.start : name.end]


def _named(stretch: Stretch, found: Sequence[Name], known: dict[str, str], shorts: set[str]) -> list[Name]:
    """The names of a stretch in order, in small letters too where something announces them."""
    names = [name._replace(type=name.type or known.get(_low(stretch, name), "")) for name in found]
    taken = [(name.start, name.end) for name in names]
    for more in _announced(stretch, shorts):
        if BLANK not in _low(stretch, more) and all(more.end <= start or end <= more.start for start, end in taken):
            taken.append((more.start, more.end))
            names.append(more)
    return sorted(names, key=lambda name: name.start)


def _announced(stretch: Stretch, shorts: set[str]) -> Iterator[Name]:
    low, start, end = stretch.low, stretch.start, stretch.end
    for found in _ANNOUNCED.finditer(low, start, end):
        group = "a" if found["a"] else "b"
        span = found.span(group)
        while span and (name := _technology(low, span)):
            yield name
            more = _AND.match(low, name.end, end)
            span = more.span(1) if more else ()
    yield from drugs(stretch)
    for found in _DESCRIBED.finditer(low, start, end):
        yield Name(*found.span("v"), type="person")
    for found in _PLAIN.finditer(low, start, end) if shorts else ():
        if found[0] in shorts:
            yield Name(*found.span())
    first = _SHORT.match(low, start, end)
    if first and first["v"] not in _SLANG and not _SPOKEN.match(first["v"]):
        yield Name(*first.span("v"))


def _technology(low: str, span: Span) -> Name | None:
    """A technology in small letters, without the point that ends a sentence."""
    word = low[slice(*span)].rstrip(".-")
    return Name(span[0], span[0] + len(word), "technology") if word in TECHNOLOGIES else None


def _shorts(stretch: Stretch, same: Same) -> Iterator[str]:
    """The short forms that an alias defines, three letters or more: written small, they are still that name."""
    one, other = (stretch.text[name.start : name.end] for name in same)
    for short, long in ((one, other), (other, one)):
        if len(short) > 2 and stands_for(short, long):
            yield short.lower()


def _users(stretch: Stretch) -> Iterator[Name]:
    for found in _ME.finditer(stretch.low, stretch.start, stretch.end):
        yield Name(found.start(), found.end(), user=True)


_BARE = frozenset(["employer", "home", "origin", "school", "name"])
"""Attributes whose value begins with the name."""


def english_name_in(text: str, span: Span, attribute: str) -> Span | None:
    """The name in the value of a fact with this attribute; None where the value names nothing ("a small company")."""
    if attribute == "name":
        return span if _CALLED.search(text[max(0, span[0] - 14) : span[0]].lower()) else written_so(text, span)
    if attribute == "home" and _NEAR.search(text[max(0, span[0] - 14) : span[0]].lower()):
        return None
    return in_value(text, span, first=attribute in _BARE)

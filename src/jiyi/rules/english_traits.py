"""What English says of a named thing in a few words: "MGB is the insurer", "Tom from accounting"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jiyi.rules.english_links import SAID_BY, is_subject
from jiyi.rules.english_proper_words import KINDS, UNIT_DOES, UNITS, several
from jiyi.rules.english_relation_words import NOUNS, PEOPLE_NOUNS
from jiyi.rules.english_words import OCCUPATIONS
from jiyi.rules.found import Name, Stretch

_HEADS = frozenset(OCCUPATIONS) | frozenset(KINDS) | frozenset(NOUNS) | several(
    "expert specialist officer captain chief secretary treasurer partner contact landlord neighbour neighbor "
    "substation plant warehouse office branch headquarters capital distributor client customer sponsor host "
    "candidate applicant tenant owner winner chef model server cluster pump part component system service tool "
    "department unit division regulator authority operator carrier bank"
)  # fmt: skip
_IS = re.compile(
    r"(?:\s(?:is|are)|'s)\s(?:(?:now|also|still|currently|actually)\s)*"
    r"(?P<v>(?:the|an?|our|their|his|her|my)\s(?:(?!not\b)[a-z0-9][\w'-]*\s){0,5}?(?P<head>[a-z-]+)"
    r"(?P<more>\s(?:of|for|at|in|behind)\s(?:(?:the|our|my|an?|all)\s)?[a-z-]+(?:\s[a-z-]+)?)?)"
    r"(?=$|[.,;:!?)(\u2014]|\s(?:and|but|who|which|that|because|since|so|when|while|now|too|there|here|from|with)\b)"
)
_BESIDE = re.compile(
    r"(?:,\s|\s\()(?P<v>(?:the|an?|our|their)\s(?:[a-z][\w'-]*\s){0,4}?(?P<head>[a-z-]+)"
    r"(?P<more>\s(?:of|for|at|in)\s(?:(?:the|our|my)\s)?[a-z-]+)?)(?=$|[.,;:!?)])"
)
_FOR = re.compile(
    r"\s(?P<v>for\s(?:the|our|my)\s(?:(?!and\b|or\b)[a-z-]+)(?:\s(?!and\b|or\b|from\b|in\b|on\b|at\b|with\b)[a-z-]+)?)"
    r"(?=$|[.,;:!?)]|\s(?:and|or|but|from|in|on|at|last|this|next|because)\b)"
)
_VAGUE = several("best worst same one great good nice bit lot few first last next only right wrong must way kind sort "
                 "fun real little perfect amazing wonderful new old big small very more most much least")  # fmt: skip
_FROM = re.compile(rf"\sfrom\s(?:the\s)?(?:{UNITS})\b(?!'|-)")
_FROM_ENDS = re.compile(
    rf"$|[.,;:!?)]|\s(?:and|but|who|is|was|has|had|says|said|will|can|works|came|left|got|helped|gave|{UNIT_DOES})\b"
)
_ASKED = re.compile(
    r"\b(?:asked|told|called|emailed|phoned|texted|messaged|contacted|met|thanked|reminded|paid)\s(?:(?:my|our)\s\w+\s)?$"
)
_ASKED_FOR = re.compile(r"\s(?:for|about|to|if|whether|that|on|at|again|today|yesterday|last|this)\b")


def traits(stretch: Stretch, names: Sequence[Name]) -> Iterator[Name]:
    """The names of a stretch with what is said of them."""
    for name in names:
        if not name.user and (one := _trait(stretch, name) or _role(stretch, name)):
            yield one


def _trait(stretch: Stretch, name: Name) -> Name | None:
    low = stretch.low
    if SAID_BY.search(low, stretch.start, name.start):
        return None
    found = _IS.match(low, name.end, stretch.end)
    if found and found["head"] in PEOPLE_NOUNS and found["v"].startswith(("my ", "our ")):
        return None  # a role
    if found and is_subject(stretch, name) and not _VAGUE.intersection(found["v"].split()[1:3]):
        if found["head"] in _HEADS or found["head"].endswith(("er", "or", "ist", "ian", "ant")):
            return name._replace(traits=(("", found.span("v")),), type=name.type or _kind(found["head"]))
        return None
    found = _BESIDE.match(low, name.end, stretch.end)
    if found and found["head"] in _HEADS:
        return name._replace(traits=(("", found.span("v")),), type=name.type or _kind(found["head"]))
    said = stretch.text[name.start : name.end]
    found = _FOR.match(low, name.end, stretch.end)
    if found and any(map(str.isdigit, said)):
        return name._replace(traits=(("", found.span("v")),))
    return None


def _kind(head: str) -> str:
    return KINDS.get(head, "person" if head in OCCUPATIONS else "")


def _role(stretch: Stretch, name: Name) -> Name | None:
    """As in "Tom from accounting": one word is a person's name there."""
    if name.type not in ("", "person") or " " in stretch.low[name.start : name.end] or any(name.role):
        return None
    low, end = stretch.low, stretch.end
    found = _FROM.match(low, name.end, end)
    if found is None:
        return None
    asked = _ASKED_FOR.match(low, found.end(), end) and _ASKED.search(low, stretch.start, name.start)
    if not (asked or _FROM_ENDS.match(low, found.end(), end)):
        return None
    return name._replace(role=(found.start() + 1, found.end()), type="person")

"""Two English names of one thing: "Meridian Grid Authority (MGA)", "also known as", "for short"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jiyi.rules.found import Name, Same, Stretch

_SMALL = frozenset(["of", "and", "the", "for", "in", "de", "&"])
_ALSO = re.compile(
    r"(?:,\s|\s\(|\s[-\u2013\u2014]\s|\s)?(?:(?:who|which)\s(?:is|was)\s|(?:is|was|are|or)\s"
    r"|(?:will|shall)\s(?:now\s|soon\s|from\snow\son\s)?be\s|has\sbeen\s|got\s)?"
    r"(?:(?:(?:also|better|otherwise|formerly|commonly|previously|now|widely|simply|sometimes|usually|often)\s)*"
    r"(?P<sure>known\sas|a\.?k\.?a\.?|nicknamed|referred\sto\sas|abbreviated\s(?:as|to)|shortened\sto|short\sfor|stands\sfor"
    r"|renamed(?:\s(?:to|as))?|n[\u00e9e]e|rebranded\s(?:as|to)|formerly|goes\sby)"
    r"|(?P<called>(?:(?:now|also|simply|sometimes|usually|often)\s)*called))\s(?:simply\s|just\s)?(?:the\s)?[\"'(]?"
)
_OR = re.compile(r"(?:,\s|\s\(|\s)(?:or\s(?:simply\s|just\s)?|called\s)?[\"']?")
_FOR_SHORT = re.compile(r"[\"']?,?\s(?:for short|in short|as an abbreviation)\b")
_BRACKET = re.compile(r"\s?\([\"']?(?:the\s)?")
_CLOSES = re.compile(r"[\"']?\)")
_NAME_IS = re.compile(
    r"'s?\s(?:full|real|birth|given|official|legal|maiden|nick|short|other|middle)?\s?(?:name|nickname|alias|handle)\sis\s"
    r"(?:actually\s|now\s)?[\"']?"
)
_NO = re.compile(r"\b(?:not|never|n't|no longer)\b")


def aliases(stretch: Stretch, names: Sequence[Name]) -> Iterator[Same]:
    """Which names that follow one another are said to be those of one thing."""
    for one, other in zip(names, names[1:], strict=False):
        if other.start - one.end <= 60 and _same(stretch, one, other):
            yield Same(one, other)


def _same(stretch: Stretch, one: Name, other: Name) -> bool:
    low, start, end = stretch.low, one.end, other.start
    if found := _ALSO.fullmatch(low, start, end):
        said = low[start:end]
        if _NO.search(said):
            return False
        if found["called"]:
            return bool(re.match(r"(?:,|\s\(|\s(?:is|was|are|will|shall|has been)\s)", said))
        return "was known" not in said or "also" in said
    if _NAME_IS.fullmatch(low, start, end):
        return True
    if _BRACKET.fullmatch(low, start, end) and _CLOSES.match(low, other.end, stretch.end):
        long, short = stretch.text[one.start : one.end], stretch.text[other.start : other.end]
        return stands_for(short, long) or stands_for(long, short)
    return bool(_OR.fullmatch(low, start, end) and _FOR_SHORT.match(low, other.end, stretch.end))


def stands_for(short: str, long: str) -> bool:
    """Whether a short form is made of the first letters of a name ("MGA")."""
    if not short.isupper() or not 2 <= len(short) <= 8 or " " in short:
        return False
    words = [word for word in re.split(r"[\s-]+", long) if word]
    every = "".join(word[0] for word in words).upper()
    few = "".join(word[0] for word in words if word.lower() not in _SMALL).upper()
    return len(words) > 1 and short.replace("&", "") in (every.replace("&", ""), few.replace("&", ""))

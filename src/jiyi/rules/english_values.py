"""What an English verb says of its subject: an attribute, and where in the words behind it the value stands."""

from __future__ import annotations

import re
from typing import NamedTuple

from jiyi.rules.found import Clause, Found


class Verb(NamedTuple):
    """One reading of a verb.

    Attributes:
        attribute: what it says.
        pattern: what stands behind the verb, up to the value or, in a group ``v``, the value itself.
        negative: attribute of the negated statement, where it is another one; ``diet`` stays negated.
        lists: the value may have "and" in it.
        begins: it holds from the time named.
        stops: it says by itself that something is over: what it says is no longer so.
        more: further readings may hold beside it.
        mine: of the user only.
        importance: None for that of the attribute.
    """

    attribute: str
    pattern: re.Pattern[str]
    negative: str = ""
    lists: bool = False
    begins: bool = False
    stops: bool = False
    more: bool = False
    mine: bool = False
    importance: float | None = None


def behind(pattern: str) -> re.Pattern[str]:
    """What stands behind a verb, after a blank."""
    return re.compile(r"\s+" + pattern)


_STOP = (
    r"[,;:!?()\n]|\.(?=\s|$)|\s(?:because|since|so|which|who|that|when|while|if|though|although|but"
    r"|until|till|instead|due to|right"
    r"|now|nowadays|anymore|any more|any longer|too|either|as well|very much|a lot|at all|at the "
    r"moment|at home|these days|for now|"
    r"again|already|last|this|next|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:19|20)\d\d"
    r"|yesterday|today|tomorrow|lately|"
    r"recently|in case|after|before|from now on|please|for (?:\w+ ){1,3}(?:years?|months?|weeks?"
    r"|days?)|\w+ (?:years?|months?|weeks?|days?) ago)\b"
)
_END = re.compile(_STOP + r"|$")
_END_AND = re.compile(_STOP + r"|\s(?:and|or|as|with)\b|$")
_ARTICLE = re.compile(r"(?:an?|the|my|our|some|any|all|eating|drinking|having|both|being) (?=\S)", re.IGNORECASE)


def cut(clause: Clause, start: int, *, lists: bool = False, end: int | None = None) -> str:
    """The value that begins at ``start``: up to where something else begins, without an article."""
    stop = clause.end if end is None else end
    found = (_END if lists else _END_AND).search(clause.low, start, stop)
    said = clause.said(start, min(found.start(), stop) if found else stop)
    for _ in range(2):
        article = _ARTICLE.match(said)
        said = said[article.end() :] if article else said
    return said[:120].strip(" .,\"'")


_WHOLE = frozenset(["task", "plan", "goal", "decision", "appointment", "habit", "deadline", "owns"])


def value_of(verb: Verb, clause: Clause, at: int, who: str) -> Found | None:
    """What a verb says here; None where the words behind it are others."""
    if verb.mine and who != "user":
        return None
    found = verb.pattern.match(clause.low, at, clause.end)
    if found is None:
        return None
    group = next((name for name in ("v", "w") if name in verb.pattern.groupindex and found[name] is not None), "")
    start, end = found.span(group) if group else (found.end(), clause.end)
    value = cut(clause, start, lists=verb.lists or verb.attribute in _WHOLE, end=end)
    if not value and verb.attribute != "habit":
        return None
    return Found(verb.attribute, value, who, ends=verb.stops, importance=verb.importance, begins=verb.begins)

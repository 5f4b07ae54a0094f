"""In which direction a sentence states a relation between two names, and whether it states it at all.  Pure.

A model mixes up who did what to whom; the words between and beside two names tell.  Tables of words, no grammar: what
they do not tell stays as the model has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from jiyi.relation_types import RELATIONS
from jiyi.text import flat, terms

_GAP = flat("…")
"""Where the other name stands within the words for a relation, 在…工作; as ``flat`` writes it."""
_BY = re.compile(r"\bby (?:the |an? )?$|[被由让遭]$")
_OWNED = re.compile(r"^(?:\s?(?:project|app|team|系统|项目|团队|公司|应用))?(?:['’]s?\s+|\s*的)")
_PRONOUN_OWNED = re.compile(r"^\s*的?\s*")
_OF = r"(?: \w+)? of (?:the |an? |my |our )?$"


def turned(relation: str, between: str, after: str = "", before: str = "", *, mine: bool = False) -> bool | None:
    """Whether a sentence that has two names states a relation from the second to the first one.

    Args:
        relation: a name of ``relation_types.RELATIONS``.
        between: the words between the names.
        after, before: the words of the sentence behind the second and before the first one.
        mine: the second name is a word such as "my" and 我.

    Returns:
        None where the words do not tell.
    """
    between, after, before = _flat(between), _flat(after), _flat(before)
    passive = bool(_BY.search(between))
    owned = _PRONOUN_OWNED.match(after) if mine else _OWNED.match(after)
    if owned is not None and (found := _longest(relation, after[owned.end() : owned.end() + 40], "", at_start=True)):
        return found[1] == 0  # "A is B's boss" reads: B, boss, A
    if found := _longest(relation, between, after):
        phrase, reverse = found
        if _is_noun_of(phrase, between):  # "A is the author of B" reads: B, author, A
            return not reverse
        if passive and not reverse and not phrase.endswith((" by", _GAP)) and _GAP not in phrase:
            return True
        return bool(reverse)
    for phrase, reverse in _phrases(relation):
        if re.search(rf"\b{re.escape(phrase)}{_OF}", before) and re.search(r"\b(?:is|was|are|were)\b", between):
            return bool(reverse)
    if passive and (found := _longest(relation, after, "")):
        return not found[1]
    return None


def says(relation: str, sentence: str) -> bool:
    """Whether a sentence has words of a relation: of a known one any, of another all of its own."""
    low = flat(sentence)
    if relation not in RELATIONS:
        return _stands(flat(relation), low) or _has_stems(relation, low)
    return any(_stands(phrase, low) or _has_stems(phrase, low) for phrase, _ in _phrases(relation))


@cache
def _phrases(relation: str) -> tuple[tuple[str, int], ...]:
    """The ways to call a relation, the longest first; 1 for those in which head and tail stand the other way round."""
    known = RELATIONS.get(relation)
    if known is None:
        return ((flat(relation), 0),) if flat(relation) else ()
    forward = {flat(one.replace("_", " ")) for one in (*known.words, known.en, known.zh, known.name)}
    reverse = {flat(one) for one in known.reverse} - forward
    found = [(one, 0) for one in forward] + [(one, 1) for one in reverse]
    return tuple(sorted(found, key=lambda one: (-len(one[0]), one)))


def _longest(relation: str, between: str, after: str, *, at_start: bool = False) -> tuple[str, int] | None:
    for phrase, reverse in _phrases(relation):
        first, gap, last = phrase.partition(_GAP)
        if not gap:
            if _stands(phrase, between, at_start=at_start):
                return phrase, reverse
        elif not at_start and _gapped(first, last, between, after):
            return phrase, reverse
    return None


def _gapped(first: str, last: str, between: str, after: str) -> bool:
    """Whether the two parts of "被…收购" stand around a name."""
    if first and not _stands(first, between):
        return False
    if not last:
        return bool(first)
    rest = between.partition(first)[2] if first else between
    return _stands(last, after[:40]) or (not first and _stands(last, rest))


def _stands(phrase: str, text: str, *, at_start: bool = False) -> bool:
    if _GAP in phrase:
        return _in_order([part for part in phrase.split(_GAP) if part], text)
    if not phrase:
        return False
    if not phrase.isascii():
        return text.startswith(phrase) if at_start else phrase in text
    found = re.search(rf"(?<![a-z0-9]){re.escape(phrase)}(?![a-z0-9])", text)
    return found is not None and (not at_start or len(text[: found.start()].split()) <= 2)


def _in_order(parts: Sequence[str], text: str) -> bool:
    """Whether parts stand in a text, one behind the other."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return bool(parts)


def _has_stems(phrase: str, low: str) -> bool:
    """Whether all words of a phrase that tell something stand in a text in any form."""
    wanted = {word for word in terms(phrase) if word.isascii()}
    wanted -= _STOPS
    return bool(wanted) and phrase.isascii() and wanted <= terms(low).keys()


_STOPS = frozenset(("is", "has", "in", "of", "by", "to", "for", "with", "at", "on", "the", "a", "from", "as"))


def _is_noun_of(phrase: str, between: str) -> bool:
    if phrase.endswith((" of", " in", " to", " by", " for")) or not phrase.isascii():
        return False
    return bool(re.search(rf"\b(?:the|an?|as|,)? ?\b{re.escape(phrase)}{_OF}", between))


def _flat(text: str) -> str:
    """As ``flat``, with a blank at an end that has one."""
    low = flat(text)
    left = " " if text[:1].isspace() else ""
    return f"{left}{low}{' ' if text[-1:].isspace() and low else ''}"

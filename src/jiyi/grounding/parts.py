"""Sentences and clauses of a text."""

from __future__ import annotations

import re

from jiyi.grounding.plain import HAN
from jiyi.passages import sentence_ends

_CLAUSE = re.compile(
    r"[,;:，、；：—]+(?!\d)|\s-\s|[()（）]"
    r"|\b(?:but|however|instead|because|since|although|though|while|whereas|when|if|unless|which|who"
    r"|and (?=(?:i|you|he|she|it|we|they|my|his|her|our|their|the|then|now)\b)|so (?=(?:i|he|she|we|they)\b))\b"
    r"|但是|但(?!愿)|不过(?=[我他她你它咱])|而是|而且|然而|可是|却|因为|所以|如果|虽然|只是|就是说",
    re.IGNORECASE,
)
_EDGE = re.compile(rf"[\w{HAN}]")


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a text, in order, without white space around them; a line is at least one."""
    return _trimmed(text, [0, *sentence_ends(text, 0, len(text))])


def clauses(text: str) -> list[tuple[int, int]]:
    """The spans of the clauses: sentences, parted at their pauses and at words such as "but" and 因为."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text):
        cuts = [start]
        for mark in _CLAUSE.finditer(text, start, end):
            cuts.append(mark.start() if mark[0][0].isalpha() else mark.end())
        found += _trimmed(text, [*cuts, end])
    return [(start, end) for start, end in found if _EDGE.search(text, start, end)]


def _trimmed(text: str, cuts: list[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        part = text[start:end]
        begin = start + len(part) - len(part.lstrip())
        stop = end - len(part) + len(part.rstrip())
        if begin < stop:
            spans.append((begin, stop))
    return spans

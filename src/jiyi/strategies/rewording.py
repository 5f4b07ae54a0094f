"""Whether a model's own words may stand for what a user said, in facts and notes.  Pure.

Beside values and negations, which ``grounding`` compares: what a text tells must be told in the words it rests on, of
the same person, and neither turned round nor made certain.
"""

from __future__ import annotations

import re

from jiyi.rules import somebody_else, tells_of_others
from jiyi.text import flat, terms

_EMPTY = frozenset(
    term
    for line in (
        "user assistant person people someone he she him her his they them their it its i me my mine we us our you",
        "is am are was were be been being has have had having do does did will would shall should can could may might",
        "must live lives living lived work works working worked name named called call like likes love loves enjoy",
        "hate hates dislike dislikes prefer prefers want wants need needs plan plans got get gets now currently also",
        "very a an the this that and or but of in on at for with to from by as about not no never anymore longer your",
    )
    for word in line.split()
    for term in (word, *terms(word))
)
_EMPTY_HAN = frozenset(
    "我你他她它们的了在是有和与就都也吗呢吧啊个要把被给让会能可说用户助手想请这那很住喜欢讨厌叫做不没别为对每"
)
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile(r"[a-z\u00c0-\u024f]+(?:'[a-z]+)?")
_STEM = 4  # letters that two forms of a word have in common at least: allergic, allergy
_LIKED = re.compile(r"\b(?:like[sd]?|loves?|enjoy\w*|fond|favou?rite|prefers?)\b|喜欢|爱|最爱|偏好")
_DISLIKED = re.compile(
    r"\b(?:hate[sd]?|dislike[sd]?|can't stand|cannot stand|detest\w*|loathe\w*|avoid\w*)\b|讨厌|受不了|反感|厌恶"
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|maybe|perhaps|might|would|could|wish|suppose|imagine|pretend)\b"
    r"|如果|要是|假如|假设|万一|可能|也许|或许|说不定|除非|要不是|但愿"
)


def reworded(derived: str, source: str) -> bool:
    """Whether a text says what its source says: more than half of its words are there, about the same person, liked or
    not as there, and what is supposed there is not certain here.

    Args:
        derived: the text.
        source: the sentences or clauses that it rests on.
    """
    low, said = flat(derived), flat(source)
    if low in said:
        return True
    words = _words(low)
    there = _words(said)
    lost = sum(not _is_in(word, there) for word in words)
    if lost and 2 * lost >= len(words):
        return False
    for one, other in ((_LIKED, _DISLIKED), (_DISLIKED, _LIKED)):
        if one.search(low) and other.search(said) and not one.search(said):
            return False
    return not (_SUPPOSED.search(said) and not _SUPPOSED.search(low))


def another(derived: str, clause: str) -> str:
    """Whom the clause is about and the text is not: a relation or pronoun; "" when both are about the same."""
    who = somebody_else(flat(clause))
    if not who:
        return ""
    first = derived.strip()[:2] if _HAN.match(derived.strip()) else derived.strip().split(" ")[0].split("'")[0]
    named = first in clause and (first[:1].isupper() or f"{who}{first}" in clause)
    return "" if named or tells_of_others(flat(derived)) else who


def _words(low: str) -> set[str]:
    latin = {word for word in _LATIN.findall(low) if word not in _EMPTY and len(word) > 1}
    return latin | (set(_HAN.findall(low)) - _EMPTY_HAN)


def _is_in(word: str, there: set[str]) -> bool:
    return word in there or (len(word) >= _STEM and any(other[:_STEM] == word[:_STEM] for other in there))

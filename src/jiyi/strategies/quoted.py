"""What both gates ask of a quote: whether it states something, what stands around it, whether it speaks of an end."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jiyi.grounding import sentences
from jiyi.rules import stated
from jiyi.text import flat
from jiyi.types import Message

_STATED = 0.5  # of the quote must be in clauses that state something
_ENDING = re.compile(
    r"\b(?:not?|never|nor|without|cannot|[a-z]+n't|dont|stop\w*|quit\w*|left|leav\w*|sell\w*|sold|gave|giv\w+|gone"
    r"|lost|lose|die[sd]?|dead|passed|forget\w*|cancel\w*|former\w*|ex|used to|over|broke\w*|end\w*|finish\w*|mov\w+"
    r"|chang\w+|switch\w*|swap\w*|instead|divorc\w*|retire\w*|fired|laid off|resign\w*|drop\w*|skip\w*|delet\w*"
    r"|remov\w*|ignor\w*|disregard|wrong|mistake\w*|cured|recover\w*|until|was|were|had|split|replac\w*|done"
    r"|complet\w*|graduat\w*)\b"
    r"|[不没沒無无别別辞辭离離卖賣忘戒停换換改搬退删刪错錯丢丟死扔断斷毕畢完]|取消|分手|以前|曾|过去|過去|原来|之前|结束|結束|去世|送人|再也|已经|已經"
)
"""A word of these speaks of an end, or of a change."""


def is_stated(message: Message, start: int, end: int) -> bool:
    """Whether the characters [start, end) state something: no question, condition or text that is quoted."""
    inside = sum(max(0, min(end, upto) - max(start, begin)) for begin, upto in stated(message))
    return inside >= _STATED * (end - start)


def around(
    text: str, start: int, end: int, parts: Callable[[str], Sequence[tuple[int, int]]] = sentences
) -> tuple[int, int]:
    """The sentences, or other parts, that a quote stands in."""
    spans = [span for span in parts(text) if span[0] < end and span[1] > start]
    return (min(start, spans[0][0]), max(end, spans[-1][1])) if spans else (start, end)


def speaks_of_end(text: str) -> bool:
    """Whether any word of a text speaks of an end, or of a change."""
    return _ENDING.search(flat(text)) is not None

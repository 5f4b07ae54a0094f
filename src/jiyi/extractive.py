"""A short text made of another one's own sentences: what matters most, each thing once.  Pure, and linear in the text.

What a model would write is shorter and reads better; this states nothing that was not said, and costs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from jiyi.history import is_system
from jiyi.importance import SMALL_TALK, importance
from jiyi.passages import MARK, sentence_ends
from jiyi.text import cut_point, language, terms
from jiyi.tokens import Estimate
from jiyi.types import Message, Role

LONGEST = 400
"""Characters of a sentence, at most: what is longer, a table or a log, is no sentence that says something by itself."""

_READ = 8_000  # characters that are looked at, of a message: the first ones and a quarter of it from its end
_MOST = 400  # sentences among which are chosen
_COMMON = 0.2  # what a sentence gains by words that others have too
_SAME = 0.8  # of a sentence's terms stand in one that is there already: it says nothing new
_SPEAKERS = {
    "en": {"user": "user: ", "assistant": "assistant: ", "tool": "tool: "},
    "zh": {"user": "用户：", "assistant": "助手：", "tool": "工具："},
}
_ROLES: Mapping[str, Role] = {
    prefix: role
    for speakers in _SPEAKERS.values()
    for role, prefix in speakers.items()  # type: ignore[misc]
}
_CLAUSE = re.compile(r"[。！？；!?;]|[，、,.:：](?!\d)")
_BREAK = re.compile(r"[\s。！？；，、]")
_DENIES = re.compile(r"n't$|^(?:no|not|never|without|cannot|none)$|[不没别无未非勿]")
_TELLS = re.compile(rf"\d|{_DENIES.pattern}")
_PAUSES = " ,，、:：;；"
_COUNT = Estimate()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and what it is worth.

    Attributes:
        before: who said it, in front of it.
        score: 0..1, how much it matters.
    """

    text: str
    score: float
    before: str = ""

    @property
    def line(self) -> str:
        return self.before + self.text


def extract(messages: Sequence[Message], tokens: int) -> str:
    """What was said, in its most important sentences: a line each, with its speaker, in order; "" for small talk alone.

    Args:
        messages: in order; instructions among them are passed over.
        tokens: of the whole, by ``tokens.Estimate``, about.
    """
    spoken = language("\n".join(message.text[:_READ] for message in messages if message.role == "user"))
    found: list[Sentence] = []
    for message in messages:
        if not is_system(message):
            who = message.name and f"{message.name}{'：' if spoken == 'zh' else ': '}"
            before = who or _SPEAKERS[spoken].get(message.role, "")
            found += [_weighed(text, message.role, before) for text in _parts(message.text)]
    return "\n".join(found[at].line for at in chosen(found, tokens))


def extract_again(texts: Iterable[str], tokens: int) -> str:
    """The most important sentences of summaries, in order, a line each."""
    found: list[Sentence] = []
    for text in texts:
        for line in text.splitlines():
            before = next((prefix for prefix in _ROLES if line.startswith(prefix)), "")
            role = _ROLES.get(before, "user")
            found += [_weighed(part, role, before) for part in _parts(line.removeprefix(before))]
    return "\n".join(found[at].line for at in chosen(found, tokens))


def chosen(
    found: Sequence[Sentence], tokens: int, count: Callable[[str], int] = _COUNT.count, *, least: float = SMALL_TALK
) -> list[int]:
    """Places of the sentences that come in, in order: always the best of what is left that still says something new.

    Args:
        tokens: of their lines, at most.
        count: tokens of a line.
        least: those with this score, or less, stay out.
    """
    found = found[:_MOST]
    said = [frozenset(terms(sentence.text)) for sentence in found]
    worth = _worth(found, said)
    best = sorted((at for at in range(len(found)) if found[at].score > least), key=lambda at: (-worth[at], at))
    taken: list[int] = []
    for at in best:
        if _is_new(said[at], [said[other] for other in taken]):
            size = count(found[at].line + "\n")
            if size <= tokens:
                tokens -= size
                taken.append(at)
    return sorted(taken)


def parted(text: str) -> list[str]:
    """The sentences of a text, in order; a line is at least one."""
    found: list[str] = []
    for line in text.splitlines():
        ends = [0, *sentence_ends(line, 0, len(line))]
        found += (line[start:end].strip() for start, end in pairwise(ends))
    return [part for part in found if part]


def clipped(text: str, length: int) -> str:
    """A text of at most ``length`` characters: cut behind a clause where there is one, never within a word or number,
    with a mark where it was cut; "" where nothing would be left.
    """
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    mark = f" {MARK}"
    room = length - len(mark)
    ends = [found.end() for found in _CLAUSE.finditer(text, 0, max(0, room) + 1) if found.end() <= room]
    at = ends[-1] if ends and ends[-1] * 2 >= room else _between(text, room)
    return f"{text[:at].rstrip(_PAUSES)}{mark}" if text[: max(0, at)].strip() else ""


def both_ends(text: str, length: int) -> str:
    """A text on one line; of one that is longer than about ``length`` characters the beginning and a quarter of that
    from its end, neither cut within a word or number.
    """
    long = len(text) > 4 * length
    if long:
        text = f"{_whole(text[: 2 * length])} {text[-length:]}"
    text = " ".join(text.split())
    if len(text) <= length and not long:
        return text
    end = _BREAK.search(text, len(text) - length // 4)
    return f"{clipped(text, length * 3 // 4)} {text[end.end() :] if end else ''}".rstrip()


def _whole(text: str) -> str:
    """A text without what follows its last space or mark."""
    ends = [found.start() for found in _BREAK.finditer(text)]
    return text[: ends[-1]] if ends else ""


def _between(text: str, upto: int) -> int:
    """The last place up to here that parts no word, number or character; Han text may be parted anywhere else."""
    for at in range(min(upto, len(text)), 0, -1):
        left, right = text[at - 1], text[at]
        inside = left.isascii() and right.isascii() and not left.isspace() and not right.isspace()
        digits = left.isnumeric() and (right.isnumeric() or right.isalpha())  # 500 and 元 stay together
        if not inside and not digits and not _numeral(left, right) and cut_point(text, at) == at:
            return at
    return 0


def _numeral(left: str, right: str) -> bool:
    return (
        left in "零一二两三四五六七八九十百千万亿半几" and right in "零一二两三四五六七八九十百千万亿点元块岁年月日号个"
    )


def _parts(text: str) -> list[str]:
    """The sentences of a text that are not too long."""
    parts = parted(text[:_READ])
    if len(text) > _READ:  # without the sentences that are cut: they may begin or end within a number
        parts = parts[:-1] + parted(text[-_READ // 4 :])[1:]
    return [part for part in (" ".join(one.split()) for one in parts) if len(part) <= LONGEST]


def _weighed(text: str, role: Role, before: str) -> Sentence:
    return Sentence(text, importance(Message("", "", role, text)).score, before)


def _worth(found: Sequence[Sentence], said: Sequence[frozenset[str]]) -> list[float]:
    """What each is worth: how much it matters, and a little for words that the others come back to."""
    often = Counter(term for words in said for term in words)
    others = max(1, len(found) - 1)
    shared = [sum(often[term] - 1 for term in words) / (others * max(1, len(words))) for words in said]
    return [sentence.score + _COMMON * common for sentence, common in zip(found, shared, strict=True)]


def _is_new(words: frozenset[str], there: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence says what none of the others does; another number is something new, and so is a "not"."""
    for other in there:
        fresh = words - other
        tells = any(map(_TELLS.search, fresh)) or any(map(_DENIES.search, other - words))
        if len(fresh) <= (1 - _SAME) * len(words) and not tells:
            return False
    return True

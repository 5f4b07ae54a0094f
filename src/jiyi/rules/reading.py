"""From a message to candidates: its own words, sentence by sentence, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.attributes import ATTRIBUTES
from jiyi.candidates import Candidate
from jiyi.importance import WEIGHTS, signals
from jiyi.periods import plain
from jiyi.rules.chinese import chinese
from jiyi.rules.clauses import Sentence, clauses, requests, sentences
from jiyi.rules.dates import Times, dated
from jiyi.rules.english import english
from jiyi.rules.found import Clause, Found, Talk
from jiyi.rules.own import BLANK, own_words
from jiyi.types import Message

READ = 8_000
"""Characters of a message that are looked at, half of them at its end: what is longer was hardly typed by hand."""

_LONGEST = 400  # characters of a statement; a longer sentence is no plain statement
_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]")
_SELF = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|we|we're|we've|us|our|ours)\b|[我咱俺]")
_KEPT = frozenset(
    [
        "remember",
        "prohibition",
        "commitment",
        "preference",
        "identity",
        "amount",
        "date",
        "id",
        "name",
        "number",
        "negation",
        "life",
    ]
)
_FIRM = frozenset(["prohibition", "identity", "amount", "date", "id", "name", "number"])
_YOU = re.compile(r"\byou\b|[你您]")
_ADDRESSED = re.compile(
    r"^(?:you|your|thanks|thank you|that's|this is|it's|great|good|nice|yes|no|ok|sure|sorry)\b|^(?:你"
    r"|您|谢|好的|是的|没错|对的|嗯)"
)
_SPEAKS = re.compile(
    r"^我(?:觉得|想问|想知道|认为|也觉得|明白|知道|理解|同意|会(?:试|努力|尽|考虑|好好|继续|加油)"
    r"|试试)|^i (?:think|see|understand|agree|guess|believe|wonder|was wondering|feel|know|appreciate"
    r"|hope|will try)\b"
)


def candidates(message: Message) -> list[Candidate]:
    """What a message of the user surely states about them and their affairs, in order.

    Messages of others give none.  Questions, conditions, doubts, requests, quotes, code, pasted and made-up texts are
    left out.  A statement that fits no attribute is kept as it was said where it has a number, name, date, preference,
    possession or negation in it.
    """
    if message.role != "user" and message.kind != "statement":
        return []
    text = message.text
    if len(text) > READ:  # offsets stay those of the whole text
        gap = len(text) - READ
        text = text[: READ // 2] + "\n" * gap + text[-READ // 2 :]
    if not text.strip():
        return []
    low = own_words(plain(text))
    found: list[Candidate] = []
    talk = Talk()
    for sentence in sentences(low):
        if sentence.end - sentence.start <= _LONGEST:
            found += _of(message, text, low, sentence, talk)
    return found


def _of(message: Message, text: str, low: str, sentence: Sentence, talk: Talk) -> Iterator[Candidate]:
    stated = clauses(text, low, sentence)
    if not stated:
        return
    talk.about = ""
    read = [(clause, _read(clause, talk)) for clause in stated]
    parts = [(clause, found) for clause, found in read if found]
    if not parts:
        yield from _plain_statements(message, text, low, sentence, stated)
        return
    whole = not sentence.asks and stated[-1].end == sentence.end
    for place, (clause, found) in enumerate(parts):
        start = stated[0].start if place == 0 else clause.start
        end = parts[place + 1][0].start if place + 1 < len(parts) else (sentence.end if whole else stated[-1].end)
        end = _trimmed(low, start, max(end, clause.end))
        yield from _made(message, text, start, end, found)


def _read(clause: Clause, talk: Talk) -> list[Found]:
    low = clause.low[clause.start : clause.end]
    found: list[Found] = []
    if not low.isascii() and _HAN.search(low):
        found += chinese(clause, talk)
    if _LATIN.search(low):
        found += english(clause, talk)
    seen: dict[tuple[str, str, str, bool], Found] = {}
    for one in found:
        if BLANK not in one.value:
            seen.setdefault((one.subject, one.attribute, one.value, one.ends), one)
    return list(seen.values())


_JOINS = re.compile(
    r"[\s,，;；:：、]*(?:(?:and|but|so|because|since|also|then)\s+|(?:而且|但是?|所以|因为|然后|并且"
    r"|不过))?[\s,，;；:：、(（]*$"
)


def _trimmed(low: str, start: int, end: int) -> int:
    """The end without a comma or an "and" that only leads on."""
    found = _JOINS.search(low, max(start, end - 14), end)
    return found.start() if found and found.start() > start else end


def _made(message: Message, text: str, start: int, end: int, found: list[Found]) -> Iterator[Candidate]:
    said, times = dated(text, start, end, message.created_at)
    for one in found:
        if one.attribute == "birthday" and not one.value and times.event_from:
            one = one._replace(value=f"{times.event_from:%m-%d}")
        known = ATTRIBUTES.get(one.attribute)
        importance = one.importance if one.importance is not None else known.importance if known else 0.5
        yield _candidate(message, (start, end), said, one, times, importance)


def _candidate(
    message: Message, span: tuple[int, int], said: str, one: Found, times: Times, importance: float
) -> Candidate:
    since = times.since or (times.event_from if one.begins else None)
    return Candidate(
        message, *span, said, one.subject, one.attribute, one.value, one.negated, one.ends, importance,
        None if since else times.event_from, None if since else times.event_to, valid_from=since,
    )  # fmt: skip


def _plain_statements(
    message: Message, text: str, low: str, sentence: Sentence, stated: list[Clause]
) -> Iterator[Candidate]:
    """A statement that fits no other attribute, as it was said; a part for each date that it names."""
    start, end = stated[0].start, stated[-1].end
    end = _trimmed(low, start, end)
    piece = low[start:end]
    if BLANK in piece or end - start < 6 or requests(low, sentence.start, sentence.end):
        return
    mine = bool(_SELF.search(piece))
    if (not mine and _ADDRESSED.match(piece)) or _SPEAKS.match(piece) or _YOU.search(piece):
        return
    kinds = signals(text[start:end])
    if not kinds & (_KEPT if mine else _FIRM) and not (mine and len(message.text) < 300):
        return
    missing = 1.0
    for kind in kinds:
        missing *= 1 - WEIGHTS.get(kind, 0.0)
    importance = max(0.15, min(0.5 if mine else 0.35, 1 - missing))
    said, times = dated(text, start, end, message.created_at)
    kind = _happens(message, times) if mine else ""
    yield _candidate(message, (start, end), said, Found(kind), times, importance)
    for clause in stated[1:]:
        other, more = dated(text, clause.start, clause.end, message.created_at)
        if more.event_from and more.event_from != times.event_from:
            one = Found(_happens(message, more) if mine else "")
            yield _candidate(message, (clause.start, clause.end), other, one, more, importance)


def _happens(message: Message, times: Times) -> str:
    """Whether a statement tells of what was or of what will be."""
    if times.event_from is None or times.event_to is None or message.created_at is None:
        return ""
    return "event" if times.event_to <= message.created_at else "plan" if times.event_from > message.created_at else ""

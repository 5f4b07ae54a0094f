"""From a message to candidates: its own words, sentence by sentence, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jiyi.attributes import ATTRIBUTES
from jiyi.candidates import Candidate
from jiyi.importance import WEIGHTS, signals
from jiyi.periods import Period, plain
from jiyi.rules.chinese import chinese
from jiyi.rules.clauses import Sentence, clauses, requests, sentences
from jiyi.rules.corrected import corrected
from jiyi.rules.dates import Times, dated, named, past
from jiyi.rules.english import english
from jiyi.rules.found import Clause, Found, Talk
from jiyi.rules.own import BLANK, own_words
from jiyi.types import Message

READ = 8_000
"""Characters of a message that are looked at, half of them at its end: what is longer was hardly typed by hand."""

LONGEST = 400
"""Characters of a statement; a longer sentence is no plain statement."""

_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]")
_SELF = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|we|we're|we've|us|our|ours)\b|[我咱俺]")
_OWN = re.compile(r"\b(?:i|i'm|i've|i'll|my|mine|we|we're|we've|our|ours)\b|[我咱俺]")
_THINGS = re.compile(
    r"(?:the|our|somebody|someone|there|an?|his|her|their|dad|mom|mum|grandma|grandpa)\b|[\u4e00-\u9fff《]"
)
_TYPED = 300  # characters of a message in which also statements about things count: a longer one may be a text
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
    r"(?:you|your|thanks|thank you|that|that's|this|it|it's|great|good|nice|yes|no|ok|sure"
    r"|sorry|sounds|wow|the weather)"
    r"|[你您谢这那真太好哈哦嗯唉哇]|是的|没错|对的|听起来|看起来|确实|原来|早上好|晚上好|下午好|晚安|再见|加油"
)
_SPEAKS = re.compile(
    r"^我(?:觉得|想问|想知道|认为|也觉得|明白|知道|理解|同意|会(?:试|努力|尽|考虑|好好|继续|加油)"
    r"|试试)|^i (?:think|see|understand|agree|guess|believe|wonder|was wondering|feel|know|appreciate"
    r"|hope|will try)\b|^i'm (?:ready|off|out of|so glad|glad)\b"
)


def candidates(message: Message) -> list[Candidate]:
    """What a message of the user surely states about them and their affairs, in order.

    Messages of others give none.  Questions, conditions, doubts, requests, quotes, code, pasted and made-up texts are
    left out.  A statement that fits no attribute is kept as it was said where it has a number, name, date, preference,
    possession or negation in it.
    """
    if message.role != "user":
        return []
    text = message.text
    if len(text) <= READ:
        return _read_all(message, text)[0]
    found, more = _read_all(message, text[: READ // 2])
    if not more:  # it broke off within a quote, code or a pasted text
        return found
    after = len(text) - READ // 2
    last, _ = _read_all(message, text[after:])
    return found + [replace(one, start=one.start + after, end=one.end + after) for one in last]


def _read_all(message: Message, text: str) -> tuple[list[Candidate], bool]:
    """What a text states, and whether it ends in words of the user's own."""
    if not text.strip():
        return [], True
    low = own_words(plain(text))
    found: list[Candidate] = []
    talk = Talk()
    for sentence in sentences(low):
        if sentence.end - sentence.start <= LONGEST:
            found += _of(message, text, low, sentence, talk)
    return found, not low.endswith(BLANK)


def stated(message: Message) -> list[tuple[int, int]]:
    """The characters [start, end) of the clauses that state something: as ``candidates``, whatever they are about."""
    text = message.text
    if len(text) <= READ:
        return _stated(text)
    after = len(text) - READ // 2
    return _stated(text[: READ // 2]) + [(start + after, end + after) for start, end in _stated(text[after:])]


def borrowed(message: Message, start: int, end: int) -> bool:
    """Whether the characters [start, end) are not the user's own words: quoted, pasted, played, code; or too far in the
    middle of a very long message to tell.
    """
    text, after = message.text, 0
    if len(text) > READ:
        half = READ // 2
        after = 0 if end <= half else len(text) - half
        text = text[after : after + half]
    inside = own_words(plain(text))[max(0, start - after) : max(0, end - after)] if text.strip() else ""
    return start < after or not inside or BLANK in inside


def _stated(text: str) -> list[tuple[int, int]]:
    low = own_words(plain(text)) if text.strip() else ""
    return [
        (clause.start, clause.end)
        for sentence in sentences(low)
        for clause in clauses(text, low, sentence)
        if BLANK not in low[clause.start : clause.end]
    ]


def _of(message: Message, text: str, low: str, sentence: Sentence, talk: Talk) -> Iterator[Candidate]:
    stated = clauses(text, low, sentence)
    if not stated:
        return
    talk.about = ""
    there = named(text, stated[0].start, stated[-1].end, message.created_at)
    begin, upto = stated[0].start, stated[-1].end
    if not sentence.asks and (right := list(corrected(text, low, begin, upto))):
        yield from _made(message, there, stated[0], (begin, _trimmed(low, begin, upto)), right)
        return
    read = [(clause, _read(clause, talk)) for clause in stated]
    if requests(low, sentence.start, sentence.end):
        read = [(clause, [one for one in found if one.attribute in _IN_REQUESTS]) for clause, found in read]
    if not any(found for _, found in read):
        yield from _plain_statements(message, there, sentence, stated)
        return
    parts = [
        (clause, [*found, *_still_so(clause, found, read)] or _dated_only(message, clause, there))
        for clause, found in read
    ]
    parts = [(clause, found) for clause, found in parts if found]
    whole = not sentence.asks and stated[-1].end == sentence.end
    for place, (clause, found) in enumerate(parts):
        start = stated[0].start if place == 0 else clause.start
        end = parts[place + 1][0].start if place + 1 < len(parts) else (sentence.end if whole else stated[-1].end)
        end = _trimmed(low, start, max(end, clause.end))
        yield from _made(message, there, clause, (start, end), found)


_IN_REQUESTS = frozenset(["name", "allergy", "diet", "budget", "rule", "task", "deadline", "age", "school", "home"])
"""What may stand in a request: "find me a hotel for at most 200 euros"; that a meeting does, makes it nobody's."""
_INTO_MOUTH = re.compile(r"\b(?:eat|drink|eating|drinking)\b|[吃喝]")


def _still_so(clause: Clause, found: list[Found], read: list[tuple[Clause, list[Found]]]) -> Iterator[Found]:
    """What follows from an end that nothing replaces: who stopped eating meat does not eat it."""
    for one in found:
        if not one.ends or one.attribute not in ("habit", "diet", "likes") or not one.value:
            continue
        if any(other.attribute == one.attribute and not other.ends for _, others in read for other in others):
            continue
        if one.attribute == "likes":
            yield Found("dislikes", one.value, one.subject)
        else:
            eaten = _INTO_MOUTH.search(clause.low, clause.start, clause.end)
            if one.attribute == "diet" and not eaten:
                continue  # who is no longer a vegetarian eats this or that
            yield Found("diet" if eaten else "habit", one.value, one.subject, negated=True, begins=True)


def _dated_only(message: Message, clause: Clause, there: list[Period]) -> list[Found]:
    """A clause between others that tells of something of the user's on a day."""
    if not there or not _SELF.search(clause.low, clause.start, clause.end):
        return []
    said, times = dated(clause.text, clause.start, clause.end, there)
    kind = _happens(message, times, said)
    return [Found(kind)] if kind else []


_ONCE = frozenset(["appointment", "deadline", "task", "plan", "rule", "decision", "amount", "identifier", "budget"])
"""A clause says one of them, however many rules see it."""


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
            one = _the_users(one, low)
            value = "" if one.attribute in _ONCE else one.value
            seen.setdefault((one.subject, one.attribute, value, one.ends), one)
    return list(seen.values())


_THEIRS = re.compile(r"\b(?:he|she|her|his|him|they|them|their|hers)\b|[他她]")


def _the_users(found: Found, low: str) -> Found:
    """A sum, a task or a rule is that of the one who speaks, whoever it was talked of before: "it's for my niece, at
    most 500".
    """
    if found.attribute not in _ONCE or found.subject == "user" or found.subject in low or _THEIRS.search(low):
        return found
    return found._replace(subject="user")


_JOINS = re.compile(
    r"[\s,，;；:：、]*(?:(?:and|but|so|because|since|also|then)\s+|(?:而且|但是?|所以|因为|然后|并且"
    r"|不过))?[\s,，;；:：、(（]*$"
)


def _trimmed(low: str, start: int, end: int) -> int:
    """The end without a comma or an "and" that only leads on."""
    found = _JOINS.search(low, max(start, end - 14), end)
    return found.start() if found and found.start() > start else end


def _made(
    message: Message, there: list[Period], clause: Clause, span: tuple[int, int], found: list[Found]
) -> Iterator[Candidate]:
    said, times = dated(clause.text, *span, there)
    _, own = dated(clause.text, clause.start, clause.end, there)
    times = own if own != Times() else times
    for one in found:
        if one.attribute == "birthday" and not one.value and times.event_from:
            one = one._replace(value=f"{times.event_from:%m-%d}")
        known = ATTRIBUTES.get(one.attribute)
        importance = one.importance if one.importance is not None else known.importance if known else 0.5
        yield _candidate(message, span, said, one, times, importance)


def _candidate(
    message: Message, span: tuple[int, int], said: str, one: Found, times: Times, importance: float
) -> Candidate:
    since = times.since or (times.event_from if one.begins else None)
    return Candidate(
        message, *span, said, one.subject, one.attribute, one.value, one.negated, one.ends, importance,
        None if since else times.event_from, None if since else times.event_to, valid_from=since,
    )  # fmt: skip


def _plain_statements(
    message: Message, there: list[Period], sentence: Sentence, stated: list[Clause]
) -> Iterator[Candidate]:
    """A statement that fits no other attribute, as it was said; a part for each date that it names."""
    text, low, start, end = stated[0].text, stated[0].low, stated[0].start, stated[-1].end
    end = _trimmed(low, start, end)
    piece = low[start:end]
    if BLANK in piece or end - start < 4 or requests(low, sentence.start, sentence.end):
        return
    mine = bool(_OWN.search(piece))
    if _SPEAKS.match(piece) or _YOU.search(piece) or (not mine and _ADDRESSED.match(piece)) or _short(piece):
        return
    kinds = signals(text[start:end])
    few = len(message.text) <= _TYPED
    if not kinds & (_KEPT if mine else (_FIRM if _HAN.search(piece) else _FIRM - {"name"}) if few else set()) and not (
        few and (mine or _THINGS.match(piece))
    ):
        return
    missing = 1.0
    for kind in kinds:
        missing *= 1 - WEIGHTS.get(kind, 0.0)
    importance = max(0.15, min(0.5 if mine else 0.35, 1 - missing))
    said, times = dated(text, start, end, there)
    kind = _happens(message, times, said) if mine else ""
    yield _candidate(message, (start, end), said, Found(kind), times, importance)
    for clause in stated[1:]:
        other, more = dated(text, clause.start, clause.end, there)
        if more.event_from and more.event_from != times.event_from:
            one = Found(_happens(message, more, other) if mine else "")
            yield _candidate(message, (clause.start, clause.end), other, one, more, importance)


def _short(piece: str) -> bool:
    """Whether it is too short to tell anything by itself."""
    return len(piece) < 5 if _HAN.search(piece) else piece.count(" ") < 2


def _happens(message: Message, times: Times, said: str) -> str:
    """Whether a statement tells of what was or of what will be."""
    if times.event_from is None or times.event_to is None or message.created_at is None:
        return ""
    if times.event_to <= message.created_at or (times.event_from > message.created_at and past(said)):
        return "event"
    return "plan" if times.event_from > message.created_at else ""

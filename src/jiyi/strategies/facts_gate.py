"""What of a model's facts is let in: only what the user's own words say, with the words.  Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from jiyi.attributes import Attribute
from jiyi.candidates import Candidate
from jiyi.grounding import clauses, locate, unsupported, values
from jiyi.importance import signals
from jiyi.likeness import words
from jiyi.mentions import ONESELF
from jiyi.periods import Period
from jiyi.prompts.facts import Told
from jiyi.rules import PRONOUNS, Times, candidates, dated, named, somebody_else
from jiyi.strategies.quoted import around, is_stated, speaks_of_end
from jiyi.strategies.rewording import another, reworded
from jiyi.text import flat
from jiyi.types import Message

_NO_ATTRIBUTE = 0.5  # importance
_LONGEST = 300  # characters of a text or value: a fact is short
_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_TELLS_NAME = re.compile(r"[我咱俺叫]|名字|姓名|\b(?:i|i'm|me|my|name|name's|this is)\b")
"""Words without which a clause does not say what the user is called."""
_USER = ONESELF | {"self", "person", "使用者", ""}


def let_in(told: Told, numbered: Mapping[int, Message], attributes: Mapping[str, Attribute]) -> Candidate | None:
    """The candidate that one of the model's facts is; None for what the user did not say.

    The quote must stand in the message that is named, in words that state something: not in a question, a condition,
    a text that is quoted or pasted; and, without an attribute, not in a mere request or thanks.  A number, date, name
    or "not" in the text that the quoted sentences do not have makes the quote itself the text, and so do other words
    than the user's, or words about somebody else.  A value that does not stand there is left away, and so is an unknown
    attribute.  An end that no word speaks of is refused.

    Args:
        told: one fact of the reply.
        numbered: the user's messages, as they were numbered.
        attributes: name -> attribute.
    """
    found = _quoted(told, numbered)
    if found is None:
        return None
    message, start, end = found
    if not is_stated(message, start, end):
        return None
    span = around(message.text, start, end)
    source = message.text[slice(*span)]
    if told.ends and not speaks_of_end(source):
        return None
    there = named(message.text, *span, message.created_at)
    attribute = attributes.get(told.attribute.strip().lower())
    value = _value(told.value, source)
    clause = around(message.text, start, end, clauses)
    who = somebody_else(flat(message.text[slice(*clause)]))
    subject = _subject(told.subject, source)
    misnamed = attribute is not None and attribute.name == "name" and subject == "user"
    misnamed = misnamed and not _TELLS_NAME.search(flat(message.text[slice(*clause)]))
    attribute = None if misnamed else attribute
    other = misnamed or another(" ".join(told.text.split()) or told.quote, message.text[slice(*clause)])
    text = "" if other else _sure_text(told, source, there)
    if not text:
        start, end = clause if other else _standing_alone(message.text, start, end)
    said, times = dated(message.text, start, end, there)
    if text:
        said = _with_dates(text, message)
    if attribute is None and not _tells(message, start, end):
        return None
    if who and subject == "user" and (other or (attribute is not None and attribute.values != "many")):
        subject, attribute = ("user", None) if who in PRONOUNS else (who, attribute)
    return Candidate(
        message,
        start,
        end,
        said,
        subject=subject,
        attribute=attribute.name if attribute else "",
        value=value,
        negated=told.negated and any(one.kind == "negation" for one in values(source)),
        ends=told.ends,
        importance=attribute.importance if attribute else _NO_ATTRIBUTE,
        **_times(times, one_value=attribute is not None and attribute.values == "one" and not told.ends),
    )


def _quoted(told: Told, numbered: Mapping[int, Message]) -> tuple[Message, int, int] | None:
    """Where the quote stands; without a number in any of the messages, without a quote the text in its place."""
    quote = told.quote.strip() or told.text
    if told.number is not None:
        message = numbered.get(told.number)
        among: Sequence[Message] = [message] if message else []
    else:
        among = list(numbered.values())
    for message in among:
        if span := locate(message.text, quote):
            return message, *span
    return None


def _times(times: Times, *, one_value: bool) -> dict[str, datetime | None]:
    """When it happens, or since when it holds: what has one value at a time ("I started there on Monday") holds."""
    since = times.since or (times.event_from if one_value else None)
    if since:
        return {"valid_from": since}
    return {"event_from": times.event_from, "event_to": times.event_to}


def _sure_text(told: Told, source: str, there: Sequence[Period]) -> str:
    """The model's text, where it says in the user's words no more than these; else ""."""
    text = " ".join(told.text.split())
    unsure = not text or len(text) > _LONGEST or unsupported(text, [source], known=_days(there))
    return "" if unsure or not reworded(text, source) else text


def _with_dates(text: str, message: Message) -> str:
    """A text with the date beside words such as "yesterday", unless it has it."""
    with_dates, _ = dated(text, 0, len(text), named(text, 0, len(text), message.created_at))
    return text if _has_days(text, with_dates) else with_dates


def _tells(message: Message, start: int, end: int) -> bool:
    """Whether words that fit no attribute tell something that may matter: not a request, not thanks."""
    found = any(one.start < end and one.end > start for one in candidates(message))
    return found or bool(signals(message.text[start:end]))


def _standing_alone(text: str, start: int, end: int) -> tuple[int, int]:
    """The quote, or its sentences where it is only a word or two."""
    says = words(text[start:end])
    return (start, end) if len(says.words) + len(says.numbers) > 2 else around(text, start, end)


def _value(value: str, source: str) -> str:
    """A value as it stands in the words; "" where it does not."""
    value = " ".join(value.split())
    if not value or len(value) > _LONGEST:
        return ""
    span = locate(source, value)
    if span is not None:
        return source[span[0] : span[1]]
    if unsupported(value, [source]):
        return ""
    says, there = words(value), words(source)
    return value if says and says.words <= there.words and says.numbers <= there.numbers else ""


def _subject(subject: str, source: str) -> str:
    """Whom it is about; the user, where the words name nobody of that name."""
    subject = " ".join(subject.lower().split()).removeprefix("the user's ").removeprefix("user's ").removeprefix("my ")
    subject = subject.removeprefix("用户的").removeprefix("我的")
    if subject in _USER or len(subject) > 40:
        return "user"
    return subject if words(subject).words <= words(source).words else "user"


def _days(there: Sequence[Period]) -> list[str]:
    """The days that the periods begin and end with, as ISO dates."""
    moments = [m for one in there for m in (one.start, one.end - timedelta(microseconds=1) if one.end else None)]
    return [moment.date().isoformat() for moment in moments if moment is not None]


def _has_days(text: str, with_dates: str) -> bool:
    """Whether a text has the days in it already that would be put beside its words."""
    return all(text.count(day) for day in set(_DAY.findall(with_dates))) and bool(_DAY.search(text))

"""Facts as lines of a context: dated, with their message, and in its words where they are the fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jiyi.commands import PERSON, evidence
from jiyi.ports import Reader
from jiyi.statements import statements_of
from jiyi.strategies.reading import nearly_whole, standing
from jiyi.text import flat
from jiyi.types import Item, Message, Record, Source

LABEL = "fact"

_QUOTES = 3  # of a fact, in a line that names its messages
_CONFLICT = {"en": " (contradicts another statement)", "zh": "（与另一说法矛盾）"}


async def items_of(
    reader: Reader,
    records: Sequence[Record],
    language: str,
    scores: Mapping[str, float],
    why: Mapping[str, str],
    *,
    cited: bool = False,
) -> list[Item]:
    """The facts that are sure and were said on a path that still stands, in order; in one look.

    A short message of which nearly all is said by these facts stands there itself, in the place of the first of them.

    Args:
        reader: gives the messages.
        records: facts, as the reader gave them.
        language: of the few words that are added.
        scores, why: record id -> for its item.
        cited: for a block that is.
    """
    sure = [record for record in records if record.data.get("status") != "unverified"]
    there = await standing(reader, (source.message_id for record in sure for source in evidence(record)))
    shown = {record.id: (record, *_place(record, there)) for record in sure}
    verbatim = [(m, one.start or 0, one.end or 0) for r, one, m in shown.values() if one and m and _is_verbatim(r, one)]
    whole = nearly_whole(verbatim)
    found: dict[str, Item] = {}
    for record, source, message in shown.values():
        score, reason = scores.get(record.id, 0.0), why.get(record.id, "")
        corrected = record.data.get("by") == PERSON
        if corrected and not cited:  # no message says so
            found[record.id] = Item((), record.text, score, reason, records=(record.id,), label=LABEL)
        elif source is not None and message is not None:
            if message.id in whole and _is_verbatim(record, source) and not corrected:
                first = found.setdefault(message.id, Item((message,), "", score, reason))
                found[message.id] = replace(first, records=(*first.records, record.id))
            elif cited:
                label = "" if _is_verbatim(record, source) and not corrected else LABEL
                quotes = _quotes(record, source, there)
                said = tuple({one.message_id: there[one.message_id] for one in quotes}.values())
                text = record.text + _conflict(record, language)
                found[record.id] = Item(said, text, score, reason, records=(record.id,), label=label, quotes=quotes)
            else:
                text, label = _text(record, source, language)
                found[record.id] = Item((message,), text, score, reason, records=(record.id,), label=label)
    return list(found.values())


def _quotes(record: Record, first: Source, there: Mapping[str, Message]) -> tuple[Source, ...]:
    """The words that say it: those that its text is of, and the newest others, each once."""
    found = {flat(first.quote or ""): first}
    for source in reversed(evidence(record)):
        if source.message_id in there:
            found.setdefault(flat(source.quote or ""), source)
    return tuple(found.values())[:_QUOTES]


def _place(record: Record, there: Mapping[str, Message]) -> tuple[Source | None, Message | None]:
    """The words that a line rests on, and their message: those that the text is of, the newest of them first."""
    told = {said.message for said in statements_of(record) if said.text == record.text}
    newest = evidence(record)[::-1]
    best_first = sorted(newest, key=lambda source: source.message_id not in told)
    source = next((source for source in best_first if source.message_id in there), None)
    return source, there[source.message_id] if source else None


def _is_verbatim(record: Record, source: Source) -> bool:
    return record.data.get("status") != "conflict" and flat(record.text) == flat(source.quote or "")


def _text(record: Record, source: Source, language: str) -> tuple[str, str]:
    """What a line says, and by what name: the user's own words go by the speaker."""
    quote = source.quote or ""
    more = _conflict(record, language)
    if record.data.get("by") != "model" or flat(record.text) == flat(quote):
        return f"{record.text}{more}", ""
    beside = "" if flat(quote) in flat(record.text) else f"（“{quote}”）" if language == "zh" else f' ("{quote}")'
    return f"{record.text}{beside}{more}", LABEL


def _conflict(record: Record, language: str) -> str:
    return _CONFLICT["zh" if language == "zh" else "en"] if record.data.get("status") == "conflict" else ""

"""From candidates to records of facts: what a batch of messages changes of what is known.  Pure.

A fact's record keeps the statements that it rests on (``statements``), and they are gone through again with the new
ones (``ledger``).  What comes out as it was is not written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.candidates import Candidate
from jiyi.commands import evidence
from jiyi.indexable import FINDS
from jiyi.ledger import Closing, Fact, group_of, id_of, ledger_of
from jiyi.likeness import Words
from jiyi.statements import (
    FACT,
    RETRACTION,
    Statement,
    asks_to_remember,
    forgotten_key,
    kept,
    key_of,
    stated,
    statements_of,
)
from jiyi.text import flat, language
from jiyi.types import JSON, Record, Step

RULES, MODEL = "facts:rules", "facts"
"""Names of the two steps that make facts."""

EVIDENCE = 12
"""Statements kept of a fact: the first, and the newest."""
_ASKED = 0.9  # importance, at least, of what somebody asked to be remembered
_CONFIRMED, _CONFIRMED_MOST = 0.03, 0.1  # importance that a fact gains each time that it is said again, at most


@dataclass(frozen=True, slots=True)
class Derived:
    """What is written: as ``Changes`` without the cursor."""

    put: tuple[Record, ...] = ()
    drop: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Making:
    """Who derives, and what.

    Attributes:
        step: the step.
        messages: ids of the messages that are derived: what was known of them from this step goes, or from both when
            it is the model's.
        made: the model and the prompt, "" and "" for the rules.
        whole: keys of which everything is known that there is.
        attributes: name -> attribute.
    """

    step: Step
    messages: frozenset[str]
    made: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    whole: Collection[str] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: ATTRIBUTES)

    def redone(self, message: str, step: str) -> bool:
        """Whether what a step saw in a message is derived anew here."""
        return message in self.messages and (step == self.step.name or self.step.name == MODEL)


def changes(candidates: Iterable[tuple[Candidate, str]], known: Sequence[Record], making: Making) -> Derived:
    """What candidates change of what is known.

    Args:
        candidates: with who found each, ``rules`` or ``model``.
        known: facts and retractions with the same keys, current and closed, those that rest on the messages, and for
            what has no key, or is taken back, others that could be meant.
        making: who derives, and what.
    """
    ours = {record.id: record for record in known if record.strategy in (RULES, MODEL)}
    statements = list(_stated(candidates, making))
    closings: list[tuple[str, Closing]] = []
    aside: list[Fact] = []
    for record in ours.values():
        kept_ = [said for said in statements_of(record) if not making.redone(said.message, said.step)]
        closing = _closing_of(record)
        if closing is not None and making.redone(closing.source.message_id, closing.step):
            closing = None
        if record.kind == FACT and record.key and record.key not in making.whole:
            if kept_:
                aside.append(Fact(record.id, kept_, {said.says for said in kept_}, record, closing))
            continue
        statements += kept_
        if closing is not None:
            closings.append((record.id, closing))
    # what is gone through again says anew what it closes; older evidence of a fact may be there no more
    heard = {(said.message, said.step, group_of(said)) for said in statements if not said.ends}
    groups = {said.record: group_of(said) for said in statements}
    closings = [(name, by) for name, by in closings if (by.source.message_id, by.step, groups.get(name)) not in heard]
    ledger = ledger_of(statements, closings, aside, making.attributes)
    made = [_record(fact, ours.get(fact.id), making) if fact.known is None else _ended(fact) for fact in ledger.facts]
    made += [_retraction(said, making.step) for said in statements if said.ends and not said.record]
    put = [record for record in made if not record.is_as_it_was(ours.get(record.id))]
    there = {record.id for record in made} | {said.record for said in statements if said.ends}
    return Derived(
        tuple(put),
        tuple(record for record in ours if record not in there),
        tuple(dict.fromkeys(name for record in put for name in _shaken(record, ours.get(record.id), making))),
    )


def _stated(candidates: Iterable[tuple[Candidate, str]], making: Making) -> Iterator[Statement]:
    """The candidates as statements; a message that says much is rated once."""
    asked: dict[str, bool] = {}
    for candidate, maker in candidates:
        message = candidate.message
        if message.id not in asked:
            asked[message.id] = asks_to_remember(message)
        made: Mapping[str, JSON] = making.made if maker == "model" else {}
        yield stated(candidate, making.step.name, maker, made, asked=asked[message.id])


def _closing(record: Record) -> Mapping[str, JSON]:
    found = record.data.get("closed_by")
    return found if isinstance(found, Mapping) else {}


def _closing_of(record: Record) -> Closing | None:
    """How a known fact came to an end."""
    by = _closing(record)
    if record.closed_at is None or not by:
        return None
    seq, successor = by.get("seq"), by.get("record")
    return Closing(
        record.closed_at,
        seq if isinstance(seq, int) else 0,
        record.sources[-1],
        str(by.get("step")),
        record.valid_to,
        successor if isinstance(successor, str) else None,
    )


def _record(fact: Fact, known: Record | None, making: Making) -> Record:
    """The record of a fact."""
    said = sorted(fact.said, key=lambda one: one.order)
    said = said if len(said) <= EVIDENCE else [said[0], *said[1 - EVIDENCE :]]
    told = max(said, key=lambda one: (_told(one.says), one.maker == "model", -one.at.timestamp()))
    step = MODEL if any(one.step == MODEL for one in said) else RULES
    same_maker = known is not None and known.strategy == step
    dated = [one.at for one in said if one.dated]
    again = min(_CONFIRMED_MOST, _CONFIRMED * (len(said) - 1))
    importance = max(max(one.importance, _ASKED if one.asked else 0.0) for one in said)
    closing = fact.closing
    return Record(
        id=fact.id,
        kind=FACT,
        text=told.text,
        strategy=step,
        version=known.version if known and same_maker and step != making.step.name else making.step.version,
        sources=(*(one.source for one in said), *((closing.source,) if closing else ())),
        key=key_of(told.subject, told.attribute),
        importance=round(min(1.0, importance + again), 4),
        recorded_at=min((one.recorded_at for one in said if one.recorded_at), default=None),
        said_at=min(dated, default=None),
        valid_to=closing.valid_to if closing else told.valid_to,
        closed_at=closing.at if closing else None,
        data=_data(fact, said, told, making.attributes.get(told.attribute)),
        links=(flat(told.subject),),
        event_from=_first(said, "event_from", told),
        event_to=_first(said, "event_to", told),
        valid_from=_first(said, "valid_from", told),
    )


def _data(fact: Fact, said: Sequence[Statement], told: Statement, attribute: Attribute | None) -> dict[str, JSON]:
    data: dict[str, JSON] = {
        "by": told.maker,
        "subject": told.subject,
        "attribute": told.attribute,
        "value": told.value,
        "negated": told.negated,
        "speaker": told.speaker,
        "status": "conflict" if fact.conflicts else "",
        "said": [kept(one) for one in said],
    }
    if attribute is not None and (asked := attribute.asked.get(language(told.text))):
        data[FINDS] = asked
    if told.made:
        data["made"] = told.made
    if any(one.asked for one in said):
        data["asked"] = True
    if fact.conflicts:
        data["conflicts"] = sorted(other.id for other in fact.conflicts)
    if fact.replaces:
        data["replaces"] = fact.replaces.id
    if fact.closing:
        data["closed_by"] = _closed_by(fact.closing)
    return data


def _closed_by(closing: Closing) -> JSON:
    return {
        "record": closing.fact.id if closing.fact else closing.record,
        "message": closing.source.message_id,
        "seq": closing.seq,
        "step": closing.step,
    }


def _ended(fact: Fact) -> Record:
    """The record of a fact that stands aside: as it was, but that it may have ended."""
    known, closing = fact.known, fact.closing
    assert known is not None
    if closing is None or known.closed_at is not None:
        return known
    return replace(
        known,
        sources=(*known.sources, closing.source),
        valid_to=closing.valid_to,
        closed_at=closing.at,
        data={**known.data, "closed_by": _closed_by(closing)},
    )


def _retraction(said: Statement, step: Step) -> Record:
    """The record of what is no longer so: without a text, for statements that come in later."""
    return Record(
        id=id_of(said),
        kind=RETRACTION,
        text="",
        strategy=step.name,
        version=step.version,
        sources=(said.source,),
        key=said.key or forgotten_key(said.subject),
        recorded_at=said.recorded_at,
        said_at=said.at if said.dated else None,
        data={"subject": said.subject, "attribute": said.attribute, "by": said.maker, "said": [kept(said)]},
    )


def _first(said: Sequence[Statement], name: str, told: Statement) -> datetime | None:
    """A time that one of the statements names: the one that is told, or the first that has it."""
    return next((time for one in (told, *said) if (time := getattr(one, name)) is not None), None)


def _told(says: Words) -> int:
    return len(says.numbers) + len(says.words)


def _shaken(record: Record, known: Record | None, making: Making) -> Iterable[str]:
    """Messages of a fact of this step that is closed now, and was not closed by it before."""
    if record.closed_at is None or record.strategy != making.step.name:
        return ()
    was_closed = known is not None and known.closed_at is not None
    if _closing(record).get("step") != making.step.name:
        return ()
    if known is not None and was_closed and _closing(known).get("step") == making.step.name:
        return ()
    return (source.message_id for source in evidence(record) if source.message_id not in making.messages)

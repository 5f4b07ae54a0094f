"""Topics by the model: one call for the messages of a stride, each point checked against the words of its message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from jiyi.extractive import both_ends
from jiyi.importance import importance
from jiyi.ports import LLM, Batch
from jiyi.prompts import prompt
from jiyi.strategies.numbered import EVERY, numbered_lines
from jiyi.strategies.topics_known import Before, Place, both, known_before
from jiyi.strategies.topics_making import changes, part, point, speaks
from jiyi.strategies.topics_rules import points_by_rules, whose
from jiyi.structured import ask
from jiyi.text import language
from jiyi.topics import MODEL, PART, TOPIC, Kind, TopicPoint, Written, message_of, name_of, topic_id, written_of
from jiyi.types import JSON, Changes, Message, Record, Source, Step

if TYPE_CHECKING:
    from jiyi.prompts.topics import Told

_SHOWN = 1_000  # characters of a message by which the language of the prompt is chosen
_ANSWER = 120  # tokens for each of the user's messages in the reply
_TOPICS = 20  # known ones that are named, those spoken of last
_NAME = 60  # characters of a topic's name, at most
_LONGEST = 300  # characters of a text; a point is short
_WEIGHT: Mapping[Kind, float] = {"decisions": 0.8, "open": 0.7, "done": 0.5, "summary": 0.4}
_KIND: Mapping[str, Kind] = {
    "decision": "decisions", "decisions": "decisions", "decided": "decisions", "决定": "decisions",
    "open": "open", "todo": "open", "to do": "open", "open point": "open", "待定": "open", "待办": "open",
    "done": "done", "finished": "done", "完成": "done",
}  # fmt: skip


class ModelTopics:
    """Derives topics that a model tells apart.  A point whose quote is not in the user's message is left out; one that
    states a number, date, name or negation that the message lacks becomes the message's own words; a name in other
    words than the messages' is not taken.  What it says nothing of keeps what the rules find.
    """

    asks_llm = True

    def __init__(self, llm: LLM, every: int = EVERY) -> None:
        """Sets who derives, and how many messages are asked about together."""
        self.step = Step(MODEL, "1", stride=every)
        self.batch_size = every
        self._llm = llm

    async def derive(self, batch: Batch) -> Changes:
        """The topics of one batch; ``structured.CALLS`` calls at most, none for small talk or what was asked before.

        Raises:
            ModelError: there was no answer that could be used.
        """
        messages = [message for message in batch.messages if speaks(message)]
        told: list[Told] = []
        made: JSON = None
        topics: list[Record] = []
        if messages and not await self._looked_at(batch, messages):
            topics = await _known(batch)
            asked = prompt(MODEL, language("\n".join(both_ends(message.text, _SHOWN) for message in messages)))
            from jiyi.prompts.topics import Told  # pydantic takes a while

            names, text = "; ".join(map(name_of, topics)), numbered_lines(batch.messages, messages, parted=True)
            text = f"known: {names}\n{text}" if names else text
            limit = 200 + _ANSWER * len(messages)
            told = await ask(self._llm, asked, text, Told, field="points", max_tokens=limit)
            made = {"model": self._llm.name, "prompt": asked.id}
        before, of_sessions = await known_before(
            batch, messages, topics
        )  # after the call: meanwhile the rules have gone on
        if made is None:
            own = await batch.records(kind=PART, sources=[message.id for message in messages]) if messages else []
            ids = {message.id for message in messages}
            parts = [one for one in own if one.strategy == MODEL and message_of(one) in ids]
        else:
            parts = _parts(self.step, messages, told, before, made)
        return await changes(batch, self.step, parts, of_sessions)

    async def _looked_at(self, batch: Batch, messages: Sequence[Message]) -> bool:
        """Whether there is a part of each message already: an erasure elsewhere has these composed anew."""
        found = await batch.records(kind=PART, sources=[message.id for message in messages])
        done = {message_of(one) for one in found if one.strategy == MODEL}
        return done.issuperset(message.id for message in messages)


async def _known(batch: Batch) -> list[Record]:
    """Topics that messages before the batch speak of, in the order in which they came up: what the rules make of the
    batch meanwhile changes nothing of what is asked.
    """
    first = min((message.seq for message in batch.messages), default=0)
    found = await batch.records(kind=TOPIC, newest=True, limit=2 * _TOPICS)
    since = {one.id: min((name.seq for name in written_of(one)), default=first) for one in found}
    before = [one for one in found if since[one.id] < first][-_TOPICS:]
    return sorted(before, key=lambda one: (since[one.id], one.id))


def _parts(step: Step, messages: Sequence[Message], told: Iterable[Told], before: Before, made: JSON) -> list[Record]:
    """A part for each message and topic, in order: the model's topics, else those of the rules."""
    found = _let_in(told, messages)
    parts: list[Record] = []
    for message in messages:
        for one in _of_message(step, message, found.get(message.id, []), before, made):
            before.add(one)
            parts.append(one)
    return parts


def _of_message(
    step: Step, message: Message, told: Sequence[tuple[str, Kind, TopicPoint]], before: Before, made: JSON
) -> list[Record]:
    """The parts of one message, or that nothing is to be said of it."""
    by_rules = before.places(message)
    places: dict[str, Place] = {}
    points: dict[str, dict[Kind, list[TopicPoint]]] = {}
    for name, kind, one in told:
        place = _place(name, message, one, before) or next(iter(by_rules[:1]), None)
        if place is not None:
            places.setdefault(place.key, place)
            points.setdefault(place.key, {}).setdefault(kind, []).append(one)
    if not places:
        places = {place.key: place for place in by_rules}
    ordered = sorted(places.values(), key=lambda place: place.start)
    for kind, found in points_by_rules(message).items():
        for one in found if ordered else ():
            if all(one.end <= other.start or other.end <= one.start for _, _, other in told):
                key = ordered[whose(one, ordered)].key
                points.setdefault(key, {}).setdefault(kind, []).append(one)
    if not ordered:
        return [part(step, message, None, {}, made)]
    return [part(step, message, place, points.get(place.key, {}), made) for place in ordered]


def _place(name: str, message: Message, one: TopicPoint, before: Before) -> Place | None:
    """The topic that a model names: a known one, or a new one in words of the message."""
    name = " ".join(name.split())[:_NAME]
    if not any(map(str.isalnum, name)):
        return None
    from jiyi.grounding import locate
    from jiyi.rules.subject_words import telling

    span = locate(message.text, name)
    own = Written(name, Source(message.id, *span, message.text[slice(*span)]), message.seq) if span else None
    start = span[0] if span else one.start
    if known := before.named(name, message.seq) or before.topic(name):
        return Place(known.key, both(known, own), "named", start)
    if own is None and not set(telling(name)) <= set(telling(message.text)):
        return None
    return Place(topic_id(name), (own or Written(name, one.source, message.seq),), "named", start)


# -- what is let in --------------------------------------------------------------------------------------------------


def _let_in(told: Iterable[Told], messages: Sequence[Message]) -> dict[str, list[tuple[str, Kind, TopicPoint]]]:
    """Message id -> (topic, kind, point) of what its words say."""
    numbered = dict(enumerate(messages, start=1))
    found: dict[str, list[tuple[str, Kind, TopicPoint]]] = {}
    for one in told:
        kind = _KIND.get(one.kind.strip().lower(), "summary")
        first = numbered.get(one.number or 0)
        for message in [first, *messages] if first else messages:  # small models miscount
            made = _point(message, one, kind)
            if made is not None:
                found.setdefault(message.id, []).append((one.topic, kind, made))
                break
    return found


def _point(message: Message, one: Told, kind: Kind) -> TopicPoint | None:
    """The point, where the message says so in the user's own words, and for sure."""
    from jiyi.grounding import clauses, locate, unsupported  # many expressions: they take a while to compile
    from jiyi.rules import borrowed
    from jiyi.strategies.quoted import around, is_stated
    from jiyi.strategies.rewording import another, reworded

    quote = one.quote.strip() or one.text
    span = locate(message.text, quote)
    if span is None or not any(map(str.isalnum, quote)) or borrowed(message, *span):
        return None
    if kind != "open" and not is_stated(message, *span):
        return None
    whole = around(message.text, *span)
    said, clause = message.text[slice(*whole)], message.text[slice(*around(message.text, *span, clauses))]
    text = " ".join(one.text.split())
    days = [f"{message.created_at:%Y-%m-%d}"] if message.created_at else []
    kept = text if len(text) <= _LONGEST and not unsupported(text, [said], days) and reworded(text, said) else ""
    if not kept or another(text, clause):
        span, kept = whole, said
    score = max(_WEIGHT[kind], importance(message.but(content=said, importance=None)).score)
    return point(message, span, min(1.0, score), kept.strip(" ,;，；.。"), "model")

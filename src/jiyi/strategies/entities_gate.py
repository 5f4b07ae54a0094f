"""What of a model's entities and relations is let in: only what the user's own words state, with the words.  Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from jiyi.grounding import clauses, locate, values
from jiyi.mentions import USER, Alias, Edge, Mention, Mentioned
from jiyi.prompts.entities import Told
from jiyi.relation_types import RELATIONS, relation_of
from jiyi.rules import borrowed, dated, named, somebody_else
from jiyi.strategies.entities_direction import says, turned
from jiyi.strategies.entities_framed import is_framed
from jiyi.strategies.entities_places import Place, apart, place_of, words_at
from jiyi.strategies.entities_same import are_one, is_users
from jiyi.strategies.quoted import around, is_stated, speaks_of_end
from jiyi.text import flat
from jiyi.types import Message

_SAME = frozenset(("also_called", "also called", "alias", "same_as", "same as", "又名", "别名", "也叫", "简称"))
_IS = frozenset(("is", "is a", "is an", "description", "是", "描述"))
_TRAIT = 80  # characters of a description
_TYPE = re.compile(r"[a-z\u3400-\u9fff][a-z \-\u3400-\u9fff]{0,24}")
_NO_TYPES = frozenset(("user", "unknown", "other", "none", "null", "pronoun", "name", "entity", "thing", "word"))
_TYPES = {
    "organization": "organisation", "company": "organisation", "team": "organisation",
    "people": "person", "human": "person", "location": "place", "city": "place", "country": "place",
    "人": "person", "人物": "person", "个人": "person", "公司": "organisation", "组织": "organisation",
    "机构": "organisation", "项目": "project", "技术": "technology", "产品": "product", "地点": "place",
    "城市": "place",
}  # fmt: skip
_ANOTHER_LIFE = re.compile(r"\b(?:pen name|stage name|pseudonym|nom de plume|writes? (?:as|under))\b|笔名|艺名|化名")
_ONLY = re.compile(r"\bnot (?:only|just)\b|不仅|不但|不只|不光")
_OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer|used to|formerly|stopped|quit)\b|不再|再也[不没]|以前|曾经|已经不|不.{0,6}了$"
)


class _Quote(NamedTuple):
    """Where something was said: the quote and the sentences that it stands in."""

    message: Message
    start: int
    end: int
    sentence: tuple[int, int]


def let_in(told: Told, numbered: Mapping[int, Message]) -> Mentioned:
    """What one of the model's items states; nothing where the user did not say it.

    The quote must stand in one of the user's messages (models mix up the numbers), in words that state something: not
    in a question, a condition, a text that is quoted or pasted.  Both ends must stand there as names, or be the user;
    a pronoun in the quote may stand for one that was named before.  A relation of which the sentence has no word is
    refused, one of a name to itself, and an end of which no word speaks; the words tell its direction, and whether it
    is denied.  What is refused leaves the names that are there.

    Args:
        told: one item of the reply.
        numbered: the user's messages, as they were numbered.
    """
    for message in _messages(told, numbered):
        quote = _quoted(told, message)
        if quote is None or not is_stated(message, quote.start, quote.end):
            continue
        head = place_of(told.head, message, (quote.start, quote.end), quote.sentence)
        tail = place_of(told.tail, message, (quote.start, quote.end), quote.sentence)
        if head is not None:
            return _read(told, quote, head, tail)
    return Mentioned()


def _messages(told: Told, numbered: Mapping[int, Message]) -> list[Message]:
    """The message that is named first."""
    first = numbered.get(told.number) if told.number is not None else None
    return ([first] if first else []) + [one for one in numbered.values() if one is not first]


def _quoted(told: Told, message: Message) -> _Quote | None:
    span = locate(message.text, told.quote)
    if span is None:
        return None
    return _Quote(message, *span, around(message.text, *span))


def _read(told: Told, quote: _Quote, head: Place, tail: Place | None) -> Mentioned:
    relation = flat(told.relation).strip(" .")
    if relation in _IS or (relation and tail is None):
        return Mentioned((_mention(quote, head, told.head_type, _trait(told, quote, head, relation)),))
    mentions = [_mention(quote, head, told.head_type, {})]
    if tail is None or tail.form == head.form:
        return Mentioned(tuple(mentions))
    mentions.append(_mention(quote, tail, told.tail_type, {}))
    if relation in _SAME:
        alias = _alias(quote, head, tail)
        return Mentioned(tuple(mentions), (alias,) if alias else ())
    edge = _edge(told, quote, head, tail) if relation else None
    if edge is None:
        return Mentioned(tuple(mentions))
    return Mentioned(tuple(_typed(one, edge) for one in mentions), (), (edge,))


def _mention(quote: _Quote, at: Place, type_: str, traits: Mapping[str, str]) -> Mention:
    begin, until = quote.start, quote.end
    if not (begin <= at.start and at.end <= until):
        begin, until = around(quote.message.text, at.start, max(at.end, at.start + 1), clauses)
    type_ = "person" if at.name == USER else _type(type_)
    return Mention(quote.message, at.start, at.end, at.name, type_, "", traits, begin, until)


def _type(type_: str) -> str:
    low = flat(type_)
    low = _TYPES.get(low, low)
    return low if low not in _NO_TYPES and _TYPE.fullmatch(low) else ""


def _typed(mention: Mention, edge: Edge) -> Mention:
    """With the type that the relation tells, where the model gave none."""
    known = RELATIONS.get(edge.relation)
    if known is None or mention.type or mention.name == USER:
        return mention
    return replace(mention, type=known.head if mention.name == edge.head else known.tail)


def _trait(told: Told, quote: _Quote, head: Place, relation: str) -> dict[str, str]:
    """The few words that say what the head is, as they stand in the sentence."""
    words = told.tail.strip()
    if relation not in _IS or head.name == USER or not words or len(words) > _TRAIT:
        return {}
    text, (start, end) = quote.message.text, quote.sentence
    span = words_at(words, text, start, end)
    if span is None or (span[0] < head.end and head.start < span[1]) or borrowed(quote.message, *span):
        return {}
    between = text[min(head.end, span[1]) : max(head.start, span[0])]
    if _is_denied(between):
        return {}
    return {"": text[slice(*span)]}


def _alias(quote: _Quote, head: Place, tail: Place) -> Alias | None:
    """That two names are one thing's, where the words say so."""
    text, (start, end) = quote.message.text, around(quote.message.text, quote.start, quote.end, clauses)
    said = text[start:end]
    if _ANOTHER_LIFE.search(flat(said)) or _is_denied(said):
        return None
    first, second = apart(text, head, tail, end)
    if not start <= first.start <= first.end <= second.start <= second.end <= end:
        return None
    if USER in (head.name, tail.name):
        one = tail if head.name == USER else head
        same = is_users(text[start : one.start], text[one.end : end])
    else:
        same = are_one(text[start : first.start], text[first.end : second.start], text[second.end : end])
    if not same:
        return None
    return Alias(quote.message, quote.start, quote.end, (head.name, tail.name))


# -- relations


def _edge(told: Told, quote: _Quote, head: Place, tail: Place) -> Edge | None:
    """The relation, in the direction in which the words have it; None where they do not state it."""
    text = quote.message.text
    clause = text[slice(*around(text, quote.start, quote.end, clauses))]
    relation, reverse = relation_of(told.relation)
    if not says(relation, text[slice(*quote.sentence)]) or not _is_about(relation, clause, head, tail):
        return None
    first, second = sorted((head, tail), key=lambda at: at.start)
    start, end = quote.sentence
    beside = text[start : first.start], text[first.end : second.start], text[second.end : end]
    if first.end > start and is_framed(relation, told.relation, *beside):
        return None
    if reverse:
        head, tail = tail, head
    right = _right(relation, quote, head, tail)
    head, tail = right or (head, tail)
    denied, over = _denied(told, quote, head, tail, clause)
    if denied is None and over and right is not None and not told.negated:
        denied, over = False, False  # small models say that this or that has ended; the words say that it is so
    if denied is None:
        return None
    edge = Edge(
        quote.message, quote.start, quote.end, head.name, relation, tail.name, told.relation.strip(), denied, over
    )
    return _timed(edge, quote)


def _is_about(relation: str, clause: str, head: Place, tail: Place) -> bool:
    """Whether a clause about somebody else may say this of the user: "my sister Mia" does, "my sister works" not."""
    if USER not in (head.name, tail.name):
        return True
    who = somebody_else(flat(clause))
    return not who or says(relation, who)


def _right(relation: str, quote: _Quote, head: Place, tail: Place) -> tuple[Place, Place] | None:
    """The ends as the words between and beside them have it; None where these do not tell."""
    text, (start, end) = quote.message.text, quote.sentence
    if relation not in RELATIONS or any(not start <= at.start < at.end <= end for at in (head, tail)):
        return None
    first, second = sorted((head, tail), key=lambda at: at.start)
    mine = second.name == USER
    swap = turned(
        relation, text[first.end : second.start], text[second.end : end], text[start : first.start], mine=mine
    )
    if swap is None:
        return None
    return (second, first) if swap else (first, second)


def _denied(told: Told, quote: _Quote, head: Place, tail: Place, clause: str) -> tuple[bool | None, bool]:
    """Whether it is not so, and no longer so; (None, …) where the words do not say what the model does."""
    low = flat(clause)
    over = bool(_OVER.search(low))
    if told.ends or over:
        return (False, True) if speaks_of_end(clause) else (None, True)
    first, second = sorted((head, tail), key=lambda at: at.start)
    inside = _is_denied(quote.message.text[first.end : second.start])
    if told.negated and not inside and not _is_denied(clause):
        return None, False
    return inside or told.negated, False


def _is_denied(text: str) -> bool:
    return any(one.kind == "negation" for one in values(_ONLY.sub("", flat(text))))


def _timed(edge: Edge, quote: _Quote) -> Edge:
    """With the times that the sentence names."""
    start, end = quote.sentence
    periods = named(edge.message.text, start, end, edge.message.created_at)
    _, times = dated(edge.message.text, start, end, periods)
    known = RELATIONS.get(edge.relation)
    one = known is not None and known.values == "one" and not edge.ends
    since: datetime | None = times.since or (times.event_from if one else None)
    if since:
        return replace(edge, valid_from=since)
    return replace(edge, event_from=times.event_from, event_to=times.event_to)

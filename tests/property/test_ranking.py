"""Ranking, whatever the messages: parts add up, the order of candidates is nobody's business, exact words stay found."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi import ranking
from jiyi.bm25 import bm25
from jiyi.indexable import index_text
from jiyi.ranking import Ranked, standing
from jiyi.text import query_terms, terms
from jiyi.types import Dense, Found, Lexical, Message
from jiyi.weights import DEFAULT, Weights

WORDS = [
    "apple",
    "bridge",
    "蓝色",
    "花生",
    "过敏",
    "cello",
    "lisbon",
    "monday",
    "peanut",
    "雪",
    "train",
    "violin",
    "zebra",
    "2023年5月",
    "May",
]
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
START = datetime(2023, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=901)


@st.composite
def memories(draw: st.DrawFn) -> list[Message]:
    """Messages of a few sessions, some with name, date, or neither."""
    said: list[Message] = []
    last: dict[str, str] = {}
    for seq, words in enumerate(draw(st.lists(text, min_size=1, max_size=30)), 1):
        session = draw(st.sampled_from(["", "a", "b", "c"]))
        said.append(
            Message(
                id=f"m{seq}",
                session_id=session,
                role=draw(st.sampled_from(["user", "assistant"])),
                content=words * draw(st.sampled_from([1, 1, 1, 100])),
                name=draw(st.sampled_from([None, "Ada", "李雪"])),
                created_at=draw(st.none() | st.integers(0, 900).map(lambda days: START + timedelta(days=days))),
                seq=seq,
                parent_id=last.get(session) if session else None,
            )
        )
        last[session] = f"m{seq}"
    return said


def look_up(query: str, messages: list[Message]) -> Lexical:
    wanted = query_terms(query)
    counts = {message.seq: terms(index_text(message)) for message in messages}
    hits = {
        seq: (sum(found.values()), {term: found[term] for term in wanted if term in found})
        for seq, found in counts.items()
        if not set(wanted).isdisjoint(found)
    }
    total = sum(sum(found.values()) for found in counts.values())
    frequency = {term: sum(term in found for found in counts.values()) for term in wanted}
    return Lexical(len(messages), total / len(messages), frequency, hits)


def rank(
    query: str, messages: Sequence[Message], lexical: Lexical, dense: Dense | None, weights: Weights = DEFAULT
) -> list[Ranked]:
    """Ranks all of these messages."""
    found = Found(
        words=bm25(lexical, lexical.frequency),
        lexical=lexical,
        dense=dense or Dense(),
        messages={message.seq: message for message in messages},
        standing=standing(sorted(messages, key=lambda m: m.seq), {message.id: message.seq for message in messages}),
    )
    return list(ranking.rank(query, found, NOW, model="e5-small", weights=weights))


@st.composite
def scans(draw: st.DrawFn) -> Dense | None:
    """Cosines of some of the messages, or no embedder."""
    if draw(st.booleans()):
        return None
    hits = draw(st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=30))
    values = list(hits.values()) or [0.0]
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    return Dense(hits, len(hits), mean, spread)


@given(memories(), text, scans())
def test_parts_add_up_and_scores_fall(messages: list[Message], query: str, dense: Dense | None) -> None:
    ranked = rank(query, messages, look_up(query, messages), dense)

    assert sorted(r.message.seq for r in ranked) == [message.seq for message in messages]
    for r in ranked:
        assert sum(r.parts.values()) == pytest.approx(r.score, abs=1e-9)
        assert 0 <= r.relevance <= 1
    assert all(a.score >= b.score - 1e-8 for a, b in zip(ranked, ranked[1:], strict=False))


@given(memories(), text, scans(), st.randoms(use_true_random=False))
def test_the_candidates_order_does_not_matter(
    messages: list[Message], query: str, dense: Dense | None, chance: random.Random
) -> None:
    lexical = look_up(query, messages)
    shuffled = messages[:]
    chance.shuffle(shuffled)

    first, second = rank(query, messages, lexical, dense), rank(query, shuffled, lexical, dense)

    assert [r.message.id for r in first] == [r.message.id for r in second]


@given(memories(), st.none() | st.just(Dense()))
def test_the_only_message_with_the_words_is_first(messages: list[Message], dense: Dense | None) -> None:
    exact = Message(id="exact", session_id="own", role="user", content="quokka sanctuary", seq=len(messages) + 1)
    everything = [*messages, exact]
    query = "quokka sanctuary"

    ranked = rank(query, everything, look_up(query, everything), dense)

    assert ranked[0].message.id == "exact"
    assert ranked[0].relevance > 0.5


@given(memories(), text)
def test_bm25_is_never_negative_and_only_for_hits(messages: list[Message], query: str) -> None:
    lexical = look_up(query, messages)

    scores = bm25(lexical, query_terms(query))

    assert scores.keys() == lexical.hits.keys()
    assert all(score >= 0 for score in scores.values())


@given(st.text(max_size=200), st.text(max_size=200))
def test_odd_text_never_raises(query: str, content: str) -> None:
    message = Message(id="m", session_id="s", role="user", content=content, seq=1, created_at=START, name="Ada")

    assert len(rank(query, [message], Lexical(), Dense({1: 0.5}, 1, 0.5, 0.0))) == 1

"""Ranking: what each part of the score is for, the relevance floor, and short memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from jiyi import ranking
from jiyi.bm25 import bm25
from jiyi.indexable import index_text
from jiyi.ranking import Ranked, standing
from jiyi.text import query_terms, terms
from jiyi.types import Dense, Found, Lexical, Message, Standing
from jiyi.weights import DEFAULT, Weights

SPRING = datetime(2023, 5, 8, tzinfo=UTC)
NOW = datetime(2023, 11, 8, tzinfo=UTC)


def say(seq: int, text: str, session: str = "s", **more: object) -> Message:
    return Message(id=f"m{seq}", session_id=session, role="user", content=text, seq=seq, **more)  # type: ignore[arg-type]


def session(*texts: str) -> list[Message]:
    return [say(i, text, parent_id=f"m{i - 1}" if i > 1 else None) for i, text in enumerate(texts, 1)]


def look_up(query: str, messages: Sequence[Message]) -> Lexical:
    wanted = query_terms(query)
    found = {message.seq: terms(index_text(message)) for message in messages}
    hits = {
        seq: (sum(counts.values()), {term: counts[term] for term in wanted if term in counts})
        for seq, counts in found.items()
        if any(term in counts for term in wanted)
    }
    frequency = {term: sum(term in counts for counts in found.values()) for term in wanted}
    total = sum(sum(counts.values()) for counts in found.values())
    return Lexical(len(found), total / max(1, len(found)), frequency, hits)


def rank(
    query: str, messages: Sequence[Message], lexical: Lexical, dense: Dense | None, weights: Weights = DEFAULT
) -> list[Ranked]:
    """Ranks all of these messages."""
    found = Found(
        words=bm25(lexical, lexical.frequency),
        lexical=lexical,
        dense=dense or Dense(),
        messages={message.seq: message for message in messages},
        standing=standing(messages, {message.id: message.seq for message in messages}),
    )
    return list(ranking.rank(query, found, NOW, model="e5-small", weights=weights))


def near(*cosines: float, scanned: int = 0, mean: float = 0.1, deviation: float = 0.1) -> Dense:
    return Dense(dict(enumerate(cosines, 1)), scanned or len(cosines), mean, deviation)


def order(query: str, messages: Sequence[Message], dense: Dense | None = None) -> list[int]:
    return [ranked.message.seq for ranked in rank(query, messages, look_up(query, messages), dense)]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Hello there", "Caroline", "8 May 2023, Caroline: Hello there"),
        ("Hello there", None, "8 May 2023: Hello there"),
        ("今天天气很好", "李雪", "2023年5月8日 李雪：今天天气很好"),
        ("今天天气很好", None, "2023年5月8日：今天天气很好"),
    ],
)
def test_the_indexes_see_date_and_speaker_in_the_message_s_language(text: str, name: str | None, expected: str) -> None:
    assert index_text(say(1, text, name=name, created_at=SPRING)) == expected


def test_a_message_without_date_and_speaker_is_its_text() -> None:
    assert index_text(say(1, "Hello")) == "Hello"


def test_bm25_agrees_with_the_formula() -> None:
    lexical = Lexical(3, 4.0, {"cat": 1, "dog": 2}, {1: (4, {"cat": 2, "dog": 1}), 2: (8, {"dog": 1})})

    scores = bm25(lexical, ["cat", "dog"])

    # idf cat = ln(1 + 2.5/1.5) = .98083, dog = ln(1 + 1.5/2.5) = .47000; norm = 1.2 (.25 + .75 length/4)
    assert scores == pytest.approx({1: 0.98083 * 4.4 / 3.2 + 0.47, 2: 0.47 * 2.2 / 3.1}, abs=1e-4)


def test_without_an_embedder_words_decide() -> None:
    messages = session("We talked about the weather", "My sister plays the violin", "The train was late")

    assert order("Who plays the violin?", messages)[0] == 2


def test_without_a_common_word_meaning_decides() -> None:
    messages = session("We talked about the weather", "My sister plays the violin", "The train was late")

    assert order("Geige", messages, near(0.1, 0.5, 0.2))[0] == 2


def test_the_messages_around_lend_their_scores() -> None:
    messages = session("Where did you go?", "Nowhere special", "It rained", "Lisbon was lovely", "So I heard")
    lexical = look_up("Lisbon", messages)

    parts = {ranked.message.seq: ranked.parts for ranked in rank("Lisbon", messages, lexical, None)}

    assert parts[3]["neighbours"] > parts[2]["neighbours"]
    assert parts[5]["neighbours"] > parts[1]["neighbours"]


def test_a_speaker_who_is_named_comes_before_the_other() -> None:
    messages = [
        say(1, "I bought a bicycle", name="Mel"),
        say(2, "I bought a bicycle", name="Caroline"),
        say(3, "Nice weather", name="Mel"),
    ]

    assert order("What did Caroline buy?", messages, near(0.4, 0.4, 0.1))[0] == 2


@pytest.mark.parametrize("query", ["What happened on May 8th?", "5月8日发生了什么？", "What happened in May 2023?"])
def test_a_date_in_the_query_prefers_messages_of_that_day(query: str) -> None:
    messages = [
        say(1, "We went out", created_at=datetime(2023, 7, 9, tzinfo=UTC)),
        say(2, "We went out", created_at=SPRING),
        say(3, "We went out", created_at=datetime(2022, 9, 1, tzinfo=UTC)),
    ]

    best = rank(query, messages, Lexical(), near(0.3, 0.3, 0.3))[0]

    assert best.message.seq == 2
    assert best.parts["date"] > 0


def test_another_year_is_another_date() -> None:
    messages = [say(1, "Out", created_at=SPRING.replace(year=2022)), say(2, "Out", created_at=SPRING)]

    assert [r.message.seq for r in rank("What was in May 2023?", messages, Lexical(), near(0.3, 0.3))] == [2, 1]


def test_a_long_message_gains_nothing_from_having_many_pieces() -> None:
    messages = [say(1, "word " * 2_000, session="a"), say(2, "A short answer", session="b")]

    assert order("something else", messages, near(0.32, 0.3, scanned=1000)) == [2, 1]


def test_a_fact_told_among_other_talk_stands_by_its_meaning_alone() -> None:
    chat = [say(i, f"Seats were reserved {i}", parent_id=f"m{i - 1}" if i > 1 else None) for i in range(1, 11)]
    fact = say(11, "By the aisle", session="other")
    query = "Where do I reserve to sit?"

    best = rank(query, [*chat, fact], look_up(query, [*chat, fact]), near(*[0.42] * 10, 0.5, scanned=500))[0]

    assert best.message.seq == 11
    assert best.parts["alone"] > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is my budget?", 1),
        ("我的预算是多少？", 1),
        ("What budget did you suggest to me?", 2),
        ("你之前建议的预算是多少？", 2),
    ],
)
def test_who_is_asked_about_tells_whose_words_are_meant(query: str, expected: int) -> None:
    messages = [
        say(1, "A budget of 500", session="a"),
        replace(say(2, "A budget of 500", session="b"), role="assistant"),
    ]

    best = rank(query, messages, look_up(query, messages), near(0.4, 0.4))[0]

    assert best.message.seq == expected
    assert best.parts["role"] > 0


def test_a_question_lends_more_to_its_answer() -> None:
    asked = session("How many people work with you in Lisbon?", "About eight")
    told = session("Many people work with me in Lisbon", "About eight")
    query = "people in Lisbon"

    def lent(messages: Sequence[Message]) -> float:
        found = rank(query, messages, look_up(query, messages), near(0.5, 0.1, scanned=200))
        return next(r for r in found if r.message.seq == 2).parts["neighbours"]

    assert lent(asked) > 2 * lent(told) > 0


LONG = "Plan a weekend: harbour walk, museum, market stall, dinner, tickets, boat, lighthouse, train, hotel, umbrella, maps"


@pytest.mark.parametrize(("query", "sessions"), [(LONG, ["a", "b", "a"]), ("the harbour", ["a", "a", "b"])])
def test_a_long_question_is_answered_from_several_sessions(query: str, sessions: list[str]) -> None:
    messages = [
        say(1, "We liked it", session="a"),
        say(2, "We liked it so much", session="a"),
        say(3, "They were there", session="b"),
    ]

    best = rank(query, messages, look_up(query, messages), near(0.5, 0.49, 0.48, scanned=500))

    assert [r.message.session_id for r in best] == sessions


def test_a_session_has_words_together_that_none_of_its_messages_has() -> None:
    messages = [
        say(1, "The ferry was late", session="a"),
        say(2, "Oslo is cold", session="a"),
        say(3, "The ferry was full", session="b"),
        say(4, "Rome is warm", session="b"),
    ]
    query = "ferry Oslo"

    parts = {r.message.seq: r.parts for r in rank(query, messages, look_up(query, messages), None)}

    assert parts[1]["session"] > parts[3]["session"]


# Cosines of the bundled embedder for four facts of one user (case D15), said in March and in November.
FACTS = ("Is vegetarian", "Uses dark mode everywhere", "Rides a 125cc motorbike", "对花粉过敏")
OFF_TOPIC = [
    ("zvvkq plmnt 0x77", (0.179, 0.098, 0.114, -0.092)),
    ("zvvkq plmnt 0x77", (0.173, 0.11, 0.117, -0.056)),
    ("What is the boiling point of ethanol?", (0.186, 0.137, 0.171, 0.012)),
    ("What is the boiling point of ethanol?", (0.153, 0.124, 0.162, 0.0)),
    ("把这句话翻译成法语：早上好", (-0.043, -0.034, -0.104, 0.095)),
    ("把这句话翻译成法语：早上好", (-0.015, -0.029, -0.099, 0.11)),
]
ON_TOPIC = [
    ("What could I cook tonight?", (0.206, 0.12, 0.12, -0.158), 1),
    ("What could I cook tonight?", (0.235, 0.16, 0.162, -0.17), 1),
    ("春天出门要注意什么？", (0.008, 0.002, -0.053, 0.226), 4),
    ("春天出门要注意什么？", (-0.031, -0.027, -0.071, 0.22), 4),
    ("dark mode", (0.032, 0.392, 0.042, -0.146), 2),
    ("dark mode", (0.017, 0.39, 0.052, -0.142), 2),
]


# The same of ten messages, five facts with "Noted." after each: the two nearest, and the mean.
SMALL_MEMORY = [
    ("How much did I want to spend?", (0.182, 0.004), 0.004, True),
    ("how old is my kid", (0.374, 0.172), 0.145, True),
    ("What is the boiling point of ethanol?", (0.145, 0.126), 0.108, False),
    ("who wrote Hamlet", (0.084, 0.081), 0.068, False),
]


@pytest.mark.parametrize(("query", "cosines", "mean", "brought"), SMALL_MEMORY)
def test_a_small_memory_asks_for_less(query: str, cosines: Sequence[float], mean: float, brought: bool) -> None:
    messages = [say(i, f"Words that nobody asks for {i}") for i in range(1, 11)]
    small, large = near(*cosines, *[0.0] * 8, mean=mean), near(*cosines, *[0.0] * 8, mean=mean, scanned=1_000)

    best = rank(query, messages, Lexical(), small)[0]

    assert (best.relevance >= DEFAULT.floor) == brought
    assert rank(query, messages, Lexical(), large)[0].relevance < best.relevance


def scan(cosines: Sequence[float]) -> Dense:
    mean = sum(cosines) / len(cosines)
    deviation = (sum((cosine - mean) ** 2 for cosine in cosines) / len(cosines)) ** 0.5
    return near(*cosines, mean=mean, deviation=deviation)


@pytest.mark.parametrize(("query", "cosines"), OFF_TOPIC)
def test_an_unrelated_question_brings_nothing(query: str, cosines: Sequence[float]) -> None:
    facts = [say(i, fact, session="") for i, fact in enumerate(FACTS, 1)]

    assert all(r.relevance < DEFAULT.floor for r in rank(query, facts, look_up(query, facts), scan(cosines)))


@pytest.mark.parametrize(("query", "cosines", "expected"), ON_TOPIC)
def test_a_related_question_brings_the_fact_first(query: str, cosines: Sequence[float], expected: int) -> None:
    facts = [say(i, fact, session="") for i, fact in enumerate(FACTS, 1)]

    best = rank(query, facts, look_up(query, facts), scan(cosines))[0]

    assert best.message.seq == expected
    assert best.relevance >= DEFAULT.floor


def test_a_single_fact_is_found_by_meaning() -> None:
    (best,) = rank("What could I cook?", [say(1, "Is vegetarian", session="")], Lexical(), scan([0.5]))

    assert best.relevance >= DEFAULT.floor


def test_without_vectors_relevance_comes_from_the_words() -> None:
    messages = session("My sister plays the violin", "The train was late")

    hit, other = rank("Who plays the violin?", messages, look_up("Who plays the violin?", messages), None)

    assert hit.relevance >= DEFAULT.floor > 0.2
    assert hit.relevance >= other.relevance


def test_no_word_and_no_vector_is_not_relevant() -> None:
    assert all(r.relevance < DEFAULT.floor for r in rank("xyzzy", session("One", "Two"), Lexical(2, 1.0), None))


def test_a_message_without_a_vector_yet_is_found_by_its_words() -> None:
    messages = [say(i, f"Small talk {i}", session=f"s{i}") for i in range(1, 9)] + [say(9, "The code is 4711")]
    dense = near(*[0.2] * 8, scanned=8)

    best = rank("code 4711", messages, look_up("code 4711", messages), dense)[0]

    assert best.message.seq == 9
    assert best.relevance >= DEFAULT.floor


@pytest.mark.parametrize("query", ["🍜", "Q17X", "李若溪", "the order Q17X"])
def test_exact_names_and_ids_are_relevant_whatever_the_cosine(query: str) -> None:
    messages = [say(i, f"Small talk about how it went {i}", session=f"s{i}") for i in range(1, 200)]
    messages.append(say(200, "Order Q17X, ordered by 李若溪 🍜"))
    dense = near(*[0.1] * 200, scanned=200, mean=0.1)

    found = [r for r in rank(query, messages, look_up(query, messages), dense) if r.relevance >= DEFAULT.floor]

    assert [r.message.seq for r in found] == [200]


def test_what_comes_in_beside_a_relevant_message_is_less_sure() -> None:
    messages = [say(i, f"Words {i}", session=f"s{i}") for i in range(1, 5)]

    found = rank("else", messages, Lexical(), near(0.6, 0.4, 0.3, -0.2, scanned=200, mean=0.05))

    sure = {r.message.seq: r.relevance for r in found}
    assert sure[1] > sure[2] > sure[3] > DEFAULT.floor > sure[4]


def test_a_common_word_alone_is_not_a_name() -> None:
    messages = [say(i, f"Small talk about how it went {i}", session=f"s{i}") for i in range(1, 200)]

    found = rank("how", messages, look_up("how", messages), near(*[0.1] * 199, scanned=199, mean=0.1))

    assert all(r.relevance < DEFAULT.floor for r in found)


@pytest.mark.parametrize("now", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)])
@pytest.mark.parametrize("hours", [-12, 14])
def test_the_first_and_last_day_of_the_calendar_may_ask(now: datetime, hours: int) -> None:
    there = timezone(timedelta(hours=hours))
    messages = [say(1, "We met in May", created_at=SPRING.astimezone(there))]
    found = Found(messages={1: messages[0]}, standing=standing(messages, {}))

    assert len(list(ranking.rank("What was in May last year?", found, now))) == 1


def test_the_floor_does_not_touch_the_order() -> None:
    messages = session("We talked about the weather", "My sister plays the violin", "The train was late")
    lexical, dense = look_up("violin", messages), near(0.1, 0.5, 0.2)

    def ranked(floor: float) -> list[int]:
        return [r.message.seq for r in rank("violin", messages, lexical, dense, weights=replace(DEFAULT, floor=floor))]

    assert ranked(0.0) == ranked(0.9)


def test_those_beside_lend_support_and_are_no_hits() -> None:
    messages = session("Where did you go?", "Lisbon was lovely", "So I heard")
    lexical = look_up("Lisbon", messages)
    chosen = {3: messages[2]}
    found = Found(
        words=bm25(lexical, ["lisbon"]),
        lexical=lexical,
        messages=chosen,
        standing=standing(messages, {message.id: message.seq for message in messages}),
    )

    alone = replace(found, standing=Standing([3], [1], [2], [10], [0]))

    (beside,), (without,) = ranking.rank("Lisbon", found, NOW), ranking.rank("Lisbon", alone, NOW)
    assert beside.message.seq == without.message.seq == 3
    assert beside.parts["neighbours"] > without.parts.get("neighbours", 0.0)


def test_equal_scores_are_ordered_by_time_then_id() -> None:
    old, new = SPRING, SPRING.replace(year=2024)
    messages = [
        say(1, "Yes", session="a", created_at=old),
        say(2, "Yes", session="b", created_at=new),
        say(3, "Yes", session="c"),
        say(4, "Yes", session="d", created_at=new),
    ]

    assert [r.message.seq for r in rank("hm", messages, Lexical(), None)] == [2, 4, 1, 3]


def test_nothing_to_rank() -> None:
    assert rank("anything", [], Lexical(), None) == []
    assert list(ranking.rank("anything", Found(), NOW)) == []

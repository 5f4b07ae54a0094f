from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.decay import LONG, PLANTED, Chat, chats, chosen, measure, shows, summary
from jiyi.eval.facts import Fact, labelled, made_up, words
from jiyi.eval.statistics import share
from jiyi.importing import Entry
from jiyi.text import language
from jiyi.types import Item, Message
from tests.conftest import OpenMemory


def entry(key: str, role: str, text: str, **fields: object) -> Entry:
    given = {"message_id": key, "role": role, "content": text, **fields}
    return Entry(1, "u", "s", given, conversation_id="c")


def label(*evidence: str, answer: str = "", level: str = "message", category: str = "") -> Label:
    return Label("q", category, evidence, "session" if level == "session" else "message", True, answer)


def facts_of(entries: list[Entry], *asked: tuple[str, Label]) -> list[Fact]:
    questions = tuple(Question(text) for text, _ in asked)
    return labelled([Conversation("c", tuple(entries), questions, tuple(found for _, found in asked))])


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_a_hundred_facts_come_with_each_language(spoken: str) -> None:
    facts = made_up(spoken)
    assert len(facts) == len({fact.text for fact in facts}) == len({fact.question for fact in facts}) == 100
    assert {language(fact.text) for fact in facts} | {language(fact.question) for fact in facts} == {spoken}
    for fact in facts:
        assert fact.made_up and fact.answer.casefold() in fact.text.casefold()
        assert fact.answer.casefold() not in fact.question.casefold()
        assert len(words(fact.text) & words(fact.question)) <= 3, f"asked in the same words: {fact.question}"


def test_a_fact_of_labelled_data_is_the_message_that_answers_by_itself() -> None:
    said = [
        entry("a", "user", "I moved to Lisbon in 2019.", created_at=datetime(2023, 5, 1, tzinfo=UTC)),
        entry("b", "assistant", "Lisbon has good custard tarts."),
        entry("c", "user", "Lisbon " * 60),
        entry("d", "assistant", "I moved to Porto.", name="Gina"),
    ]
    (moved,) = facts_of(said, ("Where do I live?", label("a", "c", answer="Lisbon")))
    assert (moved.text, moved.answer, moved.source, moved.told) == (
        said[0].fields["content"], "Lisbon", "c", said[0].fields["created_at"],
    )  # fmt: skip
    (tarts,) = facts_of(said, ("What is good in Lisbon?", label("b", answer="custard tarts")))
    assert tarts.lead == moved.text, "what the assistant told is planted with what the user had said"
    assert facts_of(said, ("Where?", label("s", answer="Lisbon", level="session")))[0].text == moved.text
    assert not facts_of(said, ("When?", label("a", answer="19 May 2020"))), "a number of the answer is missing"
    assert not facts_of(said, ("Where?", label("a", answer="a small village in the Alps"))), "not answered"
    assert not facts_of(said, ("Where?", label("a", answer="Lisbon", category="multi-hop")))
    assert not facts_of(said, ("Where does Gina live?", label("d", answer="Porto"))), "another person"
    assert not facts_of(said, ("I feel well.", label("a", answer="Lisbon"))), "no question"
    assert not facts_of(said, ("Where?", label("a", answer="Remember moving to Lisbon?"))), "a reply, no answer"
    assert not facts_of(said, ("Where?", label("a", "b"))), "without an answer nobody knows which of the two"
    assert len(facts_of(said, ("Where?", label("a")), ("Where else?", label("a")))) == 1


def test_a_question_that_names_the_user_gives_the_chat_that_name() -> None:
    said = [entry("a", "user", "I play the oboe.", name="Jon")]
    (fact,) = facts_of(said, ("What does Jon play?", label("a")))
    assert fact.speaker == "Jon" and not facts_of(said, ("What do I play?", label("a")))[0].speaker


def test_facts_are_chosen_from_many_people() -> None:
    many = [Fact(f"{source} {n}", f"{source} {n}?", "en", source=source) for source in "abc" for n in range(30)]
    few = chosen(many, 25)
    assert few == chosen(many, 25) and {sum(f.source == name for f in few) for name in "abc"} == {5, 10}
    assert len(chosen(many, 500)) == 90 and chosen([], 5) == []


def talk(name: str, text: str = "says") -> Conversation:
    said = [entry(f"{name}{n}", ("user", "assistant")[n % 2], f"{name} {text} {n}") for n in range(200)]
    return Conversation(name, tuple(said))


def test_chats_are_of_one_person_and_always_the_same() -> None:
    facts = [Fact(f"fact {n}", f"question {n % 15}", "en", source=("one", "")[n % 2]) for n in range(40)]
    found = [talk("one"), talk("two"), talk("three")]
    first = list(chats(facts, found, 90))
    assert first == list(chats(facts, found, 90)) != list(chats(facts, found, 90, seed=8))
    for chat in first:
        questions = [fact.question for fact in chat.facts]
        assert 0 < len(questions) == len(set(questions)) <= PLANTED and len(chat.filler) == 90
        (source,) = {fact.source for fact in chat.facts}
        assert source or any(said.startswith("one") for said, _ in chat.filler)
        assert not source or not any(said.startswith("one") for said, _ in chat.filler)


def test_filler_does_not_answer_and_is_not_long() -> None:
    fact = Fact("The code is 4471.", "Which digits open the garage?", "en", "4471")
    said = [
        entry("a", "user", "My garage opens with 4471"),
        entry("b", "user", "We sold 4471 apples"),
        entry("c", "user", "y" * (LONG + 1)),
    ]
    (chat,) = chats([fact], [Conversation("x", tuple(said))], 3)
    assert {said for said, _ in chat.filler} == {"We sold 4471 apples"}
    assert not list(chats([fact], [Conversation("x", tuple(said[:1]))], 3)), "nothing may stand between"


async def test_a_fact_is_kept_by_recall_and_lost_by_a_window(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    filler = tuple((f"Let us talk about the weather, part {n}.", "Sure.") for n in range(40))
    facts = (
        Fact("The code of the garage is 4471.", "Which code has the garage?", "en"),
        Fact("The oboe hangs in the attic.", "Where is the oboe?", "en", source="x", lead="What did I say?"),
    )
    passed: list[int] = []
    kept = await measure(memory, Chat(facts, filler), [1, 40], ["balanced", "casual"], budget=500, passed=passed.append)
    near, _, far, told = kept
    assert sum(passed) == 40 and (near.turns, far.turns) == (1, 40)
    assert near.shown == {"balanced": True, "casual": True}
    for one in (far, told):
        assert one.shown == {"balanced": True, "casual": False} and one.found and one.rank == 1
        assert one.first == one.fact.text and one.relevance == one.first_relevance > 0
    assert far.full > near.full and far.tokens["balanced"] <= 500 < far.full
    rows = summary(kept, [1, 40], ["balanced"])
    assert [(row["kind"], row["turns"], row["facts"]) for row in rows] == [
        ("all", 1, 2), ("all", 40, 2), ("made-up", 1, 1), ("made-up", 40, 1), ("labelled", 1, 1), ("labelled", 40, 1),
    ]  # fmt: skip


async def test_a_named_user_goes_by_the_name_everywhere(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    fact = Fact("I play the oboe.", "What does Jon play?", "en", source="x", speaker="Jon")
    await measure(memory, Chat((fact,), (("Nice weather.", "Yes."),)), [1], [], budget=500)
    said = await memory.messages(user_id="replayed")
    assert [message.name for message in said] == ["Jon", None, "Jon", None]


@pytest.mark.parametrize(("hits", "of", "low", "high"), [(0, 0, 0, 1), (10, 10, 0.72, 1), (0, 10, 0, 0.28), (50, 100, 0.40, 0.60)])  # fmt: skip
def test_shares_have_their_interval(hits: int, of: int, low: float, high: float) -> None:
    value, lower, upper = share(hits, of)
    assert lower <= value <= upper and (lower, upper) == pytest.approx((low, high), abs=0.005)


def test_a_derived_text_counts_where_it_has_the_answer() -> None:
    fact = Fact("My niece is called Maren and she is in first grade.", "What is her name?", "en", "Maren")
    message = Message("m", "s", "user", fact.text)
    assert shows(Item((message,)), fact, "m") and not shows(Item((message,)), fact, "n")
    assert shows(Item((message,), text="My niece is called Maren"), fact, "m")
    assert not shows(Item((message,), text="she is in first grade"), fact, "m")
    summary = Item((message,), text="They talked of presents.", covers=(("s", 1, 16),))
    assert not shows(summary, fact, "m")

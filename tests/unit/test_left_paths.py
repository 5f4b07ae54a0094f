"""Facts and notes follow the path that a session takes: edits, restores, answers asked for again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jiyi import KeyFacts, Memory, Notes, SlidingWindow
from jiyi.testing import ScriptedLLM

DAYS = [datetime(2026, 3, day, 9, tzinfo=UTC) for day in range(1, 10)]


def opened(llm: ScriptedLLM | None = None, every: int = 16) -> Memory:
    recipe = [KeyFacts(every=every), Notes(every=every), SlidingWindow(2)]
    return Memory.open("memory:", recipe=recipe, embedder=None, memory_llm=llm)


def known(memory: Memory) -> list[tuple[str, str]]:
    """Kind and text of what holds now."""
    return sorted((record.kind, record.text) for record in memory.records(user_id="ada"))


@pytest.mark.parametrize(
    ("home", "other", "edited"),
    [
        ("I live in Lisbon.", "I live in Porto.", "My sister lives in Porto."),
        ("我住在杭州。", "我搬到上海了。", "我妹妹搬到上海了。"),
    ],
)
def test_an_edited_message_closes_nothing(home: str, other: str, edited: str) -> None:
    with opened() as memory:
        chat = memory.session("s", user_id="ada")
        chat.add("user", home, created_at=DAYS[0])
        chat.add("user", other, created_at=DAYS[1])
        memory.drain()
        chat.sync([{"role": "user", "content": home}, {"role": "user", "content": edited}])
        memory.drain()
        (fact,) = memory.records(user_id="ada", key="user.home")
        assert fact.text == home.rstrip(".。")
        assert {("note", other.rstrip(".。")), ("fact", other.rstrip(".。"))}.isdisjoint(known(memory))
        after = known(memory)
        memory.rebuild()
        assert known(memory) == after
        assert home.rstrip(".。") in str(memory.session("z", user_id="ada").context("?", max_tokens=400).messages)


def test_what_was_left_before_it_was_derived_is_known_when_its_path_comes_back() -> None:
    with opened() as memory:
        chat = memory.session("s", user_id="ada")
        chat.add("user", "My budget is 500 dollars.")
        chat.checkpoint("before")
        chat.add("user", "I am allergic to nuts.")
        chat.checkpoint("after")
        chat.restore("before")
        memory.drain()
        assert {text for _, text in known(memory)} == {"My budget is 500 dollars"}
        chat.restore("after")
        memory.drain()
        assert known(memory)[0] == ("fact", "I am allergic to nuts") and len(known(memory)) == 4
        chat.restore("before")
        memory.drain()
        assert {text for _, text in known(memory)} == {"My budget is 500 dollars"}


def test_what_is_said_on_two_paths_keeps_the_one_that_stands() -> None:
    with opened() as memory:
        one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
        one.add("user", "I am allergic to nuts.")
        start = two.add("user", "Hello there, good morning.")
        two.add("user", "I am allergic to nuts.")
        memory.drain()
        two.branch(start.id)
        memory.drain()
        found = memory.records(user_id="ada")
        assert [len(record.sources) for record in found] == [1, 1]


def test_a_model_is_not_asked_about_a_path_that_was_left() -> None:
    llm = ScriptedLLM(lambda call: '{"facts": [], "notes": []}')
    with opened(llm, every=1) as memory:
        chat = memory.session("s", user_id="ada")
        start = chat.add("user", "My budget is 500 dollars.")
        chat.add("user", "I am allergic to nuts.")
        memory.drain()
        calls = len(llm.calls)
        chat.branch(start.id)
        memory.drain()
        assert len(llm.calls) == calls and {text for _, text in known(memory)} == {"My budget is 500 dollars"}

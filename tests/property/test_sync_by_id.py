"""A framework's state under random runs, recorded by id: grown, edited in place, thinned out, gone back in, repeated."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.testing import FakeClock

State = list[dict[str, Any]]

ops = st.lists(
    st.tuples(
        st.sampled_from(["say", "edit", "take out", "go back", "summarise", "again", "tail", "other thread"]),
        st.integers(0, 8),
        st.sampled_from(["ok", "好", "another text"]),
    ),
    min_size=1,
    max_size=12,
)


def _step(state: State, states: list[State], op: tuple[str, int, str], number: int) -> State:
    kind, at, text = op
    fresh = {"role": "user", "content": text, "id": f"m{number}"}
    if kind == "edit" and state:
        at %= len(state)
        return [*state[:at], {**state[at], "content": f"{state[at]['content']} {text}"}, *state[at + 1 :]]
    if kind == "take out" and len(state) > 1:
        at %= len(state) - 1
        return [*state[:at], *state[at + 1 :]]
    if kind == "go back" and states:
        return states[at % len(states)]
    if kind == "summarise" and len(state) > 1:
        return [{**fresh, "content": "what was said before"}, *state[len(state) // 2 :]]
    return [*state, fresh] if kind == "say" else state


@given(ops)
@settings(max_examples=150, deadline=None)
def test_a_state_is_recorded_whole_and_once(steps: list[tuple[str, int, str]]) -> None:
    asyncio.run(_play(steps))


async def _play(steps: list[tuple[str, int, str]]) -> None:
    memory = await AsyncMemory.open(
        "memory:", embedder=None, tokenizer="estimate", clock=FakeClock(), settings=Settings()
    )
    states: list[State] = []
    state: State = []
    for number, step in enumerate(steps):
        state = _step(state, states, step, number)
        if not state:
            continue
        states.append(state)
        chat = memory.session("two" if step[0] == "other thread" else "one", user_id="ada")
        given = state[-1:] if step[0] == "tail" else state
        synced = await chat.sync(given, by="id")
        path = await chat.messages()
        assert path[-1].text == given[-1]["content"]
        kept = [message.text for message in path]
        known = len(given) - len(synced.added) - synced.known  # what others put in front is passed over
        assert known >= 0
        assert _is_part([m["content"] for m in given[known:]], kept)
        again = await chat.sync(given, by="id")
        assert again.added == () and [m.id for m in await chat.messages()] == [m.id for m in path]
    await memory.close()


def _is_part(texts: list[str], of: list[str]) -> bool:
    """Whether the texts stand in the list in their order, with others in between."""
    rest = iter(of)
    return all(any(text == other for other in rest) for text in texts)

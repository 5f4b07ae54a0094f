"""Checkpoints of a session: saved by name, listed, gone back to, compared, deleted; and saved every so many turns."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from jiyi import AsyncSession, Conflict, InvalidInput, NotFound, StoreError
from jiyi.checkpoints import KEPT
from jiyi.testing import FakeClock
from tests.conftest import OpenMemory

NAMES = ["方案一", "the plan", "a%", "*", "'; DROP TABLE checkpoint; --", "cp'", "🎒", "../cp", "Auto:1", "x" * 512]


async def texts(chat: AsyncSession) -> list[str]:
    return [message.text for message in await chat.messages()]


async def say(chat: AsyncSession, *said: str) -> None:
    """Turns: what the user says and an answer to it."""
    for text in said:
        await chat.add("user", text)
        await chat.add("assistant", f"{text}!")


async def saved(chat: AsyncSession) -> list[tuple[str, int]]:
    """Automatic checkpoints and the messages on the paths to them."""
    return [(c.name, c.messages) for c in await chat.checkpoints() if c.automatic]


@pytest.fixture
async def chat(open_memory: OpenMemory) -> AsyncSession:
    return (await open_memory()).session("s", user_id="ada")


# -- saving and going back -------------------------------------------------------------------------------------------


async def test_going_back_and_on_leaves_what_followed_stored(chat: AsyncSession, clock: FakeClock) -> None:
    await say(chat, "a trip to Lisbon")
    clock.advance(60)
    saved = await chat.checkpoint("lisbon", state={"budget": 500, "待办": ["hotel"]})
    assert (saved.session_id, saved.messages, saved.created_at) == ("s", 2, clock.now())
    assert saved.message_id == (await chat.messages())[-1].id
    await say(chat, "no, Porto", "by train")
    back = await chat.restore("lisbon")
    assert back == saved and back.state == {"budget": 500, "待办": ["hotel"]}
    assert await texts(chat) == ["a trip to Lisbon", "a trip to Lisbon!"]
    await say(chat, "by plane")
    assert (await texts(chat))[2:] == ["by plane", "by plane!"]
    assert len(await chat.messages(all_branches=True)) == 8
    assert await chat.checkpoints() == [saved]


async def test_restoring_twice_and_where_one_stands_changes_nothing(chat: AsyncSession) -> None:
    await say(chat, "one", "two")
    await chat.checkpoint("here")
    for _ in range(2):
        await chat.restore("here")
        assert await texts(chat) == ["one", "one!", "two", "two!"]


async def test_before_anything_was_said(chat: AsyncSession) -> None:
    assert await chat.checkpoints() == []
    start = await chat.checkpoint("start", state={"fresh": True})
    assert (start.message_id, start.messages) == (None, 0)
    await say(chat, "one")
    assert (await chat.restore("start")).state == {"fresh": True}
    assert await texts(chat) == []
    info = await chat.info()
    assert info is not None and (info.messages, info.head_id) == (0, None)
    await say(chat, "another")
    assert await texts(chat) == ["another", "another!"]


async def test_the_way_forward_again(chat: AsyncSession) -> None:
    await say(chat, "one")
    await chat.checkpoint("early")
    await say(chat, "two")
    await chat.checkpoint("late")
    await chat.restore("early")
    await say(chat, "other")
    await chat.restore("late")
    assert await texts(chat) == ["one", "one!", "two", "two!"]


async def test_a_taken_name_is_refused_unless_overwritten(chat: AsyncSession) -> None:
    await say(chat, "one")
    first = await chat.checkpoint("cp", state={"n": 1})
    await say(chat, "two")
    with pytest.raises(Conflict, match=r"'cp' already.*another name, or overwrite"):
        await chat.checkpoint("cp")
    assert await chat.checkpoints() == [first]
    moved = await chat.checkpoint("cp", overwrite=True)
    assert (moved.messages, moved.state) == (4, {})
    assert await chat.checkpoints() == [moved]


@pytest.mark.parametrize("name", NAMES)
async def test_names_are_plain_text(chat: AsyncSession, name: str) -> None:
    await say(chat, "one")
    await chat.checkpoint(name, state={"name": name})
    await chat.checkpoint("other")
    await say(chat, "two")
    assert (await chat.restore(name)).state == {"name": name}
    await chat.delete_checkpoint(name)
    assert [c.name for c in await chat.checkpoints()] == ["other"]


@pytest.mark.parametrize("name", ["", " ", " cp", "cp ", None, 3, "a\nb", "\x00", "x" * 513, "auto:", "auto:00000001"])
async def test_names_that_are_refused(chat: AsyncSession, name: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        await chat.checkpoint(name)
    assert caught.value.field == "name"
    assert await chat.info() is None


@pytest.mark.parametrize("state", ["text", [1], {"x": object()}, {"x": float("nan")}, {"x": "\ud800"}])
async def test_a_state_that_is_no_json_object_is_refused(chat: AsyncSession, state: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        await chat.checkpoint("cp", state=state)
    assert caught.value.field == "state"
    assert await chat.checkpoints() == []


async def test_a_name_that_is_not_there_says_which_are(chat: AsyncSession) -> None:
    for use in (chat.restore, chat.delete_checkpoint, chat.diff, chat.fork):
        with pytest.raises(NotFound, match="it has none"):
            await use("cp")
    await chat.checkpoint("方案")
    for use in (chat.restore, chat.delete_checkpoint, chat.diff, chat.fork):
        with pytest.raises(NotFound, match="no checkpoint '方'; there are '方案'"):
            await use("方")


async def test_off_the_record_there_is_nothing_to_save(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada", off_record=True)
    await chat.add("user", "hush")
    uses = [chat.checkpoint("x"), chat.checkpoints(), chat.restore("x"), chat.fork(), chat.diff("x"),
            chat.delete_checkpoint("x")]  # fmt: skip
    for use in uses:
        with pytest.raises(InvalidInput, match="off the record"):
            await use
    with pytest.raises(InvalidInput, match="off the record"):
        memory.session("s", user_id="ada", off_record=True, checkpoint_every=2)
    assert await memory.users() == []


async def test_each_user_and_session_has_its_own(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    ada, bob, other = (memory.session(s, user_id=u) for s, u in (("s", "ada"), ("s", "bob"), ("S", "ada")))
    for chat in (ada, bob, other):
        await say(chat, chat.id)
        await chat.checkpoint("cp", state={"whose": [chat.user_id, chat.id]})
    assert (await bob.restore("cp")).state == {"whose": ["bob", "s"]}
    await ada.delete_checkpoint("cp")
    assert (len(await ada.checkpoints()), len(await bob.checkpoints()), len(await other.checkpoints())) == (0, 1, 1)


# -- comparing -------------------------------------------------------------------------------------------------------


async def test_what_was_said_in_the_one_and_not_in_the_other(chat: AsyncSession) -> None:
    await chat.checkpoint("start")
    await say(chat, "one")
    await chat.checkpoint("fork")
    await say(chat, "left")
    await chat.checkpoint("left")
    await chat.restore("fork")
    await say(chat, "right", "more")
    found = await chat.diff("left")
    assert found.common is not None and found.common.text == "one!"
    assert [m.text for m in found.only_a] == ["left", "left!"]
    assert [m.text for m in found.only_b] == ["right", "right!", "more", "more!"]
    turned = await chat.diff(None, "left")
    assert (turned.common, turned.only_a, turned.only_b) == (found.common, found.only_b, found.only_a)
    after = await chat.diff("fork", "left")
    assert (after.common, after.only_a, after.only_b) == (found.common, (), found.only_a)
    begin = await chat.diff("start", "left")
    assert (begin.common, begin.only_a, len(begin.only_b)) == (None, (), 4)
    same = await chat.diff("left", "left")
    assert (same.common, same.only_a, same.only_b) == (found.only_a[-1], (), ())


# -- erasure ---------------------------------------------------------------------------------------------------------


async def test_an_erased_message_moves_the_checkpoint_before_it(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await say(chat, "one", "secret")
    await chat.checkpoint("cp")
    await say(chat, "three")
    ids = [message.id for message in await chat.messages()]
    await memory.forget(user_id="ada", message_ids=ids[2:4])
    assert [(c.name, c.message_id, c.messages) for c in await chat.checkpoints()] == [("cp", ids[1], 2)]
    await chat.restore("cp")
    assert await texts(chat) == ["one", "one!"]


async def test_an_erased_session_and_user_take_theirs_along(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    for name in ("s", "t"):
        chat = memory.session(name, user_id="ada")
        await say(chat, "one")
        await chat.checkpoint("cp")
    assert (await memory.stats("ada")).checkpoints == 2
    assert (await memory.forget(user_id="ada", session_id="s")).checkpoints == 1
    assert await memory.session("s", user_id="ada").checkpoints() == []
    assert (await memory.forget(user_id="ada")).checkpoints == 1
    assert await memory.session("t", user_id="ada").checkpoints() == []


# -- every so many turns ---------------------------------------------------------------------------------------------


async def test_every_second_turn_is_saved_when_its_reply_is_there(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=2)
    await say(chat, "one")
    await chat.add("user", "two")
    assert await saved(chat) == []
    await chat.add("assistant", "two!")
    assert await saved(chat) == [("auto:00000003", 4)]
    await say(chat, "three", "four", "five")
    assert await saved(chat) == [("auto:00000003", 4), ("auto:00000007", 8)]
    await chat.restore("auto:00000003")
    assert (await texts(chat))[-1] == "two!"


async def test_without_being_asked_none_is_saved(chat: AsyncSession) -> None:
    await say(chat, *map(str, range(12)))
    assert await chat.checkpoints() == []


async def test_a_turn_with_tools_is_complete_with_the_reply(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=1)
    await chat.add("system", "Be kind.")
    await chat.add("user", "what is the weather")
    await chat.add("assistant", None, tool_calls=[{"id": "c1", "type": "function"}])
    await chat.add("tool", "18 degrees", tool_call_id="c1")
    await chat.add("assistant", "It is", incomplete=True)
    assert await saved(chat) == []
    await chat.add("assistant", "It is 18 degrees.")
    assert await saved(chat) == [("auto:00000002", 6)]
    await chat.add("assistant", "Take a coat.")  # the same turn: its checkpoint moves to the end
    assert await saved(chat) == [("auto:00000002", 7)]


async def test_a_greeting_is_no_turn(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=1)
    await chat.add("assistant", "Hello, how can I help?")
    assert await chat.checkpoints() == []


async def test_the_newest_automatic_ones_are_kept_and_all_the_others(open_memory: OpenMemory, clock: FakeClock) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=1)
    await chat.checkpoint("first")
    for number in range(KEPT + 5):
        clock.advance(60)
        await say(chat, str(number))
    await chat.checkpoint("last")
    kept = await chat.checkpoints()
    assert [c.name for c in kept if not c.automatic] == ["first", "last"]
    assert [c.messages for c in kept if c.automatic] == [2 * n for n in range(6, KEPT + 6)]


async def test_turns_are_those_of_the_path_whoever_added_them(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    one, other = (memory.session("s", user_id="ada", checkpoint_every=3) for _ in range(2))
    await say(one, "one", "two")
    await say(other, "three")
    assert await saved(one) == [("auto:00000005", 6)]
    await say(other, "four")
    await say(one, "five", "six")
    assert await saved(one) == [("auto:00000005", 6), ("auto:00000011", 12)]
    await one.restore("auto:00000005")
    await say(one, "5 again", "6 again")
    assert len(await saved(one)) == 2
    await say(one, "7 again")
    assert [messages for _, messages in await saved(one)] == [6, 12, 12]  # of two branches, each its own


async def test_a_reply_made_anew_takes_the_place_of_the_one_before(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=1)
    asked = await chat.add("user", "tell me a joke")
    await chat.add("assistant", "no")
    await chat.branch(asked.id)
    again = await chat.add("assistant", "a horse walks into a bar")
    (checkpoint,) = await chat.checkpoints()
    assert checkpoint.message_id == again.id


async def test_many_at_once_and_sync_are_counted_as_well(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada", checkpoint_every=2)
    lines = [{"role": role, "content": f"{n} {role}"} for n in range(5) for role in ("user", "assistant")]
    await chat.add_many(lines)
    assert await saved(chat) == [("auto:00000007", 8)]  # the last that is due
    await chat.sync([*lines, {"role": "user", "content": "5"}, {"role": "assistant", "content": "5!"}])
    assert [messages for _, messages in await saved(chat)] == [8, 12]


async def test_a_checkpoint_that_fails_does_not_take_the_message_along(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada", checkpoint_every=1)

    async def fail(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(memory.store, "put_checkpoint", fail)
    with caplog.at_level(logging.WARNING, "jiyi.checkpoints"):
        await say(chat, "one")
    assert await texts(chat) == ["one", "one!"]
    assert "the disk is full" in caplog.text


@pytest.mark.parametrize("every", [0, -1, True, 1.5, "2"])
async def test_a_number_of_turns_that_makes_no_sense(open_memory: OpenMemory, every: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        (await open_memory()).session("s", user_id="ada", checkpoint_every=every)
    assert caught.value.field == "checkpoint_every"


async def test_nothing_is_read_or_written_between_the_turns_that_are_due(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.worker.stop()  # which reads messages too
    chat = memory.session("s", user_id="ada", checkpoint_every=10)
    await say(chat, "one")
    calls: list[str] = []
    for name in ("seqs", "messages", "checkpoints", "put_checkpoint"):
        _count(memory.store, name, calls)
    await say(chat, *map(str, range(8)))
    assert calls == []
    await say(chat, "ten")
    assert calls == ["put_checkpoint", "checkpoints"]


def _count(store: Any, name: str, calls: list[str]) -> None:
    used = getattr(store, name)

    async def counted(*args: Any, **more: Any) -> Any:
        calls.append(name)
        return await used(*args, **more)

    setattr(store, name, counted)


async def test_the_recipe_says_how_often_unless_the_session_does(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe="task_agent")
    chat = memory.session("by the recipe", user_id="ada")
    await say(chat, *map(str, range(12)))
    assert [count for _, count in await saved(chat)] == [20]
    own = memory.session("its own", user_id="ada", checkpoint_every=5)
    await say(own, *map(str, range(12)))
    assert [count for _, count in await saved(own)] == [10, 20]
    await say(memory.session(user_id="ada", off_record=True), *map(str, range(12)))  # stores nothing, and does not fail
    await memory.use_recipe("casual")
    none = memory.session("none", user_id="ada")
    await say(none, *map(str, range(12)))
    assert await saved(none) == []

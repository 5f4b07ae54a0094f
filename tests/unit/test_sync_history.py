"""``sync``: a client sends its whole history each turn (the session part of case D23, for its whole kind)."""

from __future__ import annotations

import asyncio

import pytest

from jiyi import AsyncSession, InvalidInput
from tests.conftest import OpenMemory


def chat_of(*texts: str) -> list[dict[str, object]]:
    """Messages that alternate between user and assistant."""
    return [{"role": "assistant" if i % 2 else "user", "content": text} for i, text in enumerate(texts)]


async def texts(session: AsyncSession) -> list[str]:
    return [message.text for message in await session.messages()]


async def test_a_growing_history_is_stored_once(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    u1, a1, u2, a2, u3, a3 = "Book room 4 for Monday.", "Booked.", "And Tuesday?", "Also booked.", "Thanks", "Welcome"
    await chat.sync(chat_of(u1))
    await chat.add("assistant", a1)
    await chat.sync(chat_of(u1, a1, u2))
    await chat.add("assistant", a2)
    for _ in range(2):  # the last request is sent twice, as after a timeout
        result = await chat.sync(chat_of(u1, a1, u2, a2, u3))
    assert result.added == () and result.known == 5
    await chat.add("assistant", a3)
    assert await texts(chat) == [u1, a1, u2, a2, u3, a3]
    assert [m.position for m in await chat.messages()] == [1, 2, 3, 4, 5, 6]


async def test_two_genuine_equal_messages_are_both_kept(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    ok = {"role": "user", "content": "ok"}
    await chat.sync([ok])
    await chat.sync([ok, ok])
    assert await texts(chat) == ["ok", "ok"]
    assert (await chat.sync([ok, ok])).added == ()


async def test_the_same_message_id_adds_nothing(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = [{"role": "user", "content": "Book room 4", "id": "msg-1"}]
    added = (await chat.sync(first)).added
    assert [m.id for m in added] == ["msg-1"]
    await chat.add("user", "Book room 4", message_id="msg-1")
    assert len(await chat.messages()) == 1


async def test_system_text_is_ignored(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync([{"role": "system", "content": "v1"}, *chat_of("hello there", "hi")])
    result = await chat.sync(
        [{"role": "system", "content": "v2, with the time 12:01"}, *chat_of("hello there", "hi", "so")]
    )
    assert [m.text for m in result.added] == ["so"]
    assert await texts(chat) == ["hello there", "hi", "so"]


async def test_a_truncated_history_is_aligned(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    whole = [f"message number {i} about the trip" for i in range(12)]
    await chat.sync(chat_of(*whole))
    result = await chat.sync(chat_of(*whole[6:], "and a new one"))
    assert [m.text for m in result.added] == ["and a new one"]
    assert await texts(chat) == [*whole, "and a new one"]


async def test_an_edited_history_becomes_a_branch_and_can_come_back(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = ("Plan three days", "Old plan: the seaside", "Fine, book it", "Booked the seaside")
    await chat.sync(chat_of(*first))
    result = await chat.sync(chat_of("Plan three days", "New plan: the old town", "Good"))
    assert result.branched and result.known == 1
    assert await texts(chat) == ["Plan three days", "New plan: the old town", "Good"]
    back = await chat.sync(chat_of(*first, "Anything else?"))
    assert [m.text for m in back.added] == ["Anything else?"]
    assert await texts(chat) == [*first, "Anything else?"]
    assert len(await chat.messages(all_branches=True)) == 7


async def test_chats_that_share_a_greeting_stay_apart(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
    await one.sync(chat_of("hi", "Hello! How can I help?", "Book a flight to Oslo", "Done"))
    await two.sync(chat_of("hi", "Hello! How can I help?", "Bake bread with me", "Sure"))
    assert await texts(one) == ["hi", "Hello! How can I help?", "Book a flight to Oslo", "Done"]
    assert await texts(two) == ["hi", "Hello! How can I help?", "Bake bread with me", "Sure"]


async def test_digests_are_salted_per_user(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    digests = {
        (await memory.session("s", user_id=user).sync(chat_of("the same words"))).added[0].digest
        for user in ("ada", "bo")
    }
    assert len(digests) == 2


async def test_syncs_at_once_store_one_copy(open_memory: OpenMemory, url: str) -> None:
    memories = [await open_memory()]
    if url != "memory:":
        memories.append(await open_memory())
    history = chat_of(*(f"line {i} of the same talk" for i in range(6)))
    await asyncio.gather(*(m.session("s", user_id="ada").sync(history) for m in memories for _ in range(4)))
    assert await texts(memories[0].session("s", user_id="ada")) == [str(m["content"]) for m in history]


@pytest.mark.parametrize("bad", ["hello", {"role": "user"}, [{"role": "robot", "content": "x"}], [None]])
async def test_bad_histories_change_nothing(open_memory: OpenMemory, bad: object) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync(chat_of("one", "two"))
    with pytest.raises(InvalidInput):
        await chat.sync(bad)  # type: ignore[arg-type]
    assert await texts(chat) == ["one", "two"]


def named(*pairs: tuple[str, str]) -> list[dict[str, object]]:
    """Messages with ids of the client's own."""
    return [
        {"role": "assistant" if i % 2 else "user", "content": text, "id": name} for i, (name, text) in enumerate(pairs)
    ]


async def test_clients_with_their_own_ids_lose_nothing(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    history = [(f"id-{i}", f"text {i}") for i in range(4)]
    await chat.sync(named(*history))
    edited = [history[0], ("id-1b", "text 1 in other words"), *history[2:]]
    result = await chat.sync(named(*edited))
    assert await texts(chat) == [text for _, text in edited]
    assert all(message.active for message in result.added)
    await chat.sync(named(*history))
    assert await texts(chat) == [text for _, text in history]
    same_id = [history[0], ("id-1", "text 1 edited in place"), *history[2:]]
    await chat.sync(named(*same_id))
    assert await texts(chat) == [text for _, text in same_id]


async def test_a_cut_history_is_recognised_by_one_id(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync(named(*((f"id-{i}", f"text {i}") for i in range(4))))
    await chat.sync([{"role": "assistant", "content": "text 3", "id": "id-3"}, {"role": "user", "content": "text 4"}])
    assert await texts(chat) == [f"text {i}" for i in range(5)]


async def test_instructions_stay_when_the_first_message_is_edited(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.add("system", "You are a parcel desk.")
    await chat.sync(chat_of("Where is parcel 1?", "In Ghent."))
    await chat.sync(chat_of("Where is parcel 2?"))
    assert await texts(chat) == ["You are a parcel desk.", "Where is parcel 2?"]
    context = await chat.context()
    assert context.messages[0] == {"role": "system", "content": "You are a parcel desk."}


async def test_undoing_an_edit_behind_instructions_comes_back(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync(chat_of("one", "two"))
    await chat.add("developer", "be brief")
    await chat.sync(chat_of("one", "two", "three", "four"))
    await chat.sync(chat_of("one", "two", "edited"))
    await chat.sync(chat_of("one", "two", "three", "four"))
    assert await texts(chat) == ["one", "two", "be brief", "three", "four"]


async def test_a_regenerated_reply_that_was_left_is_found_again(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync(chat_of("question", "answer"))
    await chat.sync(chat_of("question"))
    assert await texts(chat) == ["question"]
    await chat.sync(chat_of("question", "answer", "thanks"))
    assert await texts(chat) == ["question", "answer", "thanks"]
    assert len(await chat.messages(all_branches=True)) == 3


async def test_a_message_that_was_erased_comes_back_when_it_is_sent_again(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    history = chat_of("first", "second", "third", "fourth")
    first = (await chat.sync(history)).added[0]
    await memory.forget(user_id="ada", message_ids=[first.id])
    for _ in range(2):
        await chat.sync(history)
        assert await texts(chat) == ["first", "second", "third", "fourth"]


async def test_the_same_ids_in_two_sessions_are_two_messages(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
    for chat in (one, two):
        await chat.sync(named(("1", "hi"), ("2", "hello")))
        await chat.sync(named(("1", "hi"), ("2", "hello"), ("3", "so")))
        assert await texts(chat) == ["hi", "hello", "so"]


async def test_instructions_at_the_start_do_not_hide_the_old_path(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.add("system", "S")
    await chat.sync(chat_of("one", "two"))
    await chat.sync(chat_of("one B"))
    result = await chat.sync(chat_of("one", "two", "three"))
    assert [m.text for m in result.added] == ["three"]
    assert await texts(chat) == ["S", "one", "two", "three"]


# -- by id: frameworks that name every message


async def test_by_id_a_state_is_stored_once_and_equal_messages_twice(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    state = named(("u1", "ok"), ("a1", "Fine."), ("u2", "ok"))
    for end in (1, 1, 2, 3, 3):
        result = await chat.sync(state[:end], by="id")
    assert result.added == () and result.known == 3
    assert [(m.id, m.text) for m in await chat.messages()] == [("u1", "ok"), ("a1", "Fine."), ("u2", "ok")]


async def test_by_id_the_new_part_alone_goes_to_the_end(open_memory: OpenMemory) -> None:
    """An agent without a checkpointer gets only what is new; by content "ok" would be the first message again."""
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.sync(named(("u1", "ok"), ("a1", "好的。")), by="id")
    await chat.sync(named(("u2", "ok")), by="id")
    await chat.sync([{"role": "assistant", "content": "还有吗？", "id": "a2"}], by="id")
    assert [m.id for m in await chat.messages()] == ["u1", "a1", "u2", "a2"]


async def test_by_id_an_earlier_place_becomes_a_branch_and_comes_back(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = named(("u1", "one"), ("a1", "two"), ("u2", "three"), ("a2", "four"))
    await chat.sync(first, by="id")
    again = [*first[:2], {"role": "user", "content": "three, in other words", "id": "u3"}]
    result = await chat.sync(again, by="id")
    assert result.branched and result.known == 2
    assert [m.id for m in await chat.messages()] == ["u1", "a1", "u3"]
    assert (await chat.sync(first, by="id")).added == ()
    assert [m.id for m in await chat.messages()] == ["u1", "a1", "u2", "a2"]
    assert (await chat.sync(first[:2], by="id")).branched  # a run that goes on from there
    assert [m.id for m in await chat.messages()] == ["u1", "a1"]
    assert len(await chat.messages(all_branches=True)) == 5


@pytest.mark.parametrize("at", [0, 1, 2, 3])
async def test_by_id_what_was_edited_in_place_is_stored_once_under_a_name_of_its_own(
    open_memory: OpenMemory, at: int
) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = named(("u1", "one"), ("a1", "two"), ("u2", "three"), ("a2", "four"))
    await chat.sync(first, by="id")
    edited = [*first]
    edited[at] = {**first[at], "content": "edited by a person"}
    for _ in range(3):
        await chat.sync(edited, by="id")
        assert await texts(chat) == [str(m["content"]) for m in edited]
    kept = len(await chat.messages(all_branches=True))
    more = [*edited, {"role": "user", "content": "five", "id": "u3"}]
    for _ in range(2):
        await chat.sync(more, by="id")
    assert len(await chat.messages(all_branches=True)) == kept + 1
    assert (await chat.messages())[-1].id == "u3"


async def test_by_id_what_others_put_in_front_or_took_out_is_no_edit(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = named(("u1", "one"), ("a1", "two"), ("u2", "three"), ("a2", "four"))
    await chat.sync(first, by="id")
    for n in range(3):  # a summary that is new each time, and a result that was taken out of the state
        summary = {"role": "user", "content": f"Summary {n}", "id": f"sum-{n}"}
        await chat.sync([summary, first[0], first[2], first[3]], by="id")
    assert [m.id for m in await chat.messages()] == ["u1", "a1", "u2", "a2"]
    assert len(await chat.messages(all_branches=True)) == 4


async def test_by_id_the_same_ids_may_stand_in_two_sessions(open_memory: OpenMemory) -> None:
    """A thread that was copied has the ids of the first."""
    memory = await open_memory()
    one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
    state = named(("u1", "一"), ("a1", "二"), ("u2", "三"))
    await one.sync(state, by="id")
    for end in (2, 3, 3):
        await two.sync(state[:end], by="id")
    assert await texts(two) == await texts(one) == ["一", "二", "三"]
    assert len(await memory.messages(user_id="ada")) == 6


async def test_by_id_every_message_has_one(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    with pytest.raises(InvalidInput, match=r"messages\[1\].id"):
        await chat.sync([*named(("u1", "one")), {"role": "assistant", "content": "two"}], by="id")
    with pytest.raises(InvalidInput, match="by"):
        await chat.sync([], by="name")  # type: ignore[arg-type]
    assert await texts(chat) == []


async def test_by_id_syncs_at_once_store_one_copy(open_memory: OpenMemory, url: str) -> None:
    memories = [await open_memory()]
    if url != "memory:":
        memories.append(await open_memory())
    state = named(*((f"id-{i}", f"line {i}") for i in range(6)))
    await asyncio.gather(*(m.session("s", user_id="ada").sync(state, by="id") for m in memories for _ in range(4)))
    assert [m.id for m in await memories[0].session("s", user_id="ada").messages()] == [m["id"] for m in state]
    assert len(await memories[0].messages(user_id="ada")) == 6


async def test_what_came_in_another_order_by_id_is_known(open_memory: OpenMemory) -> None:
    """Nodes that run at once record in the order of arrival; the state they are joined in has another one."""
    chat = (await open_memory()).session("s", user_id="ada")
    tell, one, two, three = ({"role": "assistant", "content": text, "id": text} for text in ("tell", "one", "two", "3"))
    await chat.add_many([tell, three, two, one])
    four = {"role": "user", "content": "四", "id": "four"}
    assert (await chat.sync([tell, one, two, three], by="id")).added == ()
    assert await texts(chat) == ["tell", "3", "two", "one"]
    assert [m.text for m in (await chat.sync([tell, one, two, three, four], by="id")).added] == ["四"]
    assert await texts(chat) == ["tell", "3", "two", "one", "四"]


async def test_by_id_what_goes_on_from_a_left_path_stands_behind_all_of_it(open_memory: OpenMemory) -> None:
    """A run that began at an earlier checkpoint failed; the next one goes on from the newest."""
    chat = (await open_memory()).session("s", user_id="ada")
    newest = named(("u1", "one"), ("a1", "two"), ("u2", "three"), ("a2", "四"))
    await chat.sync(newest, by="id")
    for place in (1, 2, 3):
        await chat.sync(newest[:place], by="id")
        await chat.sync(newest, by="id")
        assert await texts(chat) == ["one", "two", "three", "四"]
        await chat.sync(newest[:place], by="id")
        more = [*newest, {"role": "user", "content": f"five after {place}", "id": f"u{place + 2}"}]
        assert (await chat.sync(more, by="id")).known == 4
        assert await texts(chat) == ["one", "two", "three", "四", f"five after {place}"]
        assert (await chat.sync(more, by="id")).added == ()
    assert len(await chat.messages(all_branches=True)) == 7


async def test_by_id_a_copied_thread_stays_whole_when_the_first_is_erased(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    one, two = memory.session("one", user_id="ada"), memory.session("two", user_id="ada")
    state = named(("u1", "一"), ("a1", "二"), ("u2", "三"))
    for chat in (one, two):
        await chat.sync(state, by="id")
    await memory.forget(user_id="ada", session_id="one")
    more = [*state, {"role": "assistant", "content": "四", "id": "a2"}]
    for came in (state, more, more):
        await two.sync(came, by="id")
        assert await texts(two) == [str(message["content"]) for message in came]
    assert len(await memory.messages(user_id="ada")) == 4

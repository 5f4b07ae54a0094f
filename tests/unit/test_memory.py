from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from jiyi import AsyncMemory, Conflict, InvalidInput, NotFound, StoreError
from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.testing import FakeClock, ScriptedLLM, echo
from jiyi.types import Vector
from tests.conftest import OpenMemory

BLANKS = ["", "  ", None, {}, 3]


async def test_a_session_is_resumed_by_its_id(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s-1", user_id="ada")
    await chat.add("user", "I moved to Lisbon last week.")
    await chat.add("assistant", "How is it?")
    again = memory.session("s-1", user_id="ada")
    assert [m.text for m in await again.messages()] == ["I moved to Lisbon last week.", "How is it?"]
    assert [m.seq for m in await again.messages()] == [1, 2]


async def test_two_equal_messages_in_a_row_are_both_kept(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    await chat.add("user", "ok")
    await chat.add("user", "ok")
    assert len(await chat.messages()) == 2


async def test_a_given_message_id_is_idempotent(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    first = await chat.add("user", "ok", message_id="m1")
    assert (await chat.add("user", "ok", message_id="m1")).seq == first.seq
    assert len(await chat.messages()) == 1
    with pytest.raises(Conflict, match="m1"):
        await chat.add("user", "something else", message_id="m1")


async def test_add_many_is_all_or_nothing(open_memory: OpenMemory) -> None:
    chat = (await open_memory()).session("s", user_id="ada")
    with pytest.raises(InvalidInput, match=r"messages\[1\].role"):
        await chat.add_many([{"role": "user", "content": "a"}, {"role": "robot", "content": "b"}])
    assert await chat.messages() == []
    assert len(await chat.add_many([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])) == 2
    assert await chat.add_many([]) == []


@pytest.mark.parametrize("user", BLANKS)
async def test_no_call_goes_without_a_user(open_memory: OpenMemory, user: object) -> None:
    memory = await open_memory()
    await memory.session("s", user_id="ada").add("user", "secret")
    for call in (
        lambda: memory.search("secret", user_id=user),  # type: ignore[arg-type]
        lambda: memory.messages(user_id=user),  # type: ignore[arg-type]
        lambda: memory.sessions(user_id=user),  # type: ignore[arg-type]
        lambda: memory.forget(user_id=user),  # type: ignore[arg-type]
        lambda: memory.remember("x", user_id=user),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidInput, match="user_id"):
            await call()
    with pytest.raises(InvalidInput, match="user_id"):
        memory.session("s", user_id=user)  # type: ignore[arg-type]
    assert (await memory.stats()).messages == 1


async def test_tenant_and_agent_fence_everything(open_memory: OpenMemory, url: str) -> None:
    if url == "memory:":
        pytest.skip("an in-memory store belongs to one memory")
    ours = await open_memory(tenant="a")
    await ours.session("s", user_id="ada").add("user", "The code word is pelican.")
    for other in (await open_memory(tenant="b"), await open_memory(tenant="a", agent="second")):
        assert await other.search("pelican", user_id="ada") == []
        assert await other.sessions(user_id="ada") == []
        assert await other.users() == []
        assert (await other.forget(user_id="ada")).messages == 0
    assert len(await ours.search("pelican", user_id="ada")) == 1


async def test_off_the_record_keeps_nothing_but_remembers_the_rest(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.session("s", user_id="ada").add("user", "My cat is called Sesame.")
    quiet = memory.session("q", user_id="ada", off_record=True)
    await quiet.add("system", "Be brief.")
    await quiet.add("user", "What is my cat called? The door code is 7731.")
    context = await quiet.context()
    assert "Sesame" in str(context.messages) and "7731" in str(context.messages)
    assert (await memory.stats()).messages == 1
    assert [session.id for session in await memory.sessions(user_id="ada")] == ["s"]
    assert await memory.search("door code 7731", user_id="ada", floor=0) == []
    with pytest.raises(InvalidInput, match="off the record"):
        await quiet.rename("x")


async def test_statements_are_found_and_filtered_like_the_rest(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.remember("Allergic to peanuts.", user_id="ada", category="health", importance=0.9, pinned=True)
    await memory.remember("Peanuts are a legume.", user_id="ada", category="trivia")
    await memory.session("s", user_id="ada").add("user", "I bought peanuts for the birds.")
    assert len(await memory.search("peanuts", user_id="ada", floor=0)) == 3
    hits = await memory.search("peanuts", user_id="ada", category="health", floor=0)
    assert [hit.text for hit in hits] == ["Allergic to peanuts."]
    assert hits[0].kind == "statement" and hits[0].message.importance == 0.9 and hits[0].message.pinned
    kinds = await memory.search("peanuts", user_id="ada", kinds="message", floor=0)
    assert [hit.text for hit in kinds] == ["I bought peanuts for the birds."]
    assert [session.id for session in await memory.sessions(user_id="ada")] == ["s"]
    for bad in ({"importance": 2}, {"categori": "x"}, {"category": ""}):
        with pytest.raises(InvalidInput):
            await memory.remember("x", user_id="ada", **bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="text"):
        await memory.remember("  ", user_id="ada")


async def test_search_filters_by_session_role_and_time(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for day, (session, role) in enumerate([("a", "user"), ("a", "assistant"), ("b", "user")]):
        chat = memory.session(session, user_id="ada")
        await chat.add(role, f"The budget talk number {day}", created_at=start + timedelta(days=day))
    await memory.session("b", user_id="ada").add("user", "The budget without a date", created_at=None)

    async def days(**where: object) -> list[str]:
        hits = await memory.search("budget", user_id="ada", floor=0, **where)  # type: ignore[arg-type]
        return sorted(hit.text[-1] for hit in hits)

    assert await days() == ["0", "1", "2", "e"]
    assert await days(session_id="a") == ["0", "1"]
    assert await days(roles="assistant") == ["1"]
    assert await days(roles=["user"], session_id="b") == ["2", "e"]
    assert await days(since=start + timedelta(days=1)) == ["1", "2"]
    assert await days(until=start + timedelta(days=1)) == ["0"]
    for bad in ({"roles": "robot"}, {"kinds": "fact"}, {"since": datetime(2026, 1, 1)}, {"rolse": "user"}):
        with pytest.raises(InvalidInput):
            await days(**bad)


async def test_neighbours_of_a_hit_come_in_order(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    for text in ("one", "two", "the kiwi statement", "four", "five"):
        await chat.add("user", text)
    hit = (await memory.search("kiwi", user_id="ada", neighbours=2, floor=0))[0]
    assert [m.text for m in hit.before] == ["one", "two"]
    assert [m.text for m in hit.after] == ["four", "five"]
    (hit,) = await memory.search("kiwi", user_id="ada", neighbours=10**9, k=1)
    assert [m.text for m in hit.before] == ["one", "two"] and len(hit.after) == 2


async def test_neighbours_are_those_of_the_hits_own_path(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    for name in ("s", "t"):
        chat = memory.session(name, user_id="ada")
        for text in (f"{name} one", f"the kiwi of {name}", f"{name} left"):
            await chat.add("user", text)
        await chat.branch((await chat.messages())[1].id)
        await chat.add("user", f"{name} three")
    hits = await memory.search("kiwi", user_id="ada", neighbours=1)
    found = {hit.text: [m.text for m in (*hit.before, *hit.after)] for hit in hits if "kiwi" in hit.text}
    assert found == {f"the kiwi of {name}": [f"{name} one", f"{name} three"] for name in ("s", "t")}


async def test_search_sees_what_is_not_indexed_yet(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.worker.stop()
    chat = memory.session("s", user_id="ada")
    await chat.add("user", "The spare key is under the blue pot.")
    assert [hit.text for hit in await memory.search("spare key", user_id="ada")] == [
        "The spare key is under the blue pot."
    ]
    before = await memory.search("spare key", user_id="ada", floor=0)
    await memory.worker.start()
    await memory.drain()
    after = await memory.search("spare key", user_id="ada", floor=0)
    assert [(h.message.id, round(h.score, 6)) for h in before] == [(h.message.id, round(h.score, 6)) for h in after]


async def test_branching_hides_what_was_left_and_comes_back(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    asked = await chat.add("user", "Plan three days for me")
    old = await chat.add("assistant", "Old plan: the seaside")
    await chat.branch(asked.id)
    new = await chat.add("assistant", "New plan: the old town")
    assert [m.id for m in await chat.messages()] == [asked.id, new.id]
    assert await memory.search("seaside", user_id="ada", floor=0) == []
    assert len(await chat.messages(all_branches=True)) == 3
    await chat.branch(old.id)
    assert [m.id for m in await chat.messages()] == [asked.id, old.id]
    with pytest.raises(NotFound):
        await chat.branch("nowhere")


async def test_rename_keeps_the_id(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    with pytest.raises(NotFound):
        await chat.rename("旅行")
    await chat.add("user", "hi")
    assert (await chat.rename("旅行")).title == "旅行"
    info = await memory.session("s", user_id="ada").info()
    assert info is not None and info.title == "旅行" and info.messages == 1


async def test_context_uses_the_newest_question_and_leaves_it_in_place(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    await memory.session("old", user_id="ada").add("user", "My budget for the gift is 500 yuan.")
    chat = memory.session("new", user_id="ada")
    await chat.add("system", "You help with shopping.")
    await chat.add("user", "What was my gift budget?")
    context = await chat.context(max_tokens=300)
    assert context.messages[0] == {"role": "system", "content": "You help with shopping."}
    assert context.messages[-1] == {"role": "user", "content": "What was my gift budget?"}
    assert "500 yuan" in str(context.messages[1])
    assert context.tokens <= 300
    assert str(context.messages).count("What was my gift budget?") == 1


async def test_a_context_without_any_message_is_empty_or_memory_alone(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    assert (await memory.session("new", user_id="ada").context()).messages == []
    await memory.session("old", user_id="ada").add("user", "My budget for the gift is 500 yuan.")
    context = await memory.session("new", user_id="ada").context("gift budget")
    assert len(context.messages) == 1 and "500 yuan" in str(context.messages[0])
    for bad in (0, -1, True, "many"):
        with pytest.raises(InvalidInput, match="max_tokens"):
            await memory.session("new", user_id="ada").context(max_tokens=bad)  # type: ignore[arg-type]


async def test_branches_that_were_left_do_not_crowd_out_the_path(open_memory: OpenMemory) -> None:
    memory = await open_memory(embedder="hashing")
    chat = memory.session("s", user_id="ada")
    start = await chat.add("user", "hello")
    await chat.add_many([{"role": "user", "content": f"the budget, try {i}"} for i in range(450)])
    await chat.branch(start.id)
    await chat.add("user", "the budget is settled")
    for drained in (False, True):
        hits = await memory.search("budget", user_id="ada", floor=0)
        assert "the budget is settled" in [hit.text for hit in hits], drained
        await memory.drain()


async def test_a_filter_is_not_starved_by_common_words(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe="casual")
    await memory.session("old", user_id="ada").add_many(
        [{"role": "user", "content": f"apple number {i}"} for i in range(2300)]
    )
    await memory.session("new", user_id="ada").add("user", "apple pie")
    await memory.drain()
    assert [h.text for h in await memory.search("apple", user_id="ada", session_id="new", floor=0)] == ["apple pie"]


@pytest.mark.parametrize("option", ["recpie", "embeder", "user_id"])
async def test_a_mistyped_option_is_refused(open_memory: OpenMemory, option: str) -> None:
    with pytest.raises(InvalidInput, match=option):
        await open_memory(**{option: "casual"})


async def test_odd_limits_and_moments(open_memory: OpenMemory) -> None:
    memory = await open_memory()
    chat = memory.session("s", user_id="ada")
    await chat.add("user", "the budget")
    for bad in ("x", -1, True, 2.5):
        with pytest.raises(InvalidInput, match="limit"):
            await memory.messages(user_id="ada", limit=bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="limit"):
            await chat.messages(bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="neighbours"):
            await memory.search("budget", user_id="ada", neighbours=bad)  # type: ignore[arg-type]
    assert await memory.search("budget", user_id="ada", until="now", floor=0) == []  # type: ignore[arg-type]
    quiet = memory.session("q", user_id="ada", off_record=True)
    first = await quiet.add("user", "psst", message_id="m")
    assert await quiet.add("user", "psst", message_id="m") == first
    assert await quiet.messages() == [first] and await quiet.messages(0) == [] == await chat.messages(0)


async def test_the_address_of_a_store_opens_it_again(open_memory: OpenMemory, url: str) -> None:
    if url == "memory:":
        pytest.skip("an in-memory store has no address")
    memory = await open_memory()
    await memory.remember("Plays the cello", user_id="ada")
    again = await open_memory(memory.store.url)
    assert len(await again.messages(user_id="ada")) == 1


class Broken(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.name = "broken"
        self.down = True

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self.down:
            raise ConnectionError("no route to the model")
        return await super().embed(texts)


async def test_another_embedder_is_said_and_reindexed(open_memory: OpenMemory, clock: FakeClock, url: str) -> None:
    if url == "memory:":
        pytest.skip("an in-memory store is never opened again")
    first = await open_memory(embedder="hashing")
    await first.remember("Plays the cello", user_id="ada")
    await first.drain()
    assert first.warnings == []
    embedder = Broken()
    second = await open_memory(embedder=embedder)
    assert "jiyi reindex" in second.warnings[0]
    assert [hit.text for hit in await second.search("cello", user_id="ada")] == ["Plays the cello"]
    with pytest.raises(StoreError, match="no route"):
        await second.reindex()
    assert HashingEmbedder().name in await second.store.models(), "the old vectors stay until the new ones are there"
    assert second.warnings
    embedder.down = False
    clock.advance(3600)
    await second.reindex()
    assert list(await second.store.models()) == ["broken"] and second.warnings == []
    assert (await open_memory(embedder=embedder)).warnings == []


async def test_reindexing_says_nothing_new_of_the_chat_model(open_memory: OpenMemory) -> None:
    settings = Settings(llm="deepseek:deepseek-chat")  # and no key
    memory = await AsyncMemory.open("memory:", settings=settings, embedder=HashingEmbedder())
    assert len(memory.warnings) == 1 and "DEEPSEEK_API_KEY" in memory.warnings[0]
    await memory.reindex()
    assert len(memory.warnings) == 1
    await memory.close()


async def test_what_was_opened_by_name_is_closed_when_opening_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[ScriptedLLM] = []

    class Kept(ScriptedLLM):
        def __init__(self) -> None:
            super().__init__(echo)
            opened.append(self)

    monkeypatch.setattr(f"{__name__}.Named", Kept, raising=False)
    with pytest.raises(NotFound, match="no recipe"):
        await AsyncMemory.open("memory:", llm=f"{__name__}:Named", recipe="nobody", settings=Settings())
    assert [llm.closed for llm in opened] == [True]


async def test_how_much_a_message_matters_can_be_said(open_memory: OpenMemory) -> None:
    session = (await open_memory()).session("s", user_id="ada")
    await session.add("user", "hm", importance=0.9)
    await session.add_many([{"role": "user", "content": "ok", "pinned": True}])
    assert [(m.importance, m.pinned) for m in await session.messages()] == [(0.9, False), (None, True)]
    for wrong in (1.5, -1, True, "high"):
        with pytest.raises(InvalidInput) as caught:
            await session.add("user", "hm", importance=wrong)  # type: ignore[arg-type]
        assert caught.value.field == "importance"

"""People see what is remembered, and correct it: through the memory, on every store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi import AsyncMemory, InvalidInput, NotFound, Record, SlidingWindow
from jiyi.curated import Curated
from jiyi.testing import FakeClock
from tests.conftest import OpenMemory
from tests.stating import Facts, texts


@pytest.fixture
async def memory(open_memory: OpenMemory) -> AsyncMemory:
    return await open_memory(recipe=[Facts(), SlidingWindow(2)])


async def say(memory: AsyncMemory, *said: str, session: str = "s1") -> None:
    for text in said:
        await memory.session(session, user_id="ada").add("user", text)
    await memory.drain()


async def only(memory: AsyncMemory, **which: object) -> Record:
    (found,) = await memory.records(user_id="ada", **which)  # type: ignore[arg-type]
    return found


async def prompt(memory: AsyncMemory) -> str:
    """The memory section of a new session."""
    chat = memory.session("new", user_id="ada")
    if not await chat.messages():
        await chat.add("user", "hello")
    return str((await chat.context()).messages[0]["content"])


async def test_records_are_listed_filtered_and_found(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.")
    for later in ("I have two cats.", "I live in Porto."):
        clock.advance(60)
        await say(memory, later)
    assert texts(await memory.records(user_id="ada")) == ["I have two cats", "I live in Porto"]
    assert texts(await memory.records(user_id="ada", current=None)) == [
        "I live in Lisbon",
        "I have two cats",
        "I live in Porto",
    ]
    assert texts(await memory.records(user_id="ada", current=False)) == ["I live in Lisbon"]
    assert texts(await memory.records(user_id="ada", key="user.pet")) == ["I have two cats"]
    assert texts(await memory.records(user_id="ada", kind="note")) == []
    assert texts(await memory.records(user_id="ada", limit=1)) == ["I live in Porto"]
    assert texts(await memory.records(user_id="ada", query="cats")) == ["I have two cats"]
    assert await memory.records(user_id="bob") == []
    with pytest.raises(InvalidInput, match="kin"):
        await memory.records(user_id="ada", kin="fact")  # type: ignore[call-arg]


async def test_a_correction_acts_at_once_and_stays(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.")
    clock.advance(60)
    was = await only(memory)
    now = await memory.correct(was.id, "I live in Braga", user_id="ada")
    assert (now.id, now.text, now.data["by"]) == (was.id, "I live in Braga", "person")
    assert (
        "Braga" in await prompt(memory) and "Lisbon" not in (await prompt(memory)).partition("hello")[0].split("---")[0]
    )
    await memory.rebuild()
    assert texts(await memory.records(user_id="ada")) == ["I live in Braga"]
    assert texts(await memory.records(user_id="ada", query="Braga")) == ["I live in Braga"]
    clock.advance(60)
    await say(memory, "I live in Porto.", session="s2")
    assert texts(await memory.records(user_id="ada")) == ["I live in Porto"]
    assert [(e.what, e.text) for e in await memory.history(was.id, user_id="ada")] == [
        ("said", "I live in Lisbon"), ("correct", "I live in Braga"), ("said", "I live in Porto"),
        ("closed", "I live in Braga"),
    ]  # fmt: skip


async def test_by_the_names_that_it_is_about_also_after_commands(memory: AsyncMemory, clock: FakeClock) -> None:
    for said in ("I live in Lisbon.", "I have two cats."):
        await say(memory, said)
        clock.advance(60)
    was = await only(memory, key="user.home")
    await memory.correct(was.id, "I live in Braga", user_id="ada")
    curated = Curated(memory.store, memory.scope("ada"))
    assert texts(await curated.records(links=["user"])) == ["I live in Braga", "I have two cats"]
    assert texts(await curated.records(links=["nobody", "user"], limit=1)) == ["I live in Braga"]
    assert await curated.records(links=["nobody"]) == await curated.records(links=[]) == []


async def test_a_correction_has_the_value_that_it_states(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "我住在里斯本。")
    now = await memory.correct((await only(memory)).id, "我住在波尔图", user_id="ada")
    assert now.data["value"] == "波尔图"
    clock.advance(60)
    await say(memory, "对，我住在波尔图。")  # the same, so nothing is closed
    record = await only(memory, current=None)
    assert record.id == now.id and len(record.sources) == 2


async def test_pinned_hidden_recovered(memory: AsyncMemory) -> None:
    await say(memory, "I live in Lisbon.")
    record = await only(memory)
    assert (await memory.pin(record.id, user_id="ada")).pinned
    await memory.rebuild()
    assert (await only(memory)).pinned
    assert not (await memory.pin(record.id, user_id="ada", pinned=False)).pinned
    assert (await memory.hide(record.id, user_id="ada")).hidden
    assert await memory.records(user_id="ada") == [] and await memory.records(user_id="ada", query="Lisbon") == []
    assert texts(await memory.records(user_id="ada", hidden=True)) == ["I live in Lisbon"]
    assert "live in Lisbon" not in await prompt(memory)
    assert not (await memory.recover(record.id, user_id="ada")).hidden
    assert "live in Lisbon" in await prompt(memory)


async def test_a_deleted_fact_stays_away_unless_it_is_said_again(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "我住在里斯本。", "I have two cats.")
    home = await only(memory, key="user.home")
    clock.advance(60)
    await memory.delete(home.id, user_id="ada")
    for again in range(3):
        assert texts(await memory.records(user_id="ada", current=None, hidden=True)) == ["I have two cats"]
        assert await memory.records(user_id="ada", query="里斯本") == []
        assert "我住在里斯本" not in await prompt(memory)
        if again == 0:
            await memory.rebuild()
        if again == 1:  # an old export is imported once more, under other ids
            old = {"role": "user", "content": "我住在里斯本。", "created_at": clock.now() - timedelta(days=1)}
            await memory.session("import", user_id="ada").add_many([old])
            await memory.drain()
    with pytest.raises(NotFound, match="recover"):
        await memory.record(home.id, user_id="ada")
    clock.advance(60)
    await say(memory, "我住在里斯本，真的。", session="s9")
    assert "我住在里斯本" in texts(await memory.records(user_id="ada"))


async def test_a_deleted_fact_is_recovered(memory: AsyncMemory) -> None:
    await say(memory, "I live in Lisbon.")
    home = await only(memory)
    await memory.delete(home.id, user_id="ada")
    assert (await memory.recover(home.id, user_id="ada")).text == "I live in Lisbon"
    assert [event.what for event in await memory.history(home.id, user_id="ada")] == ["said", "delete", "recover"]
    with pytest.raises(NotFound, match="neither"):
        await memory.recover("nothing", user_id="ada")


async def test_what_was_closed_is_confirmed(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.")
    clock.advance(60)
    await say(memory, "I live in Porto.")
    clock.advance(60)
    (closed,) = await memory.records(user_id="ada", current=False)
    assert (await memory.confirm(closed.id, user_id="ada")).closed_at is None
    assert texts(await memory.records(user_id="ada")) == ["I live in Lisbon"]


async def test_a_conflict_stays_to_be_seen_until_one_is_confirmed(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "我生日是五月一日。")
    clock.advance(60)
    await say(memory, "我生日是六月二日。", session="s2")
    both = await memory.records(user_id="ada")
    assert [record.data["status"] for record in both] == ["conflict", "conflict"]
    clock.advance(60)
    right = await memory.confirm(both[1].id, user_id="ada")
    assert (right.text, right.data["status"]) == ("我生日是六月二日", "")
    assert texts(await memory.records(user_id="ada")) == ["我生日是六月二日"]
    (wrong,) = await memory.records(user_id="ada", current=False)
    assert (wrong.text, wrong.closed_at) == ("我生日是五月一日", clock.now())
    await memory.rebuild()
    assert texts(await memory.records(user_id="ada")) == ["我生日是六月二日"]
    what = [(event.what, event.text, event.by) for event in await memory.history(wrong.id, user_id="ada")]
    assert what == [("said", wrong.text, ""), ("said", right.text, ""), ("closed", wrong.text, right.id),
                    ("confirm", "", "")]  # fmt: skip


async def test_commands_of_the_wrong_kind(memory: AsyncMemory) -> None:
    await say(memory, "I live in Lisbon.")
    home = await only(memory)
    with pytest.raises(InvalidInput, match="text"):
        await memory.correct(home.id, "  ", user_id="ada")
    with pytest.raises(NotFound, match="records\\(\\)"):
        await memory.pin("nothing", user_id="ada")
    with pytest.raises(NotFound):
        await memory.pin(home.id, user_id="bob")
    with pytest.raises(InvalidInput, match="record_id"):
        await memory.record("", user_id="ada")


async def test_the_memory_of_a_day(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.")
    then = clock.now()
    clock.advance(60)
    await memory.correct((await only(memory)).id, "I live in Braga", user_id="ada")
    clock.advance(60)
    await say(memory, "I live in Porto.")
    assert texts(await memory.records(user_id="ada", as_of=then)) == ["I live in Lisbon"]
    assert texts(await memory.records(user_id="ada", as_of=then + timedelta(seconds=60))) == ["I live in Braga"]
    assert texts(await memory.records(user_id="ada", as_of=clock.now())) == ["I live in Porto"]
    hits = await memory.search("where do I live", user_id="ada", floor=0, as_of=then)
    assert [hit.text for hit in hits] == ["I live in Lisbon."]
    context = str((await memory.session("s1", user_id="ada").context(as_of=then)).messages)
    assert "Lisbon" in context and "Porto" not in context and "Braga" not in context


async def test_what_is_known_about_a_user(memory: AsyncMemory) -> None:
    await say(memory, "我叫李雪。我住在里斯本。", "我养了两只猫。")
    await memory.pin((await only(memory, key="user.pet")).id, user_id="ada")
    found = await memory.about("ada")
    assert [(s.group, texts(s.records)) for s in found.sections] == [
        ("always", ["我养了两只猫", "我叫李雪"]), ("person", ["我住在里斯本"]),
    ]  # fmt: skip
    assert all(source.message_id in found.messages for record in found.records for source in record.sources)
    assert (await memory.about("bob")).sections == ()


async def test_an_erasure_takes_the_correction_of_what_it_erases(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.", session="a")
    clock.advance(60)
    await say(memory, "I have two cats.", session="b")
    home, cats = await memory.records(user_id="ada")
    await memory.correct(home.id, "I live in Braga", user_id="ada")
    await memory.correct(home.id, "I live in Faro", user_id="ada")
    await memory.pin(cats.id, user_id="ada")
    await memory.forget(user_id="ada", session_id="a")
    await memory.drain()
    assert texts(await memory.records(user_id="ada", current=None, hidden=True)) == ["I have two cats"]
    assert [command.does for command in await memory.commands(user_id="ada")] == ["pin"]


async def test_a_tombstone_stays_as_long_as_something_says_it(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, "I live in Lisbon.", session="a")
    clock.advance(60)
    await say(memory, "I live in Lisbon.", session="b")
    await memory.delete((await only(memory)).id, user_id="ada")
    await memory.forget(user_id="ada", session_id="a")
    await memory.drain()
    assert await memory.records(user_id="ada", current=None) == []
    await memory.forget(user_id="ada", session_id="b")
    assert await memory.commands(user_id="ada") == []

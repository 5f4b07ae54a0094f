"""People say what is one thing and what it is called: through the memory, on every store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import pytest

from jiyi import AsyncMemory, InvalidInput, NotFound, Record, SlidingWindow
from jiyi.commands import listed
from jiyi.entities import messages_of, name_of, names_of
from jiyi.testing import FakeClock
from jiyi.types import Scope, Which
from tests.conftest import OpenMemory
from tests.naming import Named


@pytest.fixture
async def memory(open_memory: OpenMemory) -> AsyncMemory:
    return await open_memory(recipe=[Named(), SlidingWindow(2)])


async def say(memory: AsyncMemory, clock: FakeClock, *said: str, session: str = "s1") -> list[str]:
    ids: list[str] = []
    for text in said:
        clock.advance(60)
        ids.append((await memory.session(session, user_id="ada").add("user", text)).id)
    await memory.drain()
    return ids


def kept_in(folder: Path) -> bytes:
    return b"".join(part.read_bytes() for part in folder.iterdir())


async def entities(memory: AsyncMemory, **which: object) -> list[Record]:
    return await memory.records(user_id="ada", kind="entity", **which)  # type: ignore[arg-type]


async def called(memory: AsyncMemory, name: str) -> Record:
    (found,) = [one for one in await entities(memory) if name in names_of(one)]
    return found


async def names(memory: AsyncMemory) -> list[str]:
    return sorted(map(name_of, await entities(memory)))


async def rebuilt(memory: AsyncMemory) -> Sequence[Record]:
    """All records; the same after a rebuild."""
    before = await memory.records(user_id="ada", current=None, hidden=True)
    await memory.rebuild()
    assert await memory.records(user_id="ada", current=None, hidden=True) == before
    return before


PEOPLE = ("<Bob:person> called.", "<Robert> is in town.", "<Mia> works at <Acme>.")


async def test_two_that_are_one_are_merged_and_stay_so(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, *PEOPLE)
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    merged = await memory.merge(bob.id, robert.id, user_id="ada")
    assert (merged.id, name_of(merged), set(merged.links)) == (robert.id, "Robert", {"robert", "bob"})
    assert set(messages_of(merged)) == set(said[:2]) and merged.data["type"] == "person"
    assert await memory.record(bob.id, user_id="ada") == merged
    assert await names(memory) == ["Acme", "Mia", "Robert"]
    later = await say(memory, clock, "<Bob> called again.", "<Robert> left.")
    await rebuilt(memory)
    assert set(messages_of(await memory.record(bob.id, user_id="ada"))) == {*said[:2], *later}


async def test_a_merged_one_goes_into_a_third(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Bob> called.", "<Robert> is here.", "<R. Miller> wrote.")
    bob, robert, miller = [await called(memory, name) for name in ("Bob", "Robert", "R. Miller")]
    await memory.merge(bob.id, robert.id, user_id="ada")
    await memory.merge(bob.id, miller.id, user_id="ada")
    assert await names(memory) == ["R. Miller"]
    assert sorted(listed(await memory.record(bob.id, user_id="ada"), "joined")) == sorted([bob.id, robert.id])
    assert name_of(await memory.recover(robert.id, user_id="ada")) == "Robert"
    assert await names(memory) == ["R. Miller", "Robert"]
    assert name_of(await memory.record(bob.id, user_id="ada")) == "Robert"
    with pytest.raises(InvalidInput, match="already"):
        await memory.merge(bob.id, robert.id, user_id="ada")


async def test_messages_that_mean_another_one_are_split_off(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Tom> fixed my bike.", "<Tom> sent the invoice.", "<Tom> paid the invoice.")
    tom = await called(memory, "Tom")
    other = await memory.split(tom.id, said[1:], user_id="ada", name="Tom Baker")
    assert (name_of(other), set(messages_of(other))) == ("Tom Baker", set(said[1:]))
    assert set(messages_of(await memory.record(tom.id, user_id="ada"))) == {said[0]}
    assert [name_of(one) for one in await entities(memory, query="Tom Baker")][0] == "Tom Baker"
    (later,) = await say(memory, clock, "<Tom> came by.")  # nobody says which one: the one that is derived
    await rebuilt(memory)
    assert set(messages_of(await memory.record(tom.id, user_id="ada"))) == {said[0], later}
    assert name_of(await memory.recover(other.id, user_id="ada")) == "Tom"
    assert set(messages_of(await called(memory, "Tom"))) == {*said, later}
    with pytest.raises(NotFound):
        await memory.record(other.id, user_id="ada")


async def test_what_was_split_off_lives_as_long_as_one_of_its_messages(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Tom> fixed my bike.", "<Tom> sent the invoice.", "<Tom> paid the invoice.")
    other = await memory.split((await called(memory, "Tom")).id, said[1:], user_id="ada", name="Tom Baker")
    await memory.forget(user_id="ada", message_ids=[said[1]])
    await memory.drain()
    left = await memory.record(other.id, user_id="ada")
    assert (name_of(left), set(messages_of(left))) == ("Tom", {said[2]})  # the name that was given may tell of it
    assert [one.does for one in await memory.commands(user_id="ada")] == ["split"]
    await memory.forget(user_id="ada", message_ids=[said[2]])
    await memory.drain()
    assert await memory.commands(user_id="ada") == [] and await names(memory) == ["Tom"]


async def test_a_name_that_was_given_leaves_no_trace(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "memory.db"
    memory = await AsyncMemory.open(file, recipe=[Named()], embedder=None, clock=clock)
    said = await say(memory, clock, "<Tom> fixed my bike.", "<Tom> sent the invoice.", "#Atlas runs.")
    await memory.split((await called(memory, "Tom")).id, [said[1]], user_id="ada", name="Tomasz Zieliński")
    await memory.session("s2", user_id="ada").set_topic("Zieliński gegen Acme")
    await memory.forget(user_id="ada", message_ids=[said[1]])
    await memory.forget(user_id="ada", session_id="s2")
    await memory.close()
    assert b"Zieli" not in kept_in(tmp_path)


async def test_what_was_merged_is_split_again(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Bob> called.", "<Robert> is here.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    merged = await memory.merge(bob.id, robert.id, user_id="ada")
    part = await memory.split(merged.id, [said[0]], user_id="ada")
    assert name_of(part) == "Bob" and await names(memory) == ["Bob", "Robert"]
    await memory.recover(bob.id, user_id="ada")
    await rebuilt(memory)
    assert [one.id for one in await entities(memory)] == [bob.id, robert.id]


async def test_a_renamed_one_is_found_by_both_names(memory: AsyncMemory, clock: FakeClock) -> None:
    (said,) = await say(memory, clock, "<小林> 来了。")
    record = await called(memory, "小林")
    await memory.rename(record.id, "林薇", user_id="ada")
    (later,) = await say(memory, clock, "<小林> 走了。")
    await rebuilt(memory)
    found = await memory.record(record.id, user_id="ada")
    assert (name_of(found), names_of(found), found.text) == ("林薇", ("林薇", "小林"), "林薇，又名小林")
    assert set(messages_of(found)) == {said, later}
    assert [one.id for one in await entities(memory, query="林薇")] == [record.id]
    for name in ("林薇", "小林"):
        graph = await memory.graph(user_id="ada", about=name)
        assert [one.name for one in graph.entities] == ["林薇"]
    await memory.forget(user_id="ada", message_ids=[said])
    await memory.drain()
    assert names_of(await memory.record(record.id, user_id="ada")) == ("小林",)
    assert await memory.commands(user_id="ada") == []


async def test_relations_follow_what_was_merged(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Bob> works at <Acme>.", "<Robert> works at <Initech>.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    await memory.merge(bob.id, robert.id, user_id="ada")
    for name in ("Bob", "Robert"):
        graph = await memory.graph(user_id="ada", about=name)
        assert sorted((one.head.name, one.tail.name) for one in graph.relations) == [
            ("Robert", "Acme"), ("Robert", "Initech"),
        ]  # fmt: skip


async def test_relations_follow_what_was_split_off(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Tom> knows <Ann>.", "<Tom> knows <Eve>.")
    tom = await called(memory, "Tom")
    await memory.split(tom.id, [said[1]], user_id="ada", name="Tom Baker")
    for name in ("Tom Baker", "Eve", "Ann", "Tom"):
        graph = await memory.graph(user_id="ada", about=name, hops=1)
        pairs = {(one.head.name, one.tail.name) for one in graph.relations}
        assert pairs <= {("Tom Baker", "Eve"), ("Tom", "Ann")}
        assert any(name in pair for pair in pairs)


async def test_a_secret_in_a_name_is_taken_out(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[Named()], redact=True)
    made = await memory.session("s", user_id="ada").set_topic("the card 4111 1111 1111 1111")
    assert made and "4111" not in str(made) and made.id == (await memory.records(user_id="ada"))[0].id


async def test_what_was_ordered_before_a_merge_sleeps(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Bob> called.", "<Robert> is here.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    await memory.hide(bob.id, user_id="ada")
    await memory.pin(robert.id, user_id="ada")
    merged = await memory.merge(bob.id, robert.id, user_id="ada")
    assert (merged.pinned, merged.hidden) == (True, False)
    parted = await memory.recover(bob.id, user_id="ada")
    assert (parted.pinned, parted.hidden) == (False, True)


async def test_deleted_after_a_merge_is_all_of_it(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Bob> called.", "<Robert> is here.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    await memory.merge(bob.id, robert.id, user_id="ada")
    await memory.delete(bob.id, user_id="ada")
    assert await names(memory) == []
    later = await say(memory, clock, "<Bob> called.")
    await rebuilt(memory)
    found = await memory.record(robert.id, user_id="ada")
    assert set(messages_of(found)) == set(later)  # what was said before stays away
    await memory.delete(robert.id, user_id="ada")
    assert name_of(await memory.recover(bob.id, user_id="ada")) == "Bob"
    assert name_of(await memory.recover(robert.id, user_id="ada")) == "Robert"


async def test_as_it_was_before_the_order(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Bob> called.", "<Robert> is here.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    before = clock.now()
    clock.advance(60)
    await memory.merge(bob.id, robert.id, user_id="ada")
    merged = clock.now()
    clock.advance(60)
    await memory.recover(bob.id, user_id="ada")
    found = [[name_of(one) for one in await entities(memory, as_of=at)] for at in (before, merged, clock.now())]
    assert found == [["Bob", "Robert"], ["Robert"], ["Bob", "Robert"]]


async def test_topics_are_merged_and_renamed(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "#Atlas runs on Postgres.", "#Globe has three pages.")
    globe, atlas = sorted(await memory.records(user_id="ada", kind="topic"), key=lambda one: one.text, reverse=True)
    await memory.merge(globe.id, atlas.id, user_id="ada")
    await memory.rename(atlas.id, "World map", user_id="ada")
    (found,) = await memory.records(user_id="ada", kind="topic")
    assert found.data["name"] == "World map" and {"atlas", "globe", "world map"} == set(found.links)
    assert {source.message_id for source in found.sources} == set(said)
    await rebuilt(memory)
    assert found.id == (await memory.record(globe.id, user_id="ada")).id


async def test_a_session_belongs_to_the_topic_that_a_person_says(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "#Atlas runs on Postgres.")
    chat = memory.session("s2", user_id="ada")
    atlas = await chat.set_topic("atlas")
    assert atlas and listed(atlas, "chosen") == ["s2"]
    new = await chat.set_topic("新网站")
    assert new and new.data["name"] == "新网站" and listed(new, "chosen") == ["s2"]
    assert listed(await memory.record(atlas.id, user_id="ada"), "chosen") == []
    await say(memory, clock, "#新网站 用什么框架？")
    await rebuilt(memory)
    found = await memory.record(new.id, user_id="ada")
    assert listed(found, "chosen") == ["s2"] and found.sources[0].message_id != found.id
    assert await chat.set_topic(None) is None
    assert listed(await memory.record(new.id, user_id="ada"), "chosen") == []
    await chat.set_topic(atlas.id)
    assert listed(await memory.record(atlas.id, user_id="ada"), "chosen") == ["s2"]
    with pytest.raises(InvalidInput, match="topic"):
        await chat.set_topic(" ")
    with pytest.raises(InvalidInput, match="off the record"):
        await memory.session("s3", user_id="ada", off_record=True).set_topic("atlas")


async def test_a_topic_that_was_chosen_goes_with_its_session(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "Hello.", session="s2")
    await memory.session("s2", user_id="ada").set_topic("Divorce")
    await memory.session("s3", user_id="ada").set_topic("Divorce papers")  # nothing has been said in it yet
    for session in ("s2", "s3"):
        await memory.forget(user_id="ada", session_id=session)
    assert await memory.records(user_id="ada") == [] and await memory.commands(user_id="ada") == []


async def test_what_cannot_be_done(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Tom> works at <Acme>. #Atlas", "<Tom> called.")
    tom, acme = await called(memory, "Tom"), await called(memory, "Acme")
    (topic,) = await memory.records(user_id="ada", kind="topic")
    (relation,) = await memory.records(user_id="ada", kind="relation")
    with pytest.raises(InvalidInput, match="relation, which cannot be merged; entities and topics can"):
        await memory.merge(relation.id, tom.id, user_id="ada")
    with pytest.raises(InvalidInput, match="into"):
        await memory.merge(tom.id, topic.id, user_id="ada")
    with pytest.raises(InvalidInput, match="already"):
        await memory.merge(tom.id, tom.id, user_id="ada")
    with pytest.raises(NotFound):
        await memory.merge(tom.id, "nobody", user_id="ada")
    with pytest.raises(InvalidInput, match="topic, which cannot be split; entities can"):
        await memory.split(topic.id, said, user_id="ada")
    with pytest.raises(InvalidInput, match="rename"):
        await memory.split(tom.id, said, user_id="ada")
    with pytest.raises(InvalidInput, match=r"message_ids\[0\]: .* names it; there are "):
        await memory.split(acme.id, [said[1]], user_id="ada")
    for name in ("", " ", "user", "..."):
        with pytest.raises(InvalidInput, match="name"):
            await memory.rename(tom.id, name, user_id="ada")
    with pytest.raises(InvalidInput, match="relation, which cannot be corrected"):
        await memory.correct(relation.id, "Tom works at Initech", user_id="ada")
    with pytest.raises(InvalidInput, match="topic, which cannot be corrected"):
        await memory.correct(topic.id, "It is about something else", user_id="ada")
    assert await memory.commands(user_id="ada") == []


async def test_a_corrected_description_stays_while_it_is_spoken_of(memory: AsyncMemory, clock: FakeClock) -> None:
    await say(memory, clock, "<Tom> works at <Acme>.")
    tom = await called(memory, "Tom")
    await memory.correct(tom.id, "Tom, who mends bikes", user_id="ada")
    await say(memory, clock, "<Tom> called.", "<Mia> too.")
    found = await memory.record(tom.id, user_id="ada")
    assert (found.text, len(messages_of(found))) == ("Tom, who mends bikes", 2)
    merged = await memory.merge((await called(memory, "Mia")).id, tom.id, user_id="ada")
    assert (merged.text, names_of(merged)) == ("Tom, who mends bikes", ("Tom", "Mia"))


async def test_history_tells_the_orders(memory: AsyncMemory, clock: FakeClock) -> None:
    said = await say(memory, clock, "<Bob> called.", "<Robert> is here.", "<Bob> left.")
    bob, robert = await called(memory, "Bob"), await called(memory, "Robert")
    await memory.merge(bob.id, robert.id, user_id="ada")
    await memory.rename(robert.id, "Robert Miller", user_id="ada")
    part = await memory.split(robert.id, [said[2]], user_id="ada")
    history = await memory.history(robert.id, user_id="ada")
    assert [(event.what, event.by) for event in history][-3:] == [
        ("merge", robert.id), ("rename", ""), ("split", part.id),
    ]  # fmt: skip
    assert [event.what for event in await memory.history(part.id, user_id="ada")] == ["said", "split"]


async def test_a_topic_that_nobody_spoke_of_yet_has_no_others_read_with_every_record(
    memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.session("s", user_id="ada").set_topic("The garden")
    asked: list[Which] = []
    read = memory.store.records

    async def records(scope: Scope, **which: Unpack[Which]) -> list[Record]:
        asked.append(which)
        return await read(scope, **which)

    monkeypatch.setattr(memory.store, "records", records)
    assert await memory.records(kind="note", user_id="ada") == []
    assert asked and not [one for one in asked if one.get("kind") == "topic"]
    assert [one.data["name"] for one in await memory.records(kind="topic", user_id="ada")] == ["The garden"]


async def test_a_topic_that_nobody_spoke_of_yet_is_merged_like_others(memory: AsyncMemory) -> None:
    first = await memory.session("s1", user_id="ada").set_topic("Bird app")
    second = await memory.session("s2", user_id="ada").set_topic("星雀")
    assert first and second
    merged = await memory.merge(first.id, second.id, user_id="ada")
    assert (merged.data["name"], listed(merged, "chosen")) == ("星雀", ["s1", "s2"])
    assert [one.id for one in await memory.records(kind="topic", user_id="ada")] == [second.id]
    await memory.recover(first.id, user_id="ada")
    assert {one.id for one in await memory.records(kind="topic", user_id="ada")} == {first.id, second.id}

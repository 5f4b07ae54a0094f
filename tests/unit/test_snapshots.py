"""Snapshots: who a user was and where the task stood, at regular places, whatever becomes of the facts later."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from jiyi import AsyncMemory, Attribute, KeyFacts, ProfileSnapshot, SlidingWindow, Snapshot, SnapshotEntry
from jiyi.attributes import ATTRIBUTES
from jiyi.errors import InvalidInput
from jiyi.testing import FakeClock, ScriptedLLM
from jiyi.testing.scripted import Call
from tests.conftest import OpenMemory

DAY = 86400
ENGLISH = {
    1: "I'm called Ada. I live in Lisbon.", 3: "I work as a nurse.", 5: "My budget for the gift is 500 euros.",
    8: "I'm allergic to peanuts.", 12: "I have to book the hotel by Friday.", 22: "I moved to Porto.",
    25: "My budget for the gift is now 800 euros.", 33: "I no longer have to book the hotel.",
    36: "Remind me to call the bank.", 44: "I work as a teacher now.", 48: "I like jazz.",
}  # fmt: skip
CHINESE = {
    1: "我叫林薇，我住在上海。", 3: "我是一名护士。", 5: "礼物预算500块。", 8: "我对花生过敏。", 12: "别忘了续签护照。",
    22: "我搬到杭州了。", 25: "礼物预算提高到800块。", 33: "不用续签护照了。", 36: "提醒我给银行打电话。",
    44: "我现在是一名老师。", 48: "我喜欢爵士乐。",
}  # fmt: skip


async def story(memory: AsyncMemory, clock: FakeClock, told: dict[int, str], turns: int = 60) -> None:
    """So many turns, a day each; most of them say nothing that is kept."""
    chat = memory.session("s", user_id="ada")
    for turn in range(1, turns + 1):
        clock.advance(DAY)
        await chat.add("user", told.get(turn, "Thanks!" if told is ENGLISH else "好的。"))
        await chat.add("assistant", "ok")
    await memory.drain()


def said(snapshot: ProfileSnapshot, attribute: str) -> list[str]:
    return [entry.says for entry in snapshot.entries if entry.attribute == attribute]


@pytest.mark.parametrize(
    ("told", "homes", "jobs", "tasks", "heads"),
    [
        (ENGLISH, ["Lisbon", "Porto"], ["nurse", "teacher"], ["book the hotel", "call the bank"], ["profile", "task"]),
        (CHINESE, ["上海", "杭州"], ["护士", "老师"], ["续签护照", "给银行打电话"], ["用户", "任务"]),
    ],
)  # fmt: skip
async def test_a_story_of_sixty_turns(
    open_memory: OpenMemory, clock: FakeClock, told: dict[int, str], homes: list[str], jobs: list[str],
    tasks: list[str], heads: list[str],
) -> None:  # fmt: skip
    memory = await open_memory(recipe=[Snapshot(), SlidingWindow(2)])
    start = clock.now()
    await story(memory, clock, told)
    found = await memory.snapshots(user_id="ada")
    assert [one.number for one in found] == [1, 2, 3, 4, 5, 6]
    assert [one.at for one in found] == [start + timedelta(days=10 * n) for n in range(1, 7)]
    assert [said(one, "home") for one in found] == [[homes[0]], [homes[0]]] + 4 * [[homes[1]]]
    assert [jobs[0] in said(one, "job")[0] or jobs[1] in said(one, "job")[0] for one in found] == 6 * [True]
    open_ = [" ".join(said(one, "task")) for one in found]
    assert [tasks[0] in text for text in open_] == [False, True, True, False, False, False]
    assert [tasks[1] in text for text in open_] == [False, False, False, True, True, True]
    assert ["500" in one.text for one in found] == [True, True, False, False, False, False]
    assert ["800" in one.text for one in found] == [False, False, True, True, True, True]
    assert [line for line in found[5].text.splitlines() if not line.startswith(" ")] == heads

    changes = found[5].since(found[0])
    before_and_now = {now.attribute: (before.value, now.value) for before, now in changes.changed}
    assert before_and_now["home"] == tuple(homes)
    assert set(before_and_now) == {"home", "job", "budget"}
    assert {entry.attribute for entry in changes.added} - {"habit"} == {"task", "likes"}
    assert changes.removed == ()
    assert [entry.attribute for entry in found[3].since(found[2]).removed] == ["task"]
    assert found[4].since(found[4]).text == ""
    assert f"{homes[0]} -> {homes[1]}" in changes.text
    for one in found:
        for entry in one.entries:
            (message,) = [m for m in await memory.messages(user_id="ada") if m.id == entry.message_id]
            assert message.text[entry.source.start : entry.source.end] == entry.quote
            assert entry.said_at == message.created_at and entry.said_at is not None and entry.said_at <= one.at


async def test_a_record_says_what_the_snapshot_says(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe="snapshot")
    await story(memory, clock, ENGLISH, 20)
    records = await memory.records(user_id="ada", kind="snapshot")
    snapshots = await memory.snapshots(user_id="ada")
    assert [record.text for record in records] == [one.text for one in snapshots]
    assert {s.quote for s in records[0].sources} == {entry.quote for entry in snapshots[0].entries}
    assert await memory.record(records[0].id, user_id="ada") == records[0]
    assert list(records[0].data["sections"]) == ["profile", "task"]  # type: ignore[arg-type]
    assert all(r.kind != "snapshot" for r in (await memory.about("ada")).records)
    assert "snapshot" in {record.kind for record in await memory.records(user_id="ada")}
    assert await memory.records(user_id="ada", kind="snapshot", limit=1) == records[-1:]
    with pytest.raises(InvalidInput, match="the fact that it shows"):
        await memory.correct(records[0].id, "I live in Braga", user_id="ada")
    await memory.delete(records[0].id, user_id="ada")
    assert [one.number for one in await memory.snapshots(user_id="ada")] == [2]


async def test_what_people_order_reaches_every_snapshot(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(), SlidingWindow(2)])
    await story(memory, clock, ENGLISH, 30)
    facts = {r.key: r for r in await memory.records(user_id="ada", current=None)}
    assert facts["user.home"].text.startswith("I moved to Porto")
    (lisbon,) = [r for r in await memory.records(user_id="ada", key="user.home", current=False)]
    clock.advance(DAY)
    await memory.delete(facts["user.allergy"].id, user_id="ada")
    await memory.hide(facts["user.name"].id, user_id="ada")
    await memory.correct(facts["user.job"].id, "I work as a surgeon", user_id="ada")
    found = await memory.snapshots(user_id="ada")
    records = await memory.records(user_id="ada", kind="snapshot")
    for text in [*(one.text for one in found), *(record.text for record in records), str(records)]:
        assert "peanuts" not in text and "called Ada" not in text and "nurse" not in text
    assert all("surgeon" in one.text for one in found)
    assert [said(one, "home") for one in found] == [["Lisbon"], ["Lisbon"], ["Porto"]]
    await memory.delete(lisbon.id, user_id="ada")
    assert [said(one, "home") for one in await memory.snapshots(user_id="ada")] == [[], [], ["Porto"]]
    await memory.recover(facts["user.allergy"].id, user_id="ada")
    assert all("peanuts" in one.text for one in await memory.snapshots(user_id="ada"))
    await memory.rebuild()
    again = await memory.snapshots(user_id="ada")
    assert all("surgeon" in one.text and "nurse" not in one.text for one in again)


async def test_confirming_what_was_closed_changes_no_earlier_snapshot(
    open_memory: OpenMemory, clock: FakeClock
) -> None:  # fmt: skip
    memory = await open_memory(recipe="snapshot")
    await story(memory, clock, ENGLISH, 30)
    (lisbon,) = await memory.records(user_id="ada", key="user.home", current=False)
    clock.advance(DAY)
    await memory.confirm(lisbon.id, user_id="ada")
    chat = memory.session("s", user_id="ada")
    for _ in range(20):
        clock.advance(DAY)
        await chat.add("user", "Thanks!")
    await memory.drain()
    found = await memory.snapshots(user_id="ada")
    assert [said(one, "home") for one in found] == [["Lisbon"], ["Lisbon"], ["Porto"], ["Lisbon"]]


async def test_as_of_limit_and_nobody(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe="snapshot")
    start = clock.now()
    await story(memory, clock, CHINESE, 40)
    at = start + timedelta(days=25)
    assert [one.number for one in await memory.snapshots(user_id="ada", as_of=at)] == [1, 2]
    assert [one.number for one in await memory.snapshots(user_id="ada", limit=1)] == [4]
    assert await memory.snapshots(user_id="ada", limit=0) == await memory.snapshots(user_id="bob") == []
    with pytest.raises(InvalidInput, match="limit"):
        await memory.snapshots(user_id="ada", limit=-1)
    with pytest.raises(InvalidInput, match="time zone"):
        await memory.snapshots(user_id="ada", as_of=at.replace(tzinfo=None))


def tell(call: Call) -> str:
    """A model that finds a dish in what is said, and nothing else."""
    facts: list[object] = []
    for line in call.last.splitlines():
        number, _, text = line.partition(". user: ")
        for dish in ("noodles", "dumplings", "面条", "饺子"):
            if text and dish in text:
                words = json.loads(text)
                facts.append({"number": int(number), "quote": words, "text": words, "attribute": "dish", "value": dish})
    return json.dumps({"facts": facts})


@pytest.mark.parametrize(
    ("lines", "label", "values"),
    [
        (["I will have the noodles.", "I will have the dumplings."], "dish: ", ("noodles", "dumplings")),
        (["今天我点了一份面条。", "今天我点了一份饺子。"], "菜：", ("面条", "饺子")),
    ],
)
async def test_sections_of_ones_own(
    open_memory: OpenMemory, clock: FakeClock, lines: list[str], label: str, values: tuple[str, str]
) -> None:
    dish = Attribute("dish", "one", 0.8, "what is ordered", asked={"zh": "菜"})
    fields = {"order": [ATTRIBUTES["budget"], dish]}
    strategy = Snapshot(every=2, fields=fields, facts_every=4)
    memory = await open_memory(recipe=[strategy, SlidingWindow(1)], memory_llm=ScriptedLLM(tell))
    chat = memory.session("s", user_id="ada")
    budget = "我的预算是90元。" if "菜" in label else "My budget is 90 euros."
    for text in [lines[0], budget, lines[1], "Thanks!"]:
        clock.advance(DAY)
        await chat.add("user", text)
        await chat.add("assistant", "ok")
    await memory.drain()
    await memory.rebuild(["facts:rules"])  # the rules know how an attribute of one's own changes, too
    first, second = await memory.snapshots(user_id="ada")
    assert list(second.sections) == ["order"]
    assert [said(one, "dish") for one in (first, second)] == [[values[0]], [values[1]]]
    assert label + values[1] in second.text
    assert [entry.attribute for entry in second.entries] == ["budget", "dish"]
    ((before, now),) = second.since(first).changed
    assert (before.value, now.value) == values


async def test_what_a_model_finds_later_is_in_the_snapshots_before(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    chat = memory.session("s", user_id="ada")
    for text in ("I live in Lisbon.", "Thanks!"):
        clock.advance(DAY)
        await chat.add("user", text)
        await chat.add("assistant", "ok")
    await memory.drain()
    (before,) = await memory.snapshots(user_id="ada")

    def moved(call: Call) -> str:
        told = {"number": 1, "quote": "I live in Lisbon", "text": "The user lives in Lisbon.", "attribute": "home"}
        return json.dumps({"facts": [{**told, "value": "Lisbon"}]})

    model = Snapshot(every=2, facts_every=4).derivers(ScriptedLLM(moved))
    for deriver in model:
        await memory.worker.add(deriver)
    await memory.drain()
    (after,) = await memory.snapshots(user_id="ada")
    assert (before.entries[0].text, after.entries[0].text) == ("I live in Lisbon", "The user lives in Lisbon.")
    assert len(after.entries) == 1


async def test_old_messages_that_come_in_late(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    start = clock.now()
    await story(memory, clock, {1: "I live in Porto.", 3: "I work as a nurse."}, 4)
    old = memory.session("old", user_id="ada")
    for day, text in enumerate(["I live in Lisbon.", "Thanks!", "I like jazz.", "Thanks!"]):
        await old.add("user", text, created_at=start - timedelta(days=30 - day))
    await memory.drain()
    found = await memory.snapshots(user_id="ada")
    assert [one.number for one in found] == [3, 1, 2]
    assert [said(one, "home") for one in found] == [["Lisbon"], ["Porto"], ["Porto"]]
    assert [said(one, "likes") for one in found] == [["jazz"], ["jazz"], ["jazz"]]
    context = await memory.session("s", user_id="ada").context(max_tokens=500)
    told = str(context.messages[0]["content"])
    assert "home: Porto" in told and "Lisbon" not in told


async def test_messages_without_a_time_are_told_apart_by_their_place(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[Snapshot(every=1), SlidingWindow(1)])
    chat = memory.session("s", user_id="ada")
    for text in ["I live in Lisbon.", "ok", "I like jazz.", "ok", "I moved to Porto.", "ok"]:
        await chat.add("user", text, created_at=None)
    await memory.drain()
    found = await memory.snapshots(user_id="ada")
    assert [said(one, "home") for one in found] == [["Lisbon"], ["Lisbon"], ["Porto"]]
    assert [said(one, "likes") for one in found] == [[], ["jazz"], ["jazz"]]
    assert {entry.said_at for one in found for entry in one.entries} == {None}


async def contents(memory: AsyncMemory) -> str:
    context = await memory.session("now", user_id="ada").context("hello", max_tokens=2000)
    return "\n".join(str(message["content"]) for message in context.messages)


async def test_in_context_the_snapshot_and_what_was_said_since(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    await story(memory, clock, {1: "I'm called Ada. I live in Lisbon.", 2: "I like jazz."}, 2)
    chat = memory.session("s", user_id="ada")
    text = await contents(memory)
    assert "[snapshot] name: Ada; home: Lisbon" in text and "likes: jazz" in text
    clock.advance(DAY)
    await chat.add("user", "I moved to Porto.")
    await memory.drain()
    text = await contents(memory)
    assert "Lisbon" not in text and "[user] I moved to Porto" in text and "[snapshot] name: Ada" in text
    home = (await memory.records(user_id="ada", key="user.home"))[0]
    await memory.correct(home.id, "I live in Braga", user_id="ada")
    text = await contents(memory)
    assert "I live in Braga" in text and "Porto" not in text
    own = await chat.context(max_tokens=2000)
    assert str(own.messages).count("I moved to Porto") == 1  # in the window: not again as a memory


async def test_cited_lines_name_their_messages(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2, cited=True), SlidingWindow(1)])
    await story(memory, clock, {1: "I'm called Ada. 我住在上海。", 2: "I like jazz."}, 2)
    text = await contents(memory)
    (first, _, second, _) = await memory.messages(user_id="ada")
    assert first.id[-8:] in text and second.id[-8:] in text
    assert all(quote in text for quote in ("I'm called Ada", "我住在上海", "I like jazz"))


async def test_in_context_as_it_was_on_a_day(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=1), SlidingWindow(1)])
    start = clock.now()
    await story(memory, clock, {1: "I live in Lisbon.", 5: "As I said, I live in Lisbon.", 7: "I moved to Porto."}, 8)
    for day, shown in ((3, "home: Lisbon"), (6, "home: Lisbon"), (8, "home: Porto")):
        at = start + timedelta(days=day, hours=1)
        context = await memory.session("s", user_id="ada").context("hello", max_tokens=2000, as_of=at)
        told = str(context.messages[0]["content"])
        assert shown in told and told.count("home") == 1


async def test_no_snapshot_yet_and_no_room(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(max_tokens=15), SlidingWindow(1)])
    await story(memory, clock, {1: "I live in Lisbon.", 2: "I'm allergic to peanuts."}, 2)
    assert await memory.snapshots(user_id="ada") == []
    text = await contents(memory)
    assert "peanuts" in text and "Lisbon" not in text


def raw(url: str) -> bytes:
    """All bytes of a database."""
    path = Path(url)
    return b"" if url == "memory:" else b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


async def test_erased_is_gone_from_snapshots_and_from_the_file(
    open_memory: OpenMemory, clock: FakeClock, url: str
) -> None:  # fmt: skip
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    await story(memory, clock, {1: "I live in Quixhaven.", 2: "I like jazz."}, 4)
    first = [m.id for m in await memory.messages(user_id="ada") if "Quixhaven" in m.text]
    await memory.forget(user_id="ada", message_ids=first)
    await memory.drain()
    found = await memory.snapshots(user_id="ada")
    assert [one.number for one in found] == [1, 2]
    assert [said(one, "likes") for one in found] == [["jazz"], ["jazz"]] and "Quix" not in str(found)
    assert b"Quixhaven" not in raw(url)
    rest = [m.id for m in await memory.messages(user_id="ada")][:3]
    await memory.forget(user_id="ada", message_ids=rest)
    await memory.drain()
    assert [one.number for one in await memory.snapshots(user_id="ada")] == [2]


async def test_the_last_message_of_a_stretch_erased(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    start = clock.now()
    await story(memory, clock, {1: "I live in Lisbon."}, 2)
    last = (await memory.messages(user_id="ada"))[-2:]
    await memory.forget(user_id="ada", message_ids=[message.id for message in last])
    await memory.drain()
    (one,) = await memory.snapshots(user_id="ada")
    assert one.at == start + timedelta(days=1) and said(one, "home") == ["Lisbon"]


async def test_at_most_a_hundred_and_none_of_them_called_gone(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=60), SlidingWindow(1)])
    chat = memory.session("s", user_id="ada")
    for at in range(120):
        clock.advance(60)
        await chat.add("user", f"I like band {at}x{at}.")
        if at == 59:
            await chat.add("user", "I'm allergic to nuts.")
    for at in range(119):
        clock.advance(60)
        await chat.add("user", f"I am allergic to food {at}x{at}.")
    await memory.drain()
    first, second = await memory.snapshots(user_id="ada")
    assert len(first.entries) == len(second.entries) == 100
    assert second.left_out > 100 and first.left_out
    changes = second.since(first)
    assert changes.removed == () and {entry.attribute for entry in changes.added} == {"allergy"}


def test_options_are_checked() -> None:
    for wrong in ({"every": 0}, {"share": 0}, {"max_tokens": 0}, {"facts_every": 0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            Snapshot(**wrong)  # type: ignore[arg-type]
    dish = Attribute("dish", "one", 0.8)
    for fields in ({"order": ["dish"]}, {" ": [dish]}, {"order": [dish], "more": [dish]}):
        with pytest.raises(InvalidInput, match="fields"):
            Snapshot(fields=fields)  # type: ignore[arg-type]


async def test_other_fields_or_turns_mark_anew(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=2), SlidingWindow(1)])
    await story(memory, clock, {1: "I live in Lisbon."}, 8)
    assert len(await memory.snapshots(user_id="ada")) == 4
    dish = Attribute("dish", "one", 0.8)
    await memory.use_recipe([KeyFacts(), Snapshot(every=4, fields={"order": [dish]}), SlidingWindow(1)])
    await memory.drain()
    found = await memory.snapshots(user_id="ada")
    assert [one.number for one in found] == [1, 2] and said(found[0], "home") == ["Lisbon"]


def lines(entries: Sequence[SnapshotEntry]) -> list[str]:
    return [entry.line("en") for entry in entries]


async def test_a_contradiction_is_marked(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(recipe=[Snapshot(every=1), SlidingWindow(1)])
    await story(memory, clock, {1: "My birthday is 3 May.", 2: "My birthday is 5 May."}, 2)
    first, second = await memory.snapshots(user_id="ada")
    assert lines(first.entries) == ["birthday: 3 May"]
    assert len(second.entries) == 2 and all("contradicts" in line for line in lines(second.entries))
    changes = second.since(first)
    assert len(changes.changed) == len(changes.added) == 1

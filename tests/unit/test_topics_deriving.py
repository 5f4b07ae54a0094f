"""Topics by rules: which messages belong together, what is decided and open, and that it follows from the log alone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.topics import Topics
from jiyi.strategies.topics_rules import RuleTopics
from jiyi.testing.clock import FakeClock
from jiyi.topics import PART, TOPIC
from jiyi.types import Filter, Record, Scope, Which
from tests.conftest import OpenMemory
from tests.topics import BOTH, NAMES, say, tell, texts_of, topics

RECIPE = [Topics(), SlidingWindow(1)]

EXPECTED = {
    "en": (
        (
            [
                "For the Starling project we decided to use Postgres as the database",
                "Starling: the logo will be a blue bird, that's decided",
            ],
            ["Next step: the login page"],
            ["a", "c"],
        ),
        (["We'll take white tiles", "Let's go with oak for the floor of the kitchen"], [], ["b", "d"]),
    ),
    "zh": (
        (["星雀项目的数据库决定用 Postgres", "星雀的图标定了，用蓝色的鸟"], ["下一步要做登录页"], ["a", "c"]),
        (["说说厨房装修吧，瓷砖就用白色的", "厨房地板就用橡木"], [], ["b", "d"]),
    ),
}


async def records(memory: AsyncMemory) -> list[Record]:
    """All that is derived, whenever it was put."""
    found = await memory.store.records(memory.scope("ada"), current=None)
    return sorted((replace(one, seq=0) for one in found), key=lambda one: one.id)


@pytest.mark.parametrize("language", BOTH)
async def test_two_projects_stay_apart_and_keep_their_decisions(open_memory: OpenMemory, language: str) -> None:
    memory = await open_memory(recipe=RECIPE)
    await tell(memory, BOTH[language])
    found = await topics(memory)
    assert set(found) == set(NAMES[language])
    for name, expected in zip(NAMES[language], EXPECTED[language], strict=True):
        assert texts_of(found[name]) == expected
    messages = {m.id: m for m in await memory.store.messages(memory.scope("ada"), Filter())}
    for record in await memory.store.records(memory.scope("ada"), kind=TOPIC):
        assert all(s.quote is None or s.quote == messages[s.message_id].text[s.start : s.end] for s in record.sources)
        there = {source.message_id for source in record.sources}
        assert all(message in str(record.data) or message in there for message in there)


@pytest.mark.parametrize("language", BOTH)
async def test_batches_rebuilds_and_repetition_make_no_difference(open_memory: OpenMemory, language: str) -> None:
    memory = await open_memory(recipe=RECIPE)
    await tell(memory, BOTH[language])
    first = await records(memory)
    assert {one.kind for one in first} == {TOPIC, PART}
    await memory.rebuild()
    await memory.drain()
    assert await records(memory) == first, "a rebuild, in one batch"
    store, scope = memory.store, memory.scope("ada")
    messages = await store.messages(scope, Filter())
    order = random.Random(7).sample(messages, len(messages))
    for message in order:  # each stretch again, as after an erasure
        await _derive(memory, [message])
    assert await records(memory) == first, "again, in another order"


async def _derive(memory: AsyncMemory, messages: Sequence[object]) -> None:
    from functools import partial

    from jiyi.ports import Batch

    scope = memory.scope("ada")
    known = partial(memory.store.records, scope, maker="topics:rules")
    batch = Batch(scope, tuple(messages), 0, known)  # type: ignore[arg-type]
    changes = await RuleTopics().derive(batch)
    assert not changes.put and not changes.drop, "nothing new"


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("session", ["a", "b", "d"])
async def test_an_erased_session_leaves_no_trace(tmp_path: Path, clock: FakeClock, language: str, session: str) -> None:
    said: Mapping[str, Sequence[str]] = BOTH[language]
    path = tmp_path / "jiyi.db"
    async with await AsyncMemory.open(path, recipe=RECIPE, embedder=None, clock=clock) as memory:
        await tell(memory, said)
        await memory.forget(user_id="ada", session_id=session)
        await memory.drain()
        left = await records(memory)
    assert not _in_files(tmp_path, [text for text in said[session] if len(text) > 6])
    async with await AsyncMemory.open(tmp_path / "other.db", recipe=RECIPE, embedder=None, clock=clock) as other:
        await tell(other, {**said, session: ()})
        never = await records(other)
        assert [_said(one) for one in left] == [_said(one) for one in never], "as if it had never been said"
        assert f"'{session}0'" not in str(left)


def _in_files(folder: Path, texts: Sequence[str]) -> list[str]:
    files = [file.read_bytes() for file in folder.iterdir()]
    return [text for text in texts if any(text.encode() in file for file in files)]


def _said(record: Record) -> tuple[object, ...]:
    """Without the places in the log, which an erasure does not move."""
    points = {kind: [p["text"] for p in record.data[kind]] for kind in ("summary", "decisions", "open", "done")}  # type: ignore[union-attr, index, call-overload]
    return (
        record.kind,
        record.key,
        record.text,
        str(points),
        record.links,
        sorted({s.message_id for s in record.sources}),
    )


async def test_names_that_end_with_the_message_that_gave_them(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await say(memory, "a", ["For the Starling project we use Postgres.", "OK.", "We still need to choose a logo."])
    await say(memory, "b", ["The logo of the Starling is missing, and so is the favicon."])
    assert set(await topics(memory)) == {"Starling"}
    await memory.forget(user_id="ada", message_ids=["a0"])
    await memory.drain()
    found = await memory.store.records(memory.scope("ada"), current=None)
    assert not [one for one in found if one.session_id == "a" and "tarling" in str(one)], (
        "its name was said in a0 alone"
    )


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["Hi!", "Hello", "Thanks, bye"], []),
        (["你好", "您好", "谢谢"], []),
        (["What's the weather?", "Sunny."], []),
        (["I want to learn how to bake sourdough bread at home.", "OK", "The sourdough needs a starter first, I read."],
         ["sourdough bread"]),
        (["我想学做红烧肉，五花肉要怎么切？", "切块。", "红烧肉要炖多久才软烂？"], ["红烧肉"]),
        (["We are building an app called Nightjar, it counts birds.", "OK"], ["Nightjar"]),
        (["我在开发一个叫夜莺的软件。", "好"], ["夜莺"]),
        (["我的新项目叫信天翁。", "好"], ["信天翁"]),
        (["# Database migration\nWe'll move to MySQL.", "OK"], ["Database migration"]),
        (["My friend wrote: \"the Falcon project is dead, we will drop it\". Sad.", "Oh"], []),
    ],
)  # fmt: skip
async def test_what_a_session_is_about(open_memory: OpenMemory, texts: list[str], names: list[str]) -> None:
    memory = await open_memory(recipe=RECIPE)
    await say(memory, "s", texts)
    assert list(await topics(memory)) == names


async def test_a_message_of_two_projects_gives_each_its_own(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await say(memory, "s", ["For the Starling project we'll use Postgres. For the garden project we'll take roses."])
    found = await topics(memory)
    assert texts_of(found["Starling"])[0] == ["For the Starling project we'll use Postgres"]
    assert texts_of(found["garden"])[0] == ["For the garden project we'll take roses"]


async def test_a_name_in_other_words_is_the_only_topic_that_has_them(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await say(memory, "a", ["Let's talk about the kitchen renovation. We'll take white tiles."])
    await say(memory, "b", ["Back to the kitchen: the oven hasn't been ordered yet."])
    (topic,) = (await topics(memory)).values()
    assert topic.name == "kitchen renovation" and topic.names == ("kitchen",) and len(topic.sessions) == 2


async def test_copies_of_a_fork_count_once_and_outlive_the_original(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await say(memory, "a", ["For the Starling project we decided to use Postgres.", "OK.", "The logo is still open."])
    fork = await memory.session("a", user_id="ada").fork(session_id="b")
    await fork.add("user", "Starling: next step is the login page.")
    await memory.drain()
    (record,) = await memory.store.records(memory.scope("ada"), kind=TOPIC)
    assert record.data["count"] == 3
    (topic,) = (await topics(memory)).values()
    assert len(topic.decisions) == 1 and len(topic.open) == 2 and len(topic.sessions) == 2
    await memory.forget(user_id="ada", session_id="a")
    await memory.drain()
    (topic,) = (await topics(memory)).values()
    assert len(topic.decisions) == 1 and [one.session_id for one in topic.sessions] == ["b"]


@pytest.mark.parametrize("language", BOTH)
async def test_the_api_tells_topics_now_and_then(open_memory: OpenMemory, clock: FakeClock, language: str) -> None:
    memory = await open_memory(recipe=RECIPE)
    said, names = BOTH[language], NAMES[language]
    for session in ("a", "b"):
        await say(memory, session, said[session])
    then = clock.now()
    clock.advance(86_400)
    for session in ("c", "d"):
        await say(memory, session, said[session])
    now = await memory.topics(user_id="ada")
    assert {topic.name for topic in now} == set(names)
    before = {topic.name: topic for topic in await memory.topics(user_id="ada", as_of=then)}
    assert [len(before[name].open) for name in names] == [1, 1] and [len(before[name].sessions) for name in names] == [
        1,
        1,
    ]
    (first, *_) = await memory.topics(user_id="ada", query=said["b"][0])
    assert first.name == names[1]
    assert await memory.topics(user_id="bob") == []


@pytest.mark.parametrize("language", BOTH)
async def test_a_persons_word_outlasts_a_rebuild(open_memory: OpenMemory, language: str) -> None:
    memory = await open_memory(recipe=RECIPE)
    said, names = BOTH[language], NAMES[language]
    await tell(memory, said)
    first, second = [next(t for t in await memory.topics(user_id="ada") if t.name == name) for name in names]
    await memory.rename(first.id, "Vogelhaus", user_id="ada")
    await memory.merge(second.id, into=first.id, user_id="ada")
    for _ in range(2):
        (topic,) = await memory.topics(user_id="ada")
        assert topic.name == "Vogelhaus" and set(names) <= set(topic.names) and topic.id == first.id
        assert len(topic.decisions) == 4 and len(topic.open) == 1 and len(topic.sessions) == 4
        await memory.rebuild()
        await memory.drain()
    await say(memory, "e", ["For the Vogelhaus project we still need to choose a colour."])
    (topic,) = await memory.topics(user_id="ada")
    assert len(topic.open) == 2, "the name that a person gave is said"
    await memory.recover(second.id, user_id="ada")
    assert {one.name for one in await memory.topics(user_id="ada")} == {"Vogelhaus", names[1]}


async def test_a_topic_that_a_person_chose_stands_in_the_context(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await tell(memory, BOTH["en"])
    chat = memory.session("new", user_id="ada")
    await chat.add("user", "Hi! Where are we?")
    assert "login" not in str((await chat.context()).messages)
    await chat.set_topic("Starling")
    assert "[Starling, open] Next step: the login page" in str((await chat.context()).messages)
    await chat.set_topic("kitchen renovation")
    context = str((await chat.context()).messages)
    assert "white tiles" in context and "login" not in context
    await chat.set_topic(None)
    assert "white tiles" not in str((await chat.context()).messages)


@pytest.mark.parametrize(
    ("options", "field"),
    [({"k": 0}, "k"), ({"max_tokens": 0}, "max_tokens"), ({"floor": 2}, "floor"), ({"every": 0}, "every"), ({"share": 0}, "share")],
)  # fmt: skip
def test_a_setting_out_of_range_is_named(options: dict[str, float], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        Topics(**options)  # type: ignore[arg-type]


async def test_no_more_tokens_than_asked_for(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[Topics(max_tokens=40), SlidingWindow(1)])
    await tell(memory, BOTH["en"])
    chat = memory.session("c", user_id="ada")
    await chat.add("user", "Where are we?")
    (block,) = [block for block in (await chat.context()).blocks if block.place == "memory"]
    assert 1 <= len(block.items) < 3 and block.tokens < 120


async def test_what_a_batch_reads_does_not_grow_with_the_project(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=RECIPE)
    await memory.worker.stop()
    read: list[int] = []
    records_ = memory.store.records

    async def counted(scope: Scope, **which: Unpack[Which]) -> list[Record]:
        found = await records_(scope, **which)
        read.append(len(found))
        return found

    memory.store.records = counted  # type: ignore[method-assign]
    sizes: list[int] = []
    for session in range(12):
        texts = [f"For the Starling project we decided on part {session}-{n}." for n in range(64)]
        await memory.session(f"s{session}", user_id="ada").add_many([{"role": "user", "content": one} for one in texts])
        read.clear()
        await memory.drain(steps=["topics:rules"])
        sizes.append(sum(read))
    assert max(sizes[8:]) <= sizes[7] + 32, sizes
    (topic,) = (await topics(memory)).values()
    assert len(topic.decisions) == 16 and topic.decisions[-1].text.endswith("11-63")

"""However people merge, split and rename, and whatever is said meanwhile: nothing said is lost, or stands there twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi import AsyncMemory, JiyiError, Record, SlidingWindow
from jiyi.commands import Command, commands, listed, mark, metadata
from jiyi.curation import curate
from jiyi.entities import Named, entity, entity_id, form_of, messages_of, named_of, parted
from jiyi.sayings import saying
from jiyi.testing import FakeClock
from jiyi.types import JSON, Message
from tests.naming import Named as Naming

SALT = b"0123456789abcdef"
DAY = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("Bob", "Robert", "林薇", "小林")
ABOUT = ("merge", "merge", "split", "split", "rename", "pin", "hide", "delete", "recover", "confirm", "correct", "undo")


def said(number: int, name: str) -> Named:
    at = DAY + timedelta(hours=number)
    of = Message(f"m{number}", "s", "user", f"{name} called", created_at=at, seq=number, recorded_at=at)
    return Named(saying(of, 0, len(of.text), "entities:rules", "rules", {}), 0, len(name), name)


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    """An entity for each name, of some messages."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=12))
    places: dict[str, list[Named]] = {}
    for number, name in enumerate(names, 1):
        places.setdefault(name, []).append(said(number, name))
    return [
        entity(entity_id(form_of(name)), found, strategy="entities:rules", version="1")
        for name, found in places.items()
    ]


@st.composite
def orders(draw: st.DrawFn, about: Sequence[Record], kinds: Sequence[str] = ABOUT) -> list[Command]:
    """Orders about what there is at each moment, as the memory writes them."""
    given_: list[Message] = []
    for number in range(draw(st.integers(1, 8))):
        there = curate(about, commands(given_), salt=SALT, said={})
        if not there:
            break
        does, record = draw(st.sampled_from(kinds)), draw(st.sampled_from(there))
        more: dict[str, JSON] = {}
        text: str | None = None
        sources = [source.message_id for source in record.sources]
        if does == "merge":
            into = draw(st.sampled_from(there))
            more = {"other": into.id, "other_mark": mark(SALT, into)}
        elif does == "split":
            messages = sorted(messages_of(record))
            if len(messages) < 2:
                continue
            sources = draw(st.lists(st.sampled_from(messages), min_size=1, max_size=len(messages) - 1, unique=True))
            more = {"other": parted(record, sources)[1].id}
        elif does == "undo":
            groups = [one for one in given_ if one.metadata["command"] in ("merge", "split")]
            if not groups:
                continue
            more = {"other": draw(st.sampled_from(groups)).id}
        elif does in ("rename", "correct"):
            text = draw(st.sampled_from(("Ann", "安", "Bob")))
        said_ = {**metadata(does, record, SALT, sources), **more}  # type: ignore[arg-type]
        at = DAY + timedelta(days=1 + number)
        given_.append(Message(f"c{number}", "", "user", text, created_at=at, seq=100 + number, metadata=said_))
    return commands(given_)


def places(found: Sequence[Record]) -> Counter[tuple[str, int, str]]:
    return Counter((one.saying.message, one.start, one.form) for record in found for one in named_of(record))


@given(st.data(), records())
def test_once_is_enough(data: st.DataObject, about: list[Record]) -> None:
    read = data.draw(orders(about))
    once = curate(about, read, salt=SALT, said={})
    assert curate(once, read, salt=SALT, said={}) == once


@given(st.data(), records())
def test_nothing_said_is_lost_or_stands_there_twice(data: st.DataObject, about: list[Record]) -> None:
    read = data.draw(orders(about, ("merge", "split", "rename", "undo", "pin", "correct")))
    found = curate(about, read, salt=SALT, said={})
    assert places(found) == places(about)
    assert len({record.id for record in found}) == len(found)
    names = {name: record.id for record in found for name in (record.id, *listed(record, "joined"))}
    assert all(record.id in names for record in about if record.id not in {one.record for one in read})
    for record in found:
        assert set(record.links) >= {one.form for one in named_of(record)}


@given(st.data(), records())
def test_what_is_undone_was_never_done(data: st.DataObject, about: list[Record]) -> None:
    read = data.draw(orders(about, ("merge", "split")))
    undone = [
        Message(f"u{one.id}", "", "user", None, created_at=one.at, seq=1000 + one.number,
                metadata={"command": "undo", "record": one.record, "kind": "entity", "other": one.id})
        for one in read
    ]  # fmt: skip
    assert curate(about, [*read, *commands(undone)], salt=SALT, said={}) == about


@given(st.data(), records())
def test_what_is_said_later_does_not_move_what_was_said(data: st.DataObject, about: list[Record]) -> None:
    read = data.draw(orders(about, ("merge", "split", "rename")))
    name = data.draw(st.sampled_from(sorted(one.name for record in about for one in named_of(record))))
    late = said(90, name)
    grown = [
        entity(r.id, [*named_of(r), late] if r.id == entity_id(form_of(name)) else named_of(r),
               strategy="entities:rules", version="1")
        for r in about
    ]  # fmt: skip
    before = {record.id: set(messages_of(record)) for record in curate(about, read, salt=SALT, said={})}
    after = {record.id: set(messages_of(record)) - {"m90"} for record in curate(grown, read, salt=SALT, said={})}
    assert {name: found for name, found in after.items() if found} == before


# -- through the memory


SAYS = ("<Bob> called.", "<Robert> is here.", "<小林> 来了。", "#Atlas runs.", "#星雀 开始了。")
STEPS = st.lists(
    st.tuples(st.sampled_from(("say", "say", *ABOUT)), st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=9
)


@settings(max_examples=20)
@given(STEPS)
def test_a_rebuild_in_between_makes_no_difference(steps: list[tuple[str, int, int]]) -> None:
    async def kept(rebuilds: bool) -> list[Record]:
        clock = FakeClock()
        recipe = [Naming(), SlidingWindow(2)]
        async with await AsyncMemory.open("memory:", clock=clock, embedder=None, recipe=recipe) as memory:
            for text in SAYS:
                clock.advance(60)
                await memory.session("s", user_id="ada").add("user", text, message_id=f"first {text}")
            for number, (does, one, other) in enumerate(steps):
                clock.advance(60)
                await memory.drain()
                if rebuilds:
                    await memory.rebuild()
                await act(memory, number, does, one, other)
            await memory.drain()
            if rebuilds:
                await memory.rebuild()
            return await memory.records(user_id="ada", current=None, hidden=True)

    assert list(map(plain, asyncio.run(kept(True)))) == list(map(plain, asyncio.run(kept(False))))


def plain(record: Record) -> tuple[object, ...]:
    """Without the ids of commands, which are new each time."""
    own = ("commands", "corrected", "renamed")
    data: Mapping[str, JSON] = {name: value for name, value in record.data.items() if name not in own}
    sources = [source for source in record.sources if source.message_id.startswith(("first", "later"))]
    return record.id, record.text, record.links, record.pinned, record.hidden, sources, data


async def act(memory: AsyncMemory, number: int, does: str, one: int, other: int) -> None:
    """One thing that a person does, as far as it can be done."""
    there = sorted(await memory.records(user_id="ada", hidden=True), key=lambda record: record.id)
    if does == "say" or not there:
        await memory.session("s", user_id="ada").add("user", SAYS[one % len(SAYS)], message_id=f"later {number}")
        return
    record, second = there[one % len(there)], there[other % len(there)]
    try:
        match does:
            case "merge":
                await memory.merge(record.id, second.id, user_id="ada")
            case "split":
                messages = sorted({source.message_id for source in record.sources})
                await memory.split(record.id, messages[: 1 + other % 3], user_id="ada")
            case "rename":
                await memory.rename(record.id, ("Ann", "安", "Bob")[other % 3], user_id="ada")
            case "correct":
                await memory.correct(record.id, "Somebody else", user_id="ada")
            case "recover" | "undo":
                given_ = [name for c in await memory.commands(user_id="ada") for name in (c.record, c.other) if name]
                await memory.recover(given_[one % len(given_)] if given_ else "none", user_id="ada")
            case _:
                await getattr(memory, does)(record.id, user_id="ada")
    except JiyiError:
        pass

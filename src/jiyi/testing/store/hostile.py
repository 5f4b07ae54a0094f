"""Odd texts, terms and times: nothing breaks, and what goes in comes out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest

from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    EVERYTHING,
    MEANING,
    WORDS,
    StoreCase,
    at,
    ids,
    meaning,
    record,
    said,
    statement,
    words,
)
from jiyi.types import Content, Embedded, Filter, Indexed, Message, Part, Source

SIGNS = r"""
" ' "unbalanced AND OR NOT NEAR NEAR( ( ) { } [a-z] ^ ^a a:b terms:a - -a +a a-b a.b % _ a% ? \ / ; -- 1 0 1:a
💥 👩‍👩‍👧‍👦 é مرحبا 港湾 ａ ß İ ǆ A Aa aA null None
"""

TERMS = [
    *SIGNS.split(), "NEAR(a b, 3)", "a OR b", "col : a", "; DROP TABLE message;", "e\u0301", " ", "a b", "\t",
    "\n", "\x01", "\x7f", "\x80", "\u200b", "\ufeff", "\u2028", "\ud7ff", "\ue000", "\uffff", "\U0010ffff", "x" * 199,
    "x" * 200, "x" * 201, "界" * 1000,
]  # fmt: skip

STRANGE = [
    *TERMS, "", "*", "**", "a*", '"*', "NEAR(*", "%*", "💥*", "(*", " *", "\\*", "\ud800", "a\udfff", "\x00", "a\x00b",
    "x" * 100_000,
]  # fmt: skip

TEXTS = [
    "", " ", "plain", "  spaces around\t\n", "line\r\nbreaks\rof\nall kinds\u2028\u2029", "quotes ' \" ` and \\ slash",
    "NULL", "null", "[]", "{}", '{"a": 1}', '"json"', "0", "-1", "1e400", "; DROP TABLE message; --", "%s %d {0}",
    "x'00'", "中文，标点。《书》", "مرحبا بالعالم", "हिन्दी", "e\u0301 é", "👩‍👩‍👧‍👦🎁🏳️‍🌈", "\u200b\u200d\ufeff",
    "\U00010000\U0010ffff", "\ud7ff\ue000\ufffd\uffff", "\x01\x02\x1b[31m\x7f\x80\x9f", "a" * 100_000, "词" * 50_000,
]  # fmt: skip

JSON_VALUES: list[dict[str, Any]] = [
    {},
    {"a": None, "b": True, "c": False, "d": 0, "e": -1.5, "f": 1e300, "g": 2**53, "h": ""},
    {"": {"": [[], {}, [None, [1, "x", {"y": []}]]]}},
    {text[:50]: text for text in TEXTS},
]

PARTS: list[Content] = [
    None,
    "",
    (),
    ({"type": "text", "text": "看"}, {"type": "image_url", "image_url": {"url": "https://x.test/a.png", "n": 1}}),
    ({"type": "text", "text": ""},),
    ({"type": "odd", "n": [1, None, {"k": 0.5}], "": ""},),
]  # fmt: skip

CALLS: list[tuple[Part, ...]] = [
    ({"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"no": "88-401"}'}},),
    ({"id": "c2", "name": "g", "arguments": {"no": 1}}, {"id": "c3", "name": "h", "arguments": {}}),
]


class Autumn(tzinfo):
    """A zone whose clocks go back an hour on 2025-10-26 at 03:00."""

    def utcoffset(self, dt: datetime | None) -> timedelta:
        winter = dt is not None and (dt.replace(tzinfo=None), dt.fold) >= (datetime(2025, 10, 26, 2), 1)
        late = dt is not None and dt.replace(tzinfo=None) >= datetime(2025, 10, 26, 3)
        return timedelta(hours=1 if (winter and dt is not None and dt.fold) or late else 2)

    def dst(self, dt: datetime | None) -> timedelta:
        return self.utcoffset(dt) - timedelta(hours=1)

    def tzname(self, dt: datetime | None) -> str:
        return "autumn"


def zone(minutes: int) -> timezone:
    """A zone so many minutes east."""
    return timezone(timedelta(minutes=minutes))


TIMES = [
    datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC),
    datetime(2026, 3, 2, 9, tzinfo=zone(480)),
    datetime(2026, 3, 2, 9, tzinfo=zone(-570)),
    datetime(2026, 3, 2, 9, tzinfo=zone(345)),
    datetime(2026, 3, 2, 9, tzinfo=zone(14 * 60)),
    datetime(2026, 3, 2, 9, tzinfo=zone(-12 * 60)),
    datetime(2026, 3, 2, 9, tzinfo=zone(23 * 60 + 59)),
    datetime(2026, 3, 2, 9, 0, 0, 1, tzinfo=zone(-23 * 60 - 59)),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1888, 8, 8, 8, 8, 8, 8, tzinfo=zone(-1)),
    datetime(2, 1, 1, tzinfo=UTC),
    datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2024, 2, 29, 12, tzinfo=zone(0)),
    datetime(2025, 10, 26, 2, 30, tzinfo=Autumn()),
    datetime(2025, 10, 26, 2, 30, fold=1, tzinfo=Autumn()),
]


def same(one: datetime | None, other: datetime | None) -> bool:
    """The same moment, shown in the same offset."""
    if one is None or other is None:
        return one is other
    return one.astimezone(UTC) == other.astimezone(UTC) and one.utcoffset() == other.utcoffset()


class Hostile(StoreCase):
    """Whatever is written or asked."""

    # -- texts

    async def test_texts_of_every_kind_come_back(self, store: Store) -> None:
        given = [said(f"m{i}", text, role="tool" if i % 2 else "user") for i, text in enumerate(TEXTS)]
        assert [m.content for m in await store.append(ADA, "s", given)] == TEXTS
        assert [m.content for m in await store.messages(ADA)] == TEXTS

    async def test_parts_and_calls_come_back(self, store: Store) -> None:
        given = [said(f"p{i}", content, tool_calls=()) for i, content in enumerate(PARTS)]
        given += [said(f"c{i}", None, role="assistant", tool_calls=calls) for i, calls in enumerate(CALLS)]
        returned = await store.append(ADA, "s", given)
        for found in (returned, await store.messages(ADA)):
            assert [m.content for m in found] == [*PARTS, None, None]
            assert [m.tool_calls for m in found] == [*[()] * len(PARTS), *CALLS]
        assert {type(m.content) for m in found} == {type(None), str, tuple}

    async def test_every_field_comes_back(self, store: Store) -> None:
        for number, metadata in enumerate(JSON_VALUES):
            message = said(
                f"m{number}", "x", role="tool", name="名 \"'", tool_call_id="c;1", created_at=TIMES[number],
                when=0.000001, metadata=metadata, category="类别", importance=0.1 + number, pinned=number % 2 == 0,
                incomplete=number % 2 == 1,
            )  # fmt: skip
            (stored,) = await store.append(ADA, "s", [message])
            (read,) = await store.messages(ADA, Filter(ids=(message.id,)))
            assert stored == read
            for name in Message.__slots__:
                if name not in ("session_id", "seq", "position", "chain", "parent_id"):
                    assert getattr(read, name) == getattr(message, name), name

    async def test_absent_is_not_empty(self, store: Store) -> None:
        given = [
            said("none", "x"),
            said("empty", "x", name="", tool_call_id="", category="", importance=0.0, metadata={}),
        ]
        await store.append(ADA, "s", given)
        none, empty = await store.messages(ADA)
        assert (none.name, none.tool_call_id, none.category, none.importance) == (None, None, None, None)
        assert (empty.name, empty.tool_call_id, empty.category, empty.importance) == ("", "", "", 0.0)

    async def test_digests_are_any_text(self, store: Store) -> None:
        digests = ["abc", "ABC", "0" * 32, "F" * 32, "f" * 32, "日"]
        await store.append(ADA, "s", [said(f"m{i}", digest=digest) for i, digest in enumerate(digests)])
        assert [m.digest for m in await store.messages(ADA)] == digests

    async def test_names_of_every_kind(self, store: Store) -> None:
        names = [text for text in TEXTS if text and len(text) < 1000]
        for number, name in enumerate(names):
            await store.append(ADA, name, [said(f"{number}:{name}", category=name)])
            await store.update_session(ADA, name, at=at(number), title=name, metadata={name: name})
        assert {session.id: session.title for session in await store.sessions(ADA)} == {name: name for name in names}
        for number, name in enumerate(names):
            assert ids(await store.messages(ADA, Filter(category=name))) == [f"{number}:{name}"]
            assert ids(await store.messages(ADA, Filter(session_id=name))) == [f"{number}:{name}"]
        for name in names:
            assert (await store.forget(ADA, session_id=name)).messages == 1

    async def test_records_of_every_kind_come_back(self, store: Store) -> None:
        await self.add(store, "m")
        given = [
            record(f"r{number}:{text}", "m", when=number, kind=text or "k", key=text, session_id=text, data={"t": text})
            for number, text in enumerate(TEXTS)
            if len(text) < 1000
        ]
        quoted = record("quoted", when=10_000, data={"n": [{}]})
        sources = (Source("m"), Source("m", 0, None, ""), Source("m", 1, 2, "'🎁'"))
        given.append(
            type(quoted)(**{n: getattr(quoted, n) for n in quoted.__slots__ if n != "sources"}, sources=sources)
        )
        await self.note(store, *given)
        assert await store.records(ADA) == given

    async def test_what_the_caller_does_later_to_what_he_gave_changes_nothing(self, store: Store) -> None:
        metadata: dict[str, Any] = {"list": [1]}
        part: dict[str, Any] = {"type": "text", "text": "before"}
        await store.append(ADA, "s", [said("a", (part,), metadata=metadata)])
        terms = {"word": 1}
        data: dict[str, Any] = {"list": [1]}
        await self.derive(store, WORDS, index=(Indexed(1, terms),))
        await self.note(store, record("r", "a", data=data))
        await store.update_session(ADA, "s", at=at(1), metadata=metadata)
        metadata["list"].append(2)
        part["text"] = "after"
        terms["other"] = 5
        data["list"].append(2)
        (message,) = await store.messages(ADA)
        assert (message.text, message.metadata) == ("before", {"list": [1]})
        assert (await store.sessions(ADA))[0].metadata == {"list": [1]}
        assert (await words(store, ["word"])).hits == {1: (1, {"word": 1})}
        assert (await store.records(ADA))[0].data == {"list": [1]}

    # -- terms

    async def test_odd_terms_never_raise(self, store: Store) -> None:
        await self.add(store, "a")
        await self.index(store, {1: "plain words"})
        for term in STRANGE:
            found = await words(store, [term])
            assert found.documents == 1
            assert found.hits.keys() <= ({1} if term.endswith("*") else set()), term
        found = await words(store, [*STRANGE, "plain"])
        assert found.frequency["plain"] == 1
        assert found.hits[1][1]["plain"] == 1

    async def test_odd_terms_are_found_by_themselves_alone(self, store: Store) -> None:
        terms = list(dict.fromkeys(TERMS))
        await store.append(ADA, "s", [said(f"m{i}") for i in range(len(terms))])
        await self.derive(store, WORDS, index=tuple(Indexed(i, {term: i}) for i, term in enumerate(terms, start=1)))
        for number, term in enumerate(terms, start=1):
            found = await words(store, [term])
            assert found.hits == {number: (number, {term: number})}, term
        await store.forget(ADA, message_ids=[f"m{i}" for i in range(0, len(terms), 2)])
        for number, term in enumerate(terms, start=1):
            assert (await words(store, [term])).hits.keys() == ({number} if number % 2 == 0 else set()), term

    async def test_beginnings_of_odd_terms(self, store: Store) -> None:
        terms = ["%a", "%b", "💥x", "💥y", "(1", "Ab", "ab", '"q', "\\d", "a b", "a_b", "xy", "x"]
        await store.append(ADA, "s", [said(f"m{i}") for i in range(len(terms))])
        await self.derive(store, WORDS, index=tuple(Indexed(i, {term: 1}) for i, term in enumerate(terms, start=1)))
        for beginning in ["%", "💥", "(", "A", "a", '"', "\\", "a ", "a_", "x", "b", ""]:
            expected = {i for i, term in enumerate(terms, start=1) if term.startswith(beginning)}
            assert set((await words(store, [beginning + "*"])).hits) == expected, beginning

    # -- other odd arguments

    async def test_odd_vectors(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        tiny = 1e-30
        vectors: Sequence[Sequence[float]] = [[0.0, 0.0], [tiny, 0.0], [-1.0, 0.0]]
        entries = tuple(Embedded(i, 0, vector) for i, vector in enumerate(vectors, start=1))
        await self.derive(store, MEANING, vectors=entries)
        found = await meaning(store, [1.0, 0.0])
        assert {seq: round(cosine, 2) + 0.0 for seq, cosine in found.hits.items()} == {1: 0.0, 2: 0.0, 3: -1.0}
        assert (await meaning(store, [0.0, 0.0])).scanned == 3

    @pytest.mark.parametrize("name", ["M", "m ", "dense:m", "模型", "a/b:c", "m'", "%", ""])
    async def test_models_are_exact(self, store: Store, name: str) -> None:
        await self.add(store, "a")
        await self.embed(store, {1: [[1.0, 0.0]]}, model=name)
        assert await store.models() == {name: (2, 1)}
        assert (await meaning(store, [1.0, 0.0])).scanned == 0
        assert (await meaning(store, [1.0, 0.0], model=name)).scanned == 1

    async def test_a_big_message(self, store: Store) -> None:
        text = "The parcel 包裹 🎁 is here. " * 200_000  # some 5 MB
        (stored,) = await store.append(ADA, "s", [said("big", text)])
        assert stored.content == text
        assert (await store.messages(ADA))[0].content == text
        await self.index(store, {1: "parcel"})
        assert (await store.forget(ADA, message_ids=["big"])).indexed == 1

    # -- times

    async def test_times_come_back_to_the_microsecond_in_their_offset(self, store: Store) -> None:
        given = [
            said(f"m{i}", created_at=time, recorded_at=other)
            for i, (time, other) in enumerate(zip(TIMES, reversed(TIMES), strict=True))
        ]
        returned = await store.append(ADA, "s", given)
        for found in (returned, await store.messages(ADA, EVERYTHING)):
            for message, time, other in zip(found, TIMES, reversed(TIMES), strict=True):
                assert same(message.created_at, time), time
                assert same(message.recorded_at, other), other

    async def test_times_of_records_and_sessions(self, store: Store) -> None:
        await self.add(store, "a")
        for number, time in enumerate(TIMES):
            await self.note(store, record(f"r{number}", "a", recorded_at=time, valid_from=time, valid_to=time))
            await self.note(store, close={f"r{number}": time})
            (found,) = await store.records(ADA, ids=[f"r{number}"], current=None)
            for moment in (found.recorded_at, found.valid_from, found.valid_to, found.closed_at):
                assert same(moment, time)
            await self.add(store, f"m{number}", session=f"s{number}")
            session = await store.update_session(ADA, f"s{number}", at=time)
            assert same(session.updated_at, time)
        order = [record.id for record in await store.records(ADA, current=None)]
        assert order == [f"r{i}" for i in sorted(range(len(TIMES)), key=lambda i: TIMES[i].timestamp())]

    async def test_a_zone_of_seconds_keeps_the_moment(self, store: Store) -> None:
        odd = datetime(1900, 1, 1, 8, 5, 43, 7, tzinfo=timezone(timedelta(hours=8, minutes=5, seconds=43)))
        (stored,) = await store.append(ADA, "s", [said("a", created_at=odd)])
        for found in (stored, (await store.messages(ADA))[0]):
            assert found.created_at is not None and found.created_at.astimezone(UTC) == odd.astimezone(UTC)

    async def test_filters_compare_moments_not_clocks_on_walls(self, store: Store) -> None:
        first, second = TIMES[-2:]  # 02:30, and an hour later 02:30 again
        await store.append(ADA, "s", [said("first", created_at=first), said("second", created_at=second)])
        middle = datetime(2025, 10, 26, 2, 45, tzinfo=Autumn())
        assert ids(await store.messages(ADA, Filter(since=middle))) == ["second"]
        assert ids(await store.messages(ADA, Filter(until=middle))) == ["first"]
        shown = first.astimezone(zone(-480))
        assert ids(await store.messages(ADA, Filter(since=shown))) == ["first", "second"]
        assert ids(await store.messages(ADA, Filter(until=shown + timedelta(microseconds=1)))) == ["first"]

    async def test_statements_may_be_odd_too(self, store: Store) -> None:
        await store.append(ADA, "", [statement(f"f{i}", text, category=text[:9]) for i, text in enumerate(TEXTS)])
        assert [m.content for m in await store.messages(ADA, Filter(kinds=("statement",)))] == TEXTS

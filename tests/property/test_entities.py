"""Entities and relations: batches and their order make no difference, what is erased leaves nothing."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.entities import ENTITY, form_of, names_of
from jiyi.mentions import USER, Mentioned
from jiyi.relations import RELATION
from jiyi.types import Message, Record
from tests.mentioning import Book, alias, edge, message, named

NAMES = ["MGA", "mga", "Meridian Grid Authority", "Tom", "Lin Wei", "MGB", "RX-2217", "RX-2219"]
ROLES = ["", "", "my brother", "my older brother", "from accounting", "my boss"]
TYPES = ["", "", "person", "place", "project", "organisation"]
ALIASES = [("Meridian Grid Authority", "MGA"), ("Tom", "Tommy"), (USER, "Lin Wei"), ("MGA", "Grid")]
RELATIONS = ["works at", "uses", "reports to"]

mentions = st.tuples(
    st.just("named"), st.sampled_from(NAMES), st.sampled_from(TYPES), st.sampled_from(ROLES), st.just("")
)
aliases = st.sampled_from(ALIASES).map(lambda pair: ("alias", *pair, "", ""))
edges = st.tuples(
    st.just("edge"),
    st.sampled_from([USER, "Tom"]),
    st.sampled_from(RELATIONS),
    st.sampled_from(["MGA", "MGB", "Lin Wei"]),
    st.sampled_from(["", "", "negated", "ends"]),
)
claims = st.tuples(st.integers(0, 6), st.sampled_from("ab"), mentions | aliases | edges)


def said(seq: int, claim: tuple[int, str, tuple[str, ...]]) -> tuple[Message, Mentioned]:
    day, session, (what, one, two, three, how) = claim
    text = " | ".join((f"{seq}", one, two, three, how))
    of = message(text, seq, day=day, session=session)
    if what == "named":
        return of, named(of, one, two, three)
    if what == "alias":
        return of, alias(of, one, two)
    return of, edge(of, one, two, three, negated=how == "negated", ends=how == "ends")


async def derived(batches: list[list[tuple[Message, Mentioned]]]) -> Book:
    book = Book()
    for batch in batches:
        await book.derive(batch)
    return book


@settings(deadline=None, max_examples=120)
@given(st.lists(claims, max_size=9), st.data())
def test_the_order_and_the_batches_make_no_difference(made: list[tuple[int, str, tuple[str, ...]]], data) -> None:
    batch = [said(seq, claim) for seq, claim in enumerate(made, start=1)]
    at_once = asyncio.run(derived([batch]))
    other = data.draw(st.permutations(batch))
    cut = data.draw(st.integers(0, len(batch)))
    assert asyncio.run(derived([[one] for one in other])).state() == at_once.state()
    assert asyncio.run(derived([other[:cut], other[cut:]])).state() == at_once.state()
    again = asyncio.run(at_once.derive(batch))
    assert not again.put and not again.drop, "again: nothing is written"
    for record in at_once.records.values():
        assert record.sources and record.data["said"] and all(record.links)


def content(book: Book) -> list[tuple[object, ...]]:
    """What is said, but for the ids of namesakes: who is first among them may have changed."""
    return sorted(
        (r.kind, r.links, r.text, tuple(sorted(s.message_id for s in r.sources)), str(r.closed_at), str(r.said_at))
        for r in book.records.values()
    )


@settings(deadline=None, max_examples=120)
@given(st.lists(claims, min_size=1, max_size=8), st.data())
def test_what_is_erased_leaves_nothing(made: list[tuple[int, str, tuple[str, ...]]], data) -> None:
    batch = [said(seq, claim) for seq, claim in enumerate(made, start=1)]
    gone = data.draw(st.sets(st.sampled_from([one.id for one, _ in batch]), min_size=1))

    async def erased() -> Book:
        book = await derived([batch])
        await book.erase(*gone)
        return book

    left = asyncio.run(erased())
    assert content(left) == content(asyncio.run(derived([[one for one in batch if one[0].id not in gone]])))
    assert not any(name in repr(left.records) for name in (f"'{name}'" for name in gone))


@settings(deadline=None, max_examples=60)
@given(st.lists(claims, max_size=9))
def test_only_what_is_written_alike_or_said_to_be_one_is_one(made: list[tuple[int, str, tuple[str, ...]]]) -> None:
    batch = [said(seq, claim) for seq, claim in enumerate(made, start=1)]
    book = asyncio.run(derived([batch]))
    pairs = [{form_of(a.names[0]), form_of(a.names[1])} for _, mentioned in batch for a in mentioned.aliases]
    for record in book.of(ENTITY):
        joined = {record.links[0]}
        for _ in pairs:
            joined |= {name for pair in pairs if pair & joined for name in pair}
        assert set(record.links) <= joined and {form_of(name) for name in names_of(record)} <= set(record.links)
    for record in book.of(RELATION, current=False):
        assert record.data["head"] != record.data["tail"] and record.links == ends(record)


def ends(record: Record) -> tuple[str, ...]:
    return form_of(str(record.data["head"])), form_of(str(record.data["tail"]))

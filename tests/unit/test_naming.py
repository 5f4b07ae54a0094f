"""Who is who: names that are one thing's, namesakes, the user."""

from __future__ import annotations

import pytest

from jiyi.entities import ENTITY, messages_of, name_of, names_of, traits_of, type_of
from jiyi.mentions import USER, Mentioned
from jiyi.types import Step
from tests.mentioning import Book, alias, mention, message, named

MODEL_STEP = Step("entities", "1", stride=16)


async def known(*said: tuple[str, str, str, str], day: float | None = None) -> Book:
    """A book of messages that each name one thing: text, name, type, role."""
    book = Book()
    for seq, (text, name, type_, role) in enumerate(said, start=1):
        of = message(text, seq, day=day)
        await book.derive([(of, named(of, name, type_, role))])
    return book


def who(book: Book) -> list[tuple[str, list[str]]]:
    return [(str(record.data["value"]), sorted(messages_of(record))) for record in book.of(ENTITY)]


async def test_case_and_width_make_no_difference_and_likeness_joins_nothing() -> None:
    texts = ("MGA", "mga", "ＭＧＡ", "MGB", "RX-2217", "RX-2219")
    book = await known(*((f"about {name}", name, "", "") for name in texts))
    assert who(book) == [("MGA", ["m1", "m2", "m3"]), ("MGB", ["m4"]), ("RX-2217", ["m5"]), ("RX-2219", ["m6"])]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
async def test_a_stated_alias_joins_and_goes_with_its_message(order: tuple[int, ...]) -> None:
    of = [message("MGA approved it", 1), message("Meridian Grid Authority (MGA) runs it", 2), message("Meridian Grid Authority is late", 3)]  # fmt: skip
    told = [named(of[0], "MGA", "organisation"), alias(of[1], "Meridian Grid Authority", "MGA"), named(of[2], "Meridian Grid Authority")]  # fmt: skip
    book = Book()
    for one in order:
        await book.derive([(of[one], told[one])])
    (record,) = book.of(ENTITY)
    assert names_of(record) == ("Meridian Grid Authority", "MGA") and type_of(record) == "organisation"
    assert record.text == "Meridian Grid Authority (organisation), also called MGA"
    await book.erase("m2")
    assert who(book) == [("MGA", ["m1"]), ("Meridian Grid Authority", ["m3"])]
    await book.erase("m1")
    assert who(book) == [("Meridian Grid Authority", ["m3"])] and "MGA" not in repr(book.records)


async def test_namesakes_with_roles_that_exclude_each_other() -> None:
    book = await known(
        ("my brother Tom called", "Tom", "person", "my brother"),
        ("Tom from accounting called", "Tom", "person", "from accounting"),
        ("Tom is on leave", "Tom", "", ""),
        ("my older brother Tom is here", "Tom", "", "my older brother"),
        ("Tom is asleep", "Tom", "person", ""),
    )
    assert who(book) == [("Tom", ["m1", "m4", "m5"]), ("Tom (from accounting)", ["m2", "m3"])]


async def test_a_namesake_without_a_role_is_the_one_of_its_session() -> None:
    book = Book()
    said = [
        ("a", "my brother Tom", "my brother"),
        ("b", "Tom from accounting", "from accounting"),
        ("a", "Tom waits", ""),
    ]
    for seq, (session, text, role) in enumerate(said, start=1):
        of = message(text, seq, session=session)
        await book.derive([(of, named(of, "Tom", "person", role))])
    assert who(book) == [("Tom", ["m1", "m3"]), ("Tom (from accounting)", ["m2"])]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("my brother", "my big brother", True),
        ("my boyfriend", "my husband", True),
        ("from accounting", "my colleague", True),
        ("from accounting", "from sales", False),
        ("my brother", "my brother's friend", False),
        ("my neighbour", "my dentist", False),
        ("我哥哥", "我弟弟", True),
        ("我哥哥", "邻居", False),
        ("大学同学", "我的同学", True),
        ("财务部的", "销售部的", False),
        ("财务部的", "我同事", True),
        ("我女朋友", "我老婆", True),
    ],
)
async def test_roles(one: str, other: str, same: bool) -> None:
    book = await known((f"{one} Kim", "Kim", "person", one), (f"{other} Kim", "Kim", "person", other))
    assert (len(book.of(ENTITY)) == 1) is same


@pytest.mark.parametrize(
    ("types", "count"),
    [
        (["person", "place", ""], 2),
        (["organisation", "project"], 1),
        (["organisation", "place"], 1),
        (["person", "organisation"], 2),
        (["project", "technology", "product"], 1),
        (["pet", "person"], 2),
        (["", "person", ""], 1),
    ],
)
async def test_types_that_exclude_each_other(types: list[str], count: int) -> None:
    book = await known(*(("Mercury is here", "Mercury", type_, "") for type_ in types))
    assert len(book.of(ENTITY)) == count


async def test_the_user_is_one_and_goes_by_a_name_that_a_colleague_has_too() -> None:
    book = Book()
    lines = [
        lambda of: Mentioned((mention(of, "Lin Wei", "person", "my colleague"),)),
        lambda of: alias(of, USER, "Lin Wei"),
        lambda of: Mentioned((mention(of, USER),)),
    ]
    for seq, (text, line) in enumerate(zip(("my colleague Lin Wei", "I am Lin Wei", "I work"), lines, strict=True), 1):
        of = message(text, seq)
        await book.derive([(of, line(of))])
    colleague, user = book.of(ENTITY)
    assert names_of(user) == ("Lin Wei",) and set(user.links) == {USER, "lin wei"} and type_of(user) == "person"
    assert messages_of(user).keys() == {"m2", "m3"} and messages_of(colleague).keys() == {"m1"}
    await book.erase("m2")
    assert sorted(name_of(one) for one in book.of(ENTITY)) == ["Lin Wei", USER]


async def test_a_description_has_its_quote_and_the_newest_counts() -> None:
    book = Book()
    for seq, words in enumerate(("the insurer", "our biggest customer"), start=1):
        of = message(f"MGB is {words}", seq)
        await book.derive([(of, named(of, "MGB", _=words))])
    (record,) = book.of(ENTITY)
    words, source = traits_of(record)[""]
    assert (words, source.quote, record.text) == (
        "our biggest customer", "MGB is our biggest customer", "MGB: our biggest customer"
    )  # fmt: skip


async def test_the_models_word_takes_the_place_of_the_rules() -> None:
    of = message("Atlas ships", 1)
    book = Book()
    await book.derive([(of, named(of, "Atlas", "person"))])
    made = {"model": "m", "prompt": "p"}
    await book.derive([(of, named(of, "Atlas", "project"))], step=MODEL_STEP, maker="model", made=made)
    (record,) = book.of(ENTITY)
    assert (type_of(record), record.strategy, record.data["by"], record.data["made"]) == (
        "project", "entities", "model", made
    )  # fmt: skip


async def test_what_is_kept_does_not_grow_with_the_history() -> None:
    book = Book()
    sizes: list[int] = []
    for seq in range(1, 400):
        of = message("I told Tom from accounting, and MGA", seq)
        said = Mentioned((mention(of, USER), mention(of, "Tom", "person", "from accounting"), mention(of, "MGA")))
        await book.derive([(of, said)])
        sizes.append(sum(len(repr(record)) for record in book.records.values()))
    assert len(book.of(ENTITY)) == 3 and sizes[-1] < 1.1 * sizes[60]

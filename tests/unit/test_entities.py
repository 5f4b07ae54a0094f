"""Records of entities: how they are read, joined, parted and renamed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi.entities import (
    Named,
    asked_form,
    entity,
    entity_id,
    form_of,
    is_user,
    joined,
    messages_of,
    name_of,
    named_of,
    names_of,
    parted,
    renamed,
    role_of,
    traits_of,
    type_of,
)
from jiyi.mentions import USER
from jiyi.sayings import saying
from jiyi.testing.strategy import START
from jiyi.types import Message, Record

STEP = "entities:rules"


def named(text: str, name: str, seq: int = 1, *, session: str = "s", **more: object) -> Named:
    """A place in a message of its own that has a name."""
    at = START + timedelta(minutes=seq)
    message = Message(f"m{seq}", session, "user", text, seq=seq, created_at=at, recorded_at=at)
    start = text.find(name) if name != USER else 0
    end = start + len(name) if name != USER else 0
    return Named(saying(message, 0, len(text), STEP, "rules", {}), start, end, name, **more)  # type: ignore[arg-type]


def record(*places: Named, name: str = "") -> Record:
    return entity(entity_id(places[0].form), places, strategy=STEP, version="1", name=name)


def test_what_is_read_is_what_was_kept() -> None:
    places = [
        named("My boss is Lin Wei.", "Lin Wei", 1, type="person", role="my boss", traits={"": "my boss"}),
        named("Lin Wei, or Wei, is here.", "Wei", 2, also=("Lin Wei",)),
    ]
    made = record(*places)
    assert named_of(made) == places
    assert (name_of(made), names_of(made), type_of(made)) == ("Lin Wei", ("Lin Wei", "Wei"), "person")
    assert (role_of(made), made.links) == ("my boss", ("lin wei", "wei"))
    words, source = traits_of(made)[""]
    assert (words, source.message_id, source.quote) == ("my boss", "m1", "My boss is Lin Wei.")
    assert messages_of(made) == {"m1": ("lin wei",), "m2": ("wei",)}
    assert made.text == "Lin Wei (person), also called Wei: my boss"


def test_forms() -> None:
    assert len({form_of(name) for name in ("MGA", "ＭＧＡ", "mga", "the MGA", "“MGA”", "MGA's", "《MGA》")}) == 1
    assert form_of("RX-2217") != form_of("RX-2219") and form_of("The") == "the"


def test_the_text_is_in_the_language_of_what_was_said() -> None:
    made = record(named("林薇是我们的首席工程师。", "林薇", type="person", traits={"": "首席工程师"}))
    assert made.text == "林薇（人物）：首席工程师"
    assert record(named("我在这里", USER)).text == "用户（人物）" and is_user(record(named("I am here", USER)))


def test_joined_has_the_names_and_the_evidence_of_both() -> None:
    one, other = record(named("MGA called.", "MGA", 2)), record(named("The grid people called.", "grid people", 1))
    both = joined(one, other)
    assert (both.id, name_of(both), both.links) == (one.id, "MGA", ("mga", "grid people"))
    assert messages_of(both).keys() == {"m1", "m2"} and both.said_at == other.said_at
    assert joined(one, one) == one


def test_parted_gives_two_and_the_same_two_each_time() -> None:
    both = record(named("Tom came.", "Tom", 1), named("Tom left.", "Tom", 2), named("Tom paid.", "Tom", 3))
    rest, part = parted(both, ["m2"], "Tom Ford")
    assert (rest.id, messages_of(rest).keys()) == (both.id, {"m1", "m3"})
    assert (name_of(part), names_of(part), messages_of(part).keys()) == ("Tom Ford", ("Tom Ford", "Tom"), {"m2"})
    assert part.id != both.id and parted(both, ["m2"], "Tom Ford") == (rest, part)
    assert parted(both, ["m9"])[1].sources == () and parted(both, ["m1", "m2", "m3"])[0].sources == ()


def test_renamed_keeps_the_old_name_among_the_others() -> None:
    made = renamed(record(named("MGA called.", "MGA")), "Meridian Grid Authority")
    assert names_of(made) == ("Meridian Grid Authority", "MGA")
    assert made.links == ("meridian grid authority", "mga") and "Meridian" in made.text


def test_what_is_kept_is_bounded_and_has_what_defines() -> None:
    places = [named("Vega is a robot.", "Vega", 1, traits={"": "a robot"})]
    places += [
        named("Vega, alias V-1.", "Vega", 50, also=("V-1",)),
        named("Vega, alias V-1.", "V-1", 50, also=("Vega",)),
    ]
    places += [named("Vega works.", "Vega", seq) for seq in range(51, 300)]
    made = record(*places)
    assert len(made.sources) < 40 and {"vega", "v-1"} == set(made.links) and traits_of(made)[""][0] == "a robot"
    assert {"m1", "m50", "m299"} <= messages_of(made).keys()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("me", USER), ("myself", USER), ("我", USER), ("The user", USER), ("Tom", "tom"), ("Meredith", "meredith")],
)
def test_a_name_that_is_asked_for(asked: str, expected: str) -> None:
    assert asked_form(asked) == expected

"""What people order about records, laid over what is derived."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from jiyi.commands import PERSON, Command, commands, mark, metadata, place
from jiyi.curation import curate
from jiyi.types import JSON, Message, Record, Source

SALT = b"0123456789abcdef"
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def day(number: float) -> datetime:
    return DAY + timedelta(days=number)


def fact(name: str, key: str | None, text: str, at: float, *more: str, **changes: object) -> Record:
    """A fact said on a day in the message ``m-name``, and again in ``more``."""
    sources = tuple(Source(message) for message in (f"m-{name}", *more))
    data: dict[str, JSON] = {"by": "rules", "status": "", "value": text}
    made = Record(name, "fact", text, "facts", "1", sources, key=key, said_at=day(at), data=data)
    return replace(made, **changes)  # type: ignore[arg-type]


def order(does: str, record: Record, at: float, text: str | None = None) -> Message:
    said = metadata(does, record, SALT, [source.message_id for source in record.sources])  # type: ignore[arg-type]
    return Message(f"c-{does}-{at}", "", "user", text, created_at=day(at), seq=round(at * 10), metadata=said)


def curated(records: list[Record], *orders: Message, **said: float) -> list[Record]:
    times = {name.replace("_", "-"): day(at) for name, at in said.items()}
    read: list[Command] = commands(orders)
    once = curate(records, read, salt=SALT, said=times)
    assert curate(once, read, salt=SALT, said=times) == once
    return once


HOME = fact("home", "user.home", "Lisbon", 0)
PORTO = fact("porto", "user.home", "Porto", 4)
CATS = fact("cats", "user.pet", "two cats", 0)


def test_without_commands_all_stays() -> None:
    assert curated([HOME, CATS]) == [HOME, CATS]


def test_a_correction_is_what_the_person_said() -> None:
    correction = order("correct", HOME, 2, "Braga")
    (found,) = curated([HOME], correction)
    assert (found.id, found.text, found.said_at) == ("home", "Braga", day(2))
    assert found.sources == (Source(correction.id, 0, 5, "Braga"),)
    assert found.data["by"] == PERSON and found.data["value"] == "Braga" and found.data["corrected"] == correction.id


def test_a_corrected_note_still_stands_for_its_messages() -> None:
    note = replace(HOME, kind="note", key=None, data={"by": "rules", "level": 1})
    (found,) = curated([note], order("correct", note, 2, "Braga"))
    assert (found.text, found.said_at) == ("Braga", day(0))
    assert [source.message_id for source in found.sources] == ["m-home", "c-correct-2"]
    assert found.data["level"] == 1


def test_a_correction_stays_when_nothing_derives_it_any_more() -> None:
    (found,) = curated([], order("correct", HOME, 2, "Braga"))
    assert (found.id, found.kind, found.key, found.text) == ("home", "fact", "user.home", "Braga")
    assert (found.data["subject"], found.data["attribute"]) == ("user", "home")


def test_a_correction_is_found_by_the_names_of_what_it_corrects_or_joins() -> None:
    home = replace(HOME, links=("user",))
    fix = order("correct", home, 2, "Braga")
    assert [one.links for one in curated([home], fix)] == [("user",)]
    assert [one.links for one in curated([], fix)] == [("user",)]
    again = replace(home, id="again", text="Braga", data={**HOME.data, "value": "Braga"}, links=("ada",))
    assert [one.links for one in curated([home, again], fix)] == [("user", "ada")]


def test_what_is_said_later_of_the_same_thing_closes_a_correction() -> None:
    found = curated([HOME, PORTO], order("correct", HOME, 2, "Braga"))
    assert [(one.text, one.closed_at) for one in found] == [("Braga", day(4)), ("Porto", None)]
    assert found[0].data["closed_by"] == {"record": "porto", "message": "m-porto"}


def test_what_was_said_before_is_closed_by_a_correction() -> None:
    found = curated([HOME, PORTO], order("correct", HOME, 5, "Braga"))
    assert [(one.text, one.closed_at) for one in found] == [("Braga", None), ("Porto", day(5))]


def test_a_correction_opens_what_old_history_had_closed() -> None:
    """It was current when it was corrected; a message of before was imported afterwards."""
    closed = replace(
        HOME,
        closed_at=day(1),
        sources=(*HOME.sources, Source("m-x")),
        data={**HOME.data, "closed_by": {"record": "x", "message": "m-x"}},
    )
    found = curated([closed, fact("x", "user.home", "Faro", 1)], order("correct", HOME, 2, "Braga"))
    assert [(one.text, one.closed_at) for one in found] == [("Braga", None), ("Faro", day(2))]


def test_the_text_of_a_closed_record_is_corrected_and_it_stays_closed() -> None:
    closed = replace(HOME, closed_at=day(4))
    found = curated([closed, PORTO], order("correct", closed, 5, "Lisboa"))
    assert [(one.text, one.closed_at) for one in found] == [("Lisboa", day(4)), ("Porto", None)]


def test_a_value_said_again_goes_above_the_correction_of_it() -> None:
    again = replace(HOME, sources=(*HOME.sources, Source("m-again")))
    assert curated([again], order("correct", HOME, 2, "Braga"), m_again=3) == [again]
    assert curated([again], order("correct", HOME, 2, "Braga"), m_again=1)[0].text == "Braga"


def test_what_says_the_same_as_a_correction_joins_it() -> None:
    three = fact("three", "user.pet", "Three  CATS", 4)
    (found,) = curated([CATS, three], order("correct", CATS, 2, "three cats"))
    assert found.id == "cats" and found.sources[1:] == (Source("m-three"),)


def test_values_that_stand_side_by_side_do_not_close_each_other() -> None:
    dog = fact("dog", "user.pet", "a dog", 4)
    found = curated([CATS, dog], order("correct", CATS, 2, "three cats"))
    assert [one.closed_at for one in found] == [None, None]


def test_what_says_the_same_does_not_close_it() -> None:
    again = replace(HOME, id="again", sources=(Source("m-again"),), said_at=day(3), closed_at=day(4))
    found = curated([HOME, again], order("confirm", HOME, 2), m_home=0, m_again=3)
    assert [(one.id, one.closed_at) for one in found] == [("home", None), ("again", day(4))]


def test_orders_about_what_only_says_the_same_as_a_deleted_correction_do_not_bring_it_back() -> None:
    braga = fact("braga", "user.pet", "Braga", 1)
    ordered = order("correct", CATS, 2, "Braga"), order("delete", CATS, 3), order("recover", braga, 4)
    assert [one.id for one in curated([CATS, braga], *ordered)] == ["braga"]
    assert [one.id for one in curated([braga], *ordered)] == ["braga"]


def test_pinned_hidden_and_back() -> None:
    pin, hide = order("pin", HOME, 1), order("hide", HOME, 2)
    (found,) = curated([HOME], pin, hide)
    assert found.pinned and found.hidden
    (found,) = curated([HOME], pin, hide, order("unpin", HOME, 3), order("recover", HOME, 4))
    assert not found.pinned and not found.hidden


def test_a_deleted_record_is_gone_however_it_is_derived_again() -> None:
    gone = order("delete", HOME, 2)
    assert curated([HOME], gone) == []
    assert curated([replace(HOME, id="other", sources=(Source("m-else"),), text="LISBON ")], gone) == []
    assert curated([replace(HOME, id="other", text="Lisbon, Portugal", data={})], gone) == []
    assert curated([PORTO], gone) == [PORTO]
    assert [one.text for one in curated([HOME], gone, order("recover", HOME, 3))] == ["Lisbon"]


def test_two_things_of_one_message_are_not_deleted_together() -> None:
    nuts = fact("nuts", "user.allergy", "nuts", 0)
    shellfish = replace(nuts, id="shellfish", text="shellfish", data={"value": "shellfish"})
    assert curated([nuts, shellfish], order("delete", nuts, 2)) == [shellfish]


def test_a_negation_is_another_statement() -> None:
    likes = fact("likes", "user.likes", "pork", 0)
    never = replace(likes, id="never", data={**likes.data, "negated": True})
    assert curated([likes, never], order("delete", likes, 2)) == [never]


def test_a_deleted_record_comes_back_when_it_is_said_again() -> None:
    again = replace(HOME, sources=(*HOME.sources, Source("m-again")))
    gone = (order("correct", HOME, 1, "Braga"), order("pin", HOME, 1.5), order("delete", HOME, 2))
    assert curated([again], *gone, m_again=1) == []
    assert curated([again], *gone) == []  # nobody knows when
    assert curated([again], *gone, m_again=3) == [again]
    assert curated([replace(HOME, said_at=day(3))], order("delete", HOME, 2)) != []
    assert curated([again], *gone, order("delete", HOME, 4), m_again=3) == []


def test_a_deletion_holds_no_text() -> None:
    said = repr(order("delete", HOME, 2))
    assert "Lisbon" not in said and "home" in said and "user.home" not in said


def test_a_confirmed_record_ends_the_conflict() -> None:
    one = fact("one", "user.birthday", "1 May", 0, data={"status": "conflict", "conflicts": ["two"]})
    two = fact("two", "user.birthday", "2 May", 1, data={"status": "conflict", "conflicts": ["one"]})
    found = curated([one, two], order("confirm", one, 2))
    assert [(r.id, r.closed_at, r.data["status"]) for r in found] == [("one", None, ""), ("two", day(2), "")]
    three = fact("three", "user.birthday", "3 May", 3, data={"status": "conflict", "conflicts": ["one"]})
    found = curated([replace(one, data={"status": "conflict", "conflicts": ["two", "three"]}), two, three],
                    order("confirm", one, 2))  # fmt: skip
    assert [(r.id, r.closed_at, r.data["status"]) for r in found] == [
        ("one", None, "conflict"), ("two", day(2), ""), ("three", None, "conflict")]  # fmt: skip
    assert found[0].data["conflicts"] == ["three"]


def test_what_was_deleted_contradicts_nothing() -> None:
    one = fact("one", "user.birthday", "1 May", 0, data={"status": "conflict", "conflicts": ["two"]})
    two = fact("two", "user.birthday", "2 May", 1, data={"status": "conflict", "conflicts": ["one"]})
    (found,) = curated([one, two], order("delete", two, 2))
    assert found.data == {"status": ""}


def test_an_unverified_record_is_verified_by_a_person() -> None:
    (found,) = curated([replace(HOME, data={"status": "unverified"})], order("confirm", HOME, 2))
    assert found.data["status"] == ""


def test_confirming_a_closed_record_makes_it_current() -> None:
    closed = replace(
        HOME,
        closed_at=day(4),
        sources=(*HOME.sources, Source("m-porto")),
        data={**HOME.data, "closed_by": {"record": "porto", "message": "m-porto"}},
    )
    found = curated([closed, PORTO], order("confirm", closed, 5))
    assert [(one.text, one.closed_at) for one in found] == [("Lisbon", None), ("Porto", day(5))]
    assert "closed_by" not in found[0].data and found[0].sources == HOME.sources
    assert found[1].sources[-1] == Source("c-confirm-5")


def test_what_stands_open_beside_it_is_not_opened_a_second_time() -> None:
    """Two records say the same: one holds, one was closed; a confirmation of either leaves one that holds."""
    closed = replace(HOME, id="old", closed_at=day(0))
    for ordered in ([order("confirm", HOME, 1)], [order("confirm", closed, 1), order("confirm", closed, 2)]):
        found = curated([HOME, closed], *ordered)
        assert [(one.id, one.closed_at) for one in found] == [("home", None), ("old", day(0))]


def test_the_message_that_closed_it_does_not_say_it_again() -> None:
    closed = replace(
        HOME, sources=(*HOME.sources, Source("m-end")), closed_at=day(4), data={"closed_by": {"message": "m-end"}}
    )
    assert curated([closed], order("delete", HOME, 2), m_end=4) == []


def test_commands_of_a_day() -> None:
    orders = [order("pin", HOME, 1), order("pin", CATS, 3), order("delete", CATS, 4)]
    assert [command.at for command in commands(orders, day(2))] == [day(1), day(4)]
    assert commands([Message("x", "", "user", "y", created_at=DAY, metadata={"command": "fly", "record": "r"})]) == []


def test_fingerprints_follow_the_salt() -> None:
    assert mark(SALT, HOME) != mark(b"another", HOME)
    assert place(SALT, HOME) and not place(SALT, CATS)

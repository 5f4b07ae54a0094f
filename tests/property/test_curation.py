"""Whatever people order, in whatever order: deleted is deleted, and laying it over again changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from jiyi.commands import DOES, commands, metadata
from jiyi.curation import curate
from jiyi.types import Message, Record, Source

SALT = b"0123456789abcdef"
DAY = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = ("Lisbon", "里斯本", "two cats", "一只猫", "1 May", "Braga")
KEYS = ("user.home", "user.pet", "user.birthday", None)
STATUS = ("", "", "unverified", "conflict")


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    """Up to six records; the conflicts that they name go both ways."""
    made: list[Record] = []
    for number in range(draw(st.integers(1, 6))):
        at, text = draw(st.integers(0, 9)), draw(st.sampled_from(TEXTS))
        closed = draw(st.none() | st.integers(at, 9))
        made.append(
            Record(
                f"r{number}", draw(st.sampled_from(("fact", "note"))), text, "facts", "1",
                tuple(Source(f"m{draw(st.integers(0, 9))}") for _ in range(draw(st.integers(1, 2)))),
                key=draw(st.sampled_from(KEYS)), said_at=DAY + timedelta(days=at),
                closed_at=None if closed is None else DAY + timedelta(days=closed),
                data={"by": "rules", "status": draw(st.sampled_from(STATUS)), "value": text},
            )
        )  # fmt: skip
    return [_against(record, made) if record.data["status"] == "conflict" else record for record in made]


def _against(record: Record, made: list[Record]) -> Record:
    """In conflict with the others of the same thing that are."""
    same = [other.id for other in made if (other.kind, other.key) == (record.kind, record.key) and other is not record
            and other.data["status"] == "conflict"]  # fmt: skip
    return replace(record, data={**record.data, "conflicts": same} if same else {**record.data, "status": ""})


@st.composite
def orders(draw: st.DrawFn, about: list[Record]) -> list[Message]:
    given_: list[Message] = []
    at = DAY
    for number in range(draw(st.integers(1, 6))):
        does, record = draw(st.sampled_from(DOES)), draw(st.sampled_from(about))
        text = draw(st.sampled_from(TEXTS)) if does == "correct" else None
        said = metadata(does, record, SALT, [source.message_id for source in record.sources])
        at += timedelta(days=draw(st.integers(0, 3)))
        given_.append(Message(f"c{number}", "", "user", text, created_at=at, seq=number + 1, metadata=said))
    return given_


SAID = st.dictionaries(st.sampled_from([f"m{n}" for n in range(10)]), st.integers(0, 14)).map(
    lambda days: {name: DAY + timedelta(days=day) for name, day in days.items()}
)


@given(st.data(), records(), SAID)
def test_once_is_enough(data: st.DataObject, about: list[Record], said: dict[str, datetime]) -> None:
    read = commands(data.draw(orders(about)))
    once = curate(about, read, salt=SALT, said=said)
    assert curate(once, read, salt=SALT, said=said) == once


@given(st.data(), records())
def test_deleted_is_never_shown_unless_said_after(data: st.DataObject, about: list[Record]) -> None:
    target = data.draw(st.sampled_from(about))
    late = DAY + timedelta(days=20)
    sources = [source.message_id for source in target.sources]
    gone = Message(
        "gone", "", "user", None, created_at=late, seq=99, metadata=metadata("delete", target, SALT, sources)
    )
    read = commands([*data.draw(orders(about)), gone])
    again = replace(target, id="anew", text=f" {target.text.upper()}", data={})  # the same, derived once more
    found = curate([*about, again], read, salt=SALT, said={})
    assert not {target.id, again.id} & {record.id for record in found}
    spoken = replace(again, sources=(Source("late"),), said_at=late + timedelta(days=1))
    assert "anew" in {record.id for record in curate([spoken], read, salt=SALT, said={})}


@given(st.data(), records(), SAID)
def test_each_record_stands_there_once_and_a_fact_has_one_value(
    data: st.DataObject, about: list[Record], said: dict[str, datetime]
) -> None:
    read = commands(data.draw(orders(about)))
    found = curate(about, read, salt=SALT, said=said)
    assert len({record.id for record in found}) == len(found)
    sure = [r for r in found if r.kind == "fact" and r.key == "user.home" and r.data.get("by") == "person"]
    assert sum(record.closed_at is None for record in sure) <= 1


@given(st.data(), records())
def test_what_no_command_reaches_stays_as_it_is(data: st.DataObject, about: list[Record]) -> None:
    other = Record("other", "note", "什么都不是", "notes", "1", (Source("m-other"),), session_id="s")
    read = commands(data.draw(orders(about)))
    assert other in curate([*about, other], read, salt=SALT, said={})

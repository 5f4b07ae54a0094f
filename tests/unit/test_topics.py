"""Topics: composed of what was said, within limits, joined and renamed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jiyi.topics import (
    MOST,
    PART,
    Content,
    Kind,
    TopicPoint,
    TopicSession,
    Written,
    composed,
    content_of,
    joined,
    name_of,
    names_of,
    points_of,
    renamed,
    topic_id,
    topic_of,
    united,
    unsettled,
)
from jiyi.types import Record, Source

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def point(seq: int, text: str, importance: float = 0.5) -> TopicPoint:
    return TopicPoint(text, f"m{seq}", 0, len(text), text, START + timedelta(minutes=seq), seq, importance)


def topic(name: str, session: str = "s", **points: list[TopicPoint]) -> Record:
    bare = Record(topic_id(name), "", "", "topics:rules", "1", (), recorded_at=START, data={"by": "rules"})
    kinds: dict[Kind, list[TopicPoint]] = {
        "summary": points.get("summary", []),
        "decisions": points.get("decisions", []),
        "open": points.get("open", []),
        "done": points.get("done", []),
    }
    every = sorted((one for found in kinds.values() for one in found), key=lambda one: one.order)
    sessions = [TopicSession(session, one.message_id, one.message_id, one.at, one.at) for one in every]
    written = [Written(name, Source("m1", 0, 1, name), 1)]
    return composed(bare, Content(written, kinds, sessions, ["db", "page"], len(every)))


def test_a_topic_is_read_as_it_was_composed() -> None:
    record = topic(
        "Starling", summary=[point(1, "The app shows birds")], decisions=[point(2, "We decided on Postgres")]
    )
    found = topic_of(record)
    assert record.text == "Starling: The app shows birds. We decided on Postgres."
    assert (found.name, found.names, found.since, found.said_at) == (
        "Starling", (), START + timedelta(minutes=1), START + timedelta(minutes=2),
    )  # fmt: skip
    assert [one.text for one in found.decisions] == ["We decided on Postgres"]
    assert [(one.session_id, one.first, one.last, one.count) for one in found.sessions] == [("s", "m1", "m2", 2)]
    assert composed(record, content_of(record)) == record, "again: nothing changes"
    assert {source.message_id for source in record.sources} == {"m1", "m2"} and record.links == ("starling",)
    assert topic_of(Record("x", PART, "", "x", "1", ())).name == "", "whatever else stands there"


def test_the_order_makes_no_difference_and_limits_hold() -> None:
    said = [point(n, f"We decided on thing {n}", 0.1 + n % 7 / 10) for n in range(60)]
    one, other = topic("A", decisions=said, summary=said), topic("A", decisions=said[::-1], summary=said[::-1])
    assert points_of(one, "decisions") == points_of(other, "decisions") == said[-MOST["decisions"] :]
    summary = [point(n, f"Thing {n} is blue", 0.1 + n % 7 / 10) for n in range(60)]
    found = points_of(topic("A", summary=summary), "summary")
    assert len(found) == MOST["summary"] and {one.importance for one in found} == {0.7} and found[-1].seq == 55


@pytest.mark.parametrize(
    ("later", "left_open", "expected"),
    [
        ("We decided to use Postgres as the database", "We still need to choose a database", True),
        ("数据库决定用 Postgres", "数据库还没定", True),
        ("We decided on white walls", "We still need to choose a database", False),
        ("厨房的瓷砖选白色", "数据库还没定", False),
        ("The login page is done", "Next step: the login page", True),
        ("登录页做完了", "下一步要做登录页", True),
        ("决定了", "还没定", False),
    ],
)
def test_what_settles_an_open_point(later: str, left_open: str, expected: bool) -> None:
    asked = point(1, left_open)
    assert unsettled([asked], [point(2, later)]) == ([] if expected else [asked])
    assert unsettled([asked], [point(0, later)]) == [asked], "not what was said before"


def test_what_one_topic_left_open_the_other_settles_when_joined() -> None:
    first = topic("Starling", open=[point(1, "We still need to choose a database"), point(2, "Still open: the logo")])
    second = topic("Bird app", "t", decisions=[point(5, "The database will be Postgres")])
    both = joined(first, second)
    assert (both.id, name_of(both), names_of(both)) == (first.id, "Starling", ["Starling", "Bird app"])
    assert [one.text for one in points_of(both, "open")] == ["Still open: the logo"]
    assert [one.session_id for one in topic_of(both).sessions] == ["s", "t"] and both.data["count"] == 3
    assert set(both.links) == {"starling", "bird app"} and {s.message_id for s in both.sources} == {"m1", "m2", "m5"}


def test_a_topic_that_was_renamed_still_goes_by_its_name() -> None:
    record = renamed(topic("星雀", decisions=[point(1, "数据库用 Postgres")]), "鸟类 应用")
    assert record.text == "鸟类 应用：数据库用 Postgres。" and names_of(record) == ["鸟类 应用", "星雀"]
    assert record.links == ("鸟类 应用", "星雀") and record.data["value"] == "星雀", "a command still finds it"
    assert name_of(renamed(record, "星雀")) == "星雀" and names_of(renamed(record, "星雀")) == ["星雀"]
    again = topic("鸟类 应用", "t", open=[point(3, "图标还没定")])
    (both,) = united([record, again])
    assert both.id == record.id and len(points_of(both, "open")) == 1 and name_of(both) == "鸟类 应用"

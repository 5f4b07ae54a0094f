"""Topics: the order of what is said makes no difference, limits hold, and rules never point outside their message."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.periods import plain
from jiyi.rules.decided import decided
from jiyi.rules.own import own_words
from jiyi.rules.subject_words import phrase, telling
from jiyi.rules.subjects import named
from jiyi.strategies.topics_known import Before
from jiyi.strategies.topics_rules import RuleTopics, parts_by_rules
from jiyi.topics import KINDS, MOST, TOPIC, joined, points_of, topic_of_parts
from jiyi.types import Message, Record

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SENTENCES = [
    "For the Starling project we decided to use Postgres.", "We still need to choose a database.", "The logo is done.",
    "Let's go with the blue logo.", "Back to Starling: the login page is missing.", "I like long walks by the sea.",
    "星雀项目的数据库决定用 Postgres。", "图标还没定。", "图标做完了。", "说回星雀：下一步要做登录页。", "好的，谢谢。", "我们就用蓝色的图标。",
]  # fmt: skip
said = st.lists(st.tuples(st.sampled_from(SENTENCES), st.integers(0, 2)), min_size=1, max_size=24)


def messages(given_: list[tuple[str, int]]) -> list[Message]:
    return [
        Message(f"m{n}", f"s{session}", "user", text, seq=n, created_at=START + timedelta(minutes=n), recorded_at=START)
        for n, (text, session) in enumerate(given_, start=1)
    ]


def parts(given_: list[tuple[str, int]]) -> list[Record]:
    before, found = Before(()), list[Record]()
    for message in messages(given_):
        for one in parts_by_rules(RuleTopics.step, message, before.places(message)):
            before.add(one)
            found.append(one)
    return found


def composed(found: list[Record]) -> dict[str, Record | None]:
    return {
        key: topic_of_parts(key, [one for one in found if one.key == key]) for key in {one.key or "" for one in found}
    }


@settings(deadline=None, max_examples=60)
@given(said, st.data())
def test_the_order_of_parts_makes_no_difference(given_: list[tuple[str, int]], data: st.DataObject) -> None:
    found = parts(given_)
    topics = composed(found)
    assert composed(data.draw(st.permutations(found))) == topics
    texts = {message.id: message.text for message in messages(given_)}
    for topic in topics.values():
        if topic is None:
            continue
        assert topic.kind == TOPIC and all(len(points_of(topic, kind)) <= MOST[kind] for kind in KINDS)
        there = {source.message_id for source in topic.sources}
        for kind in KINDS:
            for point in points_of(topic, kind):
                assert texts[point.message_id][point.start : point.end] == point.quote and point.message_id in there
        for other in topics.values():
            if other is not None and other.id != topic.id:
                both = joined(topic, other)
                assert both.id == topic.id and both.data["name"] == topic.data["name"]
                assert {source.message_id for source in both.sources} <= set(texts)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200) | st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join))
def test_rules_stay_within_their_message(text: str) -> None:
    message = Message("m", "s", "user", text, seq=1, created_at=START)
    low = own_words(plain(text)) if text.strip() else ""
    spans = [(one.start, one.end) for one in decided(message)]
    spans += [(one.start, one.end) for one in named(text, low)]
    if found := phrase(text, low):
        assert text[found.start : found.end] == found.name
        spans.append((found.start, found.end))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(count > 0 for count in telling(text).values())
    assert decided(message.but(role="assistant")) == []


def test_a_message_of_a_megabyte_takes_no_longer_than_its_ends() -> None:
    for text in ("the project " * 80_000, "项目" * 500_000, "we need to " * 90_000, "a" * 1_000_000, "还没" * 400_000):
        message = Message("m", "s", "user", text, seq=1, created_at=START)
        begun = time.process_time()
        parts_by_rules(RuleTopics.step, message, Before(()).places(message))
        assert time.process_time() - begun < 20, text[:20]


def test_a_part_follows_from_its_message_alone() -> None:
    (one,) = parts([(SENTENCES[0], 0)])
    (other,) = parts([(SENTENCES[0], 0)])
    assert one == other and replace(one, text="x") != other

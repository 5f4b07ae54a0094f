from __future__ import annotations

import pytest

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.floor import Own, curve, judged, sample, strangers
from jiyi.types import Hit, Message


def test_a_floor_keeps_others_out_and_costs_evidence() -> None:
    own = [Own(((0.9, True), (0.8, False)), 1), Own(((0.5, True), (0.3, True)), 2), Own((), 1)]
    points = curve(own, [0.0, 0.2, 0.6, 0.95], [0.0, 0.4, 0.7, 1.0])
    assert [point.quiet[0] for point in points] == [0.25, 0.5, 0.75, 1.0]
    assert [point.recall for point in points] == pytest.approx([2 / 3, 0.5, 1 / 3, 0])
    assert [point.lost[0] for point in points] == pytest.approx([0, 1 / 6, 1 / 3, 2 / 3])
    assert [point.empty[0] for point in points] == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1])
    for point in points:
        for value, low, high in (point.quiet, point.lost, point.empty):
            assert low <= value <= high


def test_where_a_floor_takes_hits_away_the_next_ones_move_up() -> None:
    noise = tuple((0.2, False) for _ in range(10))
    points = curve([Own((*noise, (0.5, True)), 1)], [], [0.0, 0.4])
    assert [point.recall for point in points] == [0, 1] and points[1].lost[0] == -1


def test_nothing_asked_is_no_error() -> None:
    (point,) = curve([], [], [0.5])
    assert (point.recall, point.lost, point.quiet) == (0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_at_session_level_a_session_counts_once() -> None:
    hits = [
        Hit(score=1, relevance=relevance, message=Message(name, "", "user", name), parts={})
        for name, relevance in (("a", 0.9), ("b", 0.8), ("c", 0.7))
    ]
    session_of = {"a": "x", "b": "x", "c": "y"}
    by_message = judged(hits, Label("q", "", ("b",), "message", True), session_of)
    assert by_message == Own(((0.9, False), (0.8, True), (0.7, False)), 1)
    by_session = judged(hits, Label("q", "", ("x", "z"), "session", True), session_of)
    assert by_session == Own(((0.9, True), (0.7, False)), 2)


def conversation(name: str, questions: int) -> Conversation:
    asked = tuple(Question(f"{name} {n}?") for n in range(questions))
    labels = tuple(Label(str(n), "", (), "message", True) for n in range(questions))
    return Conversation(name, (), asked, labels)


def test_a_sample_keeps_questions_with_their_labels() -> None:
    whole = conversation("a", 30)
    few = sample(whole, 7)
    assert few == sample(whole, 7) != sample(whole, 7, seed=8) and len(few.questions) == 7
    assert [question.text for question in few.questions] == [f"a {one.question_id}?" for one in few.labels]
    assert sample(whole, None) == sample(whole, 30) == whole


def test_strangers_come_from_other_sets_in_turn() -> None:
    sets = {"a": [conversation("a1", 9), conversation("a2", 9)], "b": [conversation("b1", 30)], "c": [conversation("c1", 9)]}  # fmt: skip
    chosen = strangers(sets, 36)
    assert chosen == strangers(sets, 36) != strangers(sets, 36, seed=8)
    assert {place: len(found) for place, found in chosen.items()} == {
        ("a", "a1"): 6, ("a", "a2"): 6, ("b", "b1"): 12, ("c", "c1"): 12,
    }  # fmt: skip
    for (name, _), found in chosen.items():
        sources = [stranger.source for stranger in found]
        assert name not in sources and len({sources.count(other) for other in sets if other != name}) == 1
        assert all(stranger.question.text.startswith(stranger.source) for stranger in found)
        assert len({stranger.question.text for stranger in found}) == len(found)


def test_one_set_alone_takes_its_other_conversations() -> None:
    chosen = strangers({"a": [conversation("a1", 3), conversation("a2", 5)]}, 100)
    asked = [stranger.question.text for stranger in chosen["a", "a1"]]
    assert {text[:2] for text in asked} == {"a2"} and len(asked) == 5
    assert strangers({"a": [conversation("a1", 3)]}, 10) == {("a", "a1"): []} and strangers({}, 5) == {}


def test_lines_of_talk_ask_nothing() -> None:
    talk = Conversation(
        "b1", (), (Question("Indeed!"), Question("真的吗？")), (Label("1", "", (), "message", True),) * 2
    )
    chosen = strangers({"a": [conversation("a1", 1)], "b": [talk]}, 10)
    assert [stranger.question.text for stranger in chosen["a", "a1"]] == ["真的吗？"]

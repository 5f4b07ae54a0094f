from __future__ import annotations

import pytest

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.floor import Own, curve, strangers


def test_a_floor_keeps_others_out_and_costs_evidence() -> None:
    own = [Own(((0.9, True), (0.8, False)), 1), Own(((0.5, True), (0.3, True)), 2), Own((), 1)]
    points = curve(own, [0.0, 0.2, 0.6, 0.95], [0.0, 0.4, 0.7, 1.0])
    assert [point.quiet[0] for point in points] == [0.25, 0.5, 0.75, 1.0]
    assert [point.recall for point in points] == pytest.approx([2 / 3, 0.5, 1 / 3, 0])
    assert [point.lost for point in points] == pytest.approx([0, 1 / 6, 1 / 3, 2 / 3])
    assert all(low <= value <= high for value, low, high in (point.quiet for point in points))


def test_nothing_asked_is_no_error() -> None:
    (point,) = curve([], [], [0.5])
    assert (point.recall, point.lost, point.quiet) == (0.0, 0.0, (0.0, 0.0, 1.0))


def conversation(name: str, questions: int) -> Conversation:
    asked = tuple(Question(f"{name} {n}") for n in range(questions))
    labels = tuple(Label(str(n), "", (), "message", True) for n in range(questions))
    return Conversation(name, (), asked, labels)


def test_strangers_come_from_other_sets() -> None:
    sets = {"a": [conversation("a1", 9), conversation("a2", 9)], "b": [conversation("b1", 30)]}
    chosen = strangers(sets, 30)
    assert chosen == strangers(sets, 30) and set(chosen) == {("a", "a1"), ("a", "a2"), ("b", "b1")}
    assert all(len(found) == 10 for found in chosen.values())
    for (name, _), found in chosen.items():
        assert all(not question.text.startswith(name) for question in found)


def test_one_set_alone_takes_its_other_conversations() -> None:
    chosen = strangers({"a": [conversation("a1", 3), conversation("a2", 5)]}, 100)
    assert {question.text[:2] for question in chosen["a", "a1"]} == {"a2"} and len(chosen["a", "a1"]) == 5
    assert strangers({"a": [conversation("a1", 3)]}, 10) == {("a", "a1"): []} and strangers({}, 5) == {}

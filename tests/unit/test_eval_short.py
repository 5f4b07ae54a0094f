from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jiyi.eval import Conversation, Label, Question
from jiyi.eval.short import shortened
from jiyi.importing import Entry


def conversation(count: int, question: Question, label: Label, per_session: int = 5) -> Conversation:
    entries = tuple(
        Entry(1, "u", f"s{n // per_session}", {"message_id": f"m{n}", "role": "user", "content": f"text {n}"})
        for n in range(count)
    )
    return Conversation("c", entries, (question,), (label,))


def ids(found: Conversation) -> list[str]:
    return [entry.message_id for entry in found.entries]


def test_the_messages_around_the_evidence_stay() -> None:
    (short,) = shortened(conversation(50, Question("?"), Label("q", "", ("m30", "m10"), "message", True)), 8)
    assert ids(short) == ["m8", "m9", "m10", "m11", "m12", "m29", "m30", "m31"]
    assert short.labels[0].evidence == ("m30", "m10")


def test_at_the_edge_the_other_side_fills_up() -> None:
    (short,) = shortened(conversation(50, Question("?"), Label("q", "", ("m0",), "message", True)), 4)
    assert ids(short) == ["m0", "m1", "m2", "m3"]


def test_a_moment_hides_what_comes_after() -> None:
    (short,) = shortened(conversation(50, Question("?", "m12"), Label("q", "", ("m10", "m40"), "message", True)), 6)
    assert ids(short) == ["m6", "m7", "m8", "m9", "m10", "m11"]
    assert short.labels[0].evidence == ("m10",) and short.questions[0].before is None


def test_evidence_sessions_are_there_with_their_first_messages() -> None:
    (short,) = shortened(conversation(50, Question("?"), Label("q", "", ("s2", "s7"), "session", True)), 8)
    assert {"m10", "m11", "m35", "m36"} <= set(ids(short)) and len(ids(short)) == 8
    assert short.labels[0].evidence == ("s2", "s7")


def test_what_cannot_be_answered_is_left_out() -> None:
    assert not shortened(conversation(50, Question("?"), Label("q", "", (), "message", True)), 8)
    assert not shortened(conversation(50, Question("?"), Label("q", "", ("m1",), "message", False)), 8)
    assert not shortened(conversation(50, Question("?"), Label("q", "", ("gone",), "message", True)), 8)


@given(
    st.integers(1, 60), st.lists(st.integers(0, 59), min_size=1, max_size=30, unique=True), st.integers(2, 40),
    st.none() | st.integers(0, 59),
)  # fmt: skip
def test_short_histories_hold_evidence_in_order(count: int, marked: list[int], size: int, before: int | None) -> None:
    before = before if before is not None and before < count else None
    question = Question("?", None if before is None else f"m{before}")
    whole = conversation(count, question, Label("q", "", tuple(f"m{n}" for n in marked), "message", True))
    end = count if before is None else before
    found = shortened(whole, size)
    assert len(found) == any(n < end for n in marked)
    for short in found:
        places = [int(name[1:]) for name in ids(short)]
        assert places == sorted(places) and len(places) == min(size, end) and max(places) < end
        (label,) = short.labels
        assert label.evidence and set(label.evidence) <= set(ids(short))

"""Facts: the order of processing makes no difference, what is said twice changes nothing, nothing unsaid gets in."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.attributes import ATTRIBUTES
from jiyi.candidates import Candidate
from jiyi.facts import RULES, Making, changes
from jiyi.grounding import unsupported
from jiyi.likeness import same, words
from jiyi.prompts.facts import Told
from jiyi.strategies.facts_gate import let_in
from jiyi.testing.strategy import START, conversation
from jiyi.types import Message, Record, Step

STEP = Step(RULES, "1")
VALUES = {
    "home": ["Oslo", "Bergen", "Rome"],
    "birthday": ["3 May", "5 May"],
    "pet": ["two cats", "2 cats", "three cats", "a dog"],
    "likes": ["tea", "coffee"],
    "dislikes": ["tea"],
    "": ["The bike is in the shed", "the bike is in the shed!"],
}
claims = st.sampled_from([(name, value) for name, values in VALUES.items() for value in values]).flatmap(
    lambda one: st.tuples(st.just(one[0]), st.just(one[1]), st.booleans() if one[0] else st.just(False))
)


def candidate(seq: int, day: int, claim: tuple[str, str, bool]) -> Candidate:
    attribute, value, ends = claim
    text = f"{value} ({'over' if ends else 'so'})"
    at = START + timedelta(days=day)
    message = Message(f"m{seq}", "s", "user", text, seq=seq, created_at=at, recorded_at=START + timedelta(days=seq))
    return Candidate(message, 0, len(text), value, attribute=attribute, value=value if attribute else "", ends=ends)


def derive(book: dict[str, Record], batch: list[Candidate]) -> bool:
    """Whether anything was written."""
    keys = {f"user.{name}" for name in VALUES if name}
    making = Making(STEP, frozenset(one.message.id for one in batch), whole=keys)
    found = changes([(one, "rules") for one in batch], list(book.values()), making)
    for name in found.drop:
        del book[name]
    book |= {record.id: record for record in found.put}
    return bool(found.put or found.drop)


def state(book: dict[str, Record]) -> list[tuple[object, ...]]:
    return sorted(
        (
            record.kind, record.key or "", str(record.data.get("value", "")), record.closed_at or START,
            str(record.data.get("status")), tuple(sorted(source.message_id for source in record.sources)),
        )
        for record in book.values()
    )  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), claims), max_size=9), st.data())
def test_the_order_and_the_batches_make_no_difference(said: list[tuple[int, tuple[str, str, bool]]], data) -> None:
    batch = [candidate(seq, day, claim) for seq, (day, claim) in enumerate(said, start=1)]
    at_once: dict[str, Record] = {}
    derive(at_once, batch)
    one_by_one: dict[str, Record] = {}
    for one in data.draw(st.permutations(batch)):
        derive(one_by_one, [one])
    assert state(one_by_one) == state(at_once)
    assert not derive(at_once, batch), "again: nothing is written"
    for record in at_once.values():
        assert record.sources and record.data["said"]
        if record.kind == "fact" and record.closed_at is None:
            assert "closed_by" not in record.data
    for name in ("home",):
        open_ = [r for r in at_once.values() if r.key == f"user.{name}" and r.kind == "fact" and r.closed_at is None]
        assert len(open_) <= 1, "one value at a time"


SENTENCES = [
    "I don't eat pork.", "My budget is 500 dollars.", "I moved to Porto on 3 May 2024.", "我对花生过敏。", "我不吃香菜。",
    "预算是500块。", "My sister Mia has two cats.", "I'll see the dentist tomorrow.",
]  # fmt: skip
TEXTS = [
    "The user eats pork.", "The user's budget is 800 dollars.", "The user's budget is 500 euros.", "The user moved to Porto.",
    "The user moved on 4 May 2024.", "用户对花生不过敏。", "用户吃香菜。", "预算是800块。", "Anna has two cats.", "Mia has 3 cats.",
    "The user will see the dentist on 2024-03-02.", "The user will see the dentist on 2024-03-09.",
]  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from(SENTENCES), st.sampled_from([*TEXTS, *SENTENCES]), st.sampled_from(["", "diet", "budget", "hobby"])
)
def test_no_text_gets_in_that_says_more_than_the_words(said: str, text: str, attribute: str) -> None:
    (message,) = conversation(("user", said))
    told = Told(number=1, quote=said, text=text, attribute=attribute, value=text)
    found = let_in(told, {1: message}, ATTRIBUTES)
    assert found is not None and found.quote in said
    assert unsupported(found.text, [said], known=["2024-03-02"]) == ()
    assert not found.value or unsupported(found.value, [said], known=["2024-03-02"]) == () or found.value in said


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_mutual_and_never_raises(one: str, other: str) -> None:
    left, right = words(one), words(other)
    assert same(left, right) == same(right, left)
    assert same(left, right, loosely=True) == same(right, left, loosely=True)
    assert same(left, left) == bool(left)

"""Facts from statements: what is new, confirms, updates, contradicts, takes back; whatever the order it comes in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.candidates import Candidate
from jiyi.commands import evidence
from jiyi.facts import MODEL, RULES, Making, changes
from jiyi.indexable import record_entry
from jiyi.testing.strategy import START
from jiyi.types import Message, Record, Step

STEPS = {RULES: Step(RULES, "1"), MODEL: Step(MODEL, "1", stride=16)}


def said(seq: int, text: str, *, day: float | None = None) -> Message:
    at = START + timedelta(days=seq if day is None else day)
    return Message(f"m{seq}", "s", "user", text, seq=seq, created_at=at, recorded_at=at)


def claim(message: Message, attribute: str, value: str, **details: object) -> Candidate:
    return Candidate(message, 0, len(message.text), message.text, attribute=attribute, value=value, **details)  # type: ignore[arg-type]


def test_a_fact_is_found_by_whom_it_is_about() -> None:
    book = Book()
    message = said(1, "Her sister Mei Ling lives in Porto")
    book.derive(claim(message, "home", "Porto", subject="Mei  Ling"), claim(message, "pet", "a cat"))
    assert sorted(fact.links for fact in book.facts) == [("mei ling",), ("user",)]


class Book:
    """What a store would hold after each derivation."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.stale: tuple[str, ...] = ()

    def derive(self, *claims: Candidate, step: str = RULES, messages: Iterable[Message] = (),
               attributes: Iterable[Attribute] = ()) -> list[Record]:  # fmt: skip
        ids = {one.message.id for one in claims} | {message.id for message in messages}
        known = list(self.records.values())
        making = Making(
            STEPS[step],
            frozenset(ids),
            {"model": "m", "prompt": "p"} if step == MODEL else {},
            {record.key for record in known if record.key} | {f"{one.subject}.{one.attribute}" for one in claims},
            {**ATTRIBUTES, **{one.name: one for one in attributes}},
        )
        found = changes([(one, "model" if step == MODEL else "rules") for one in claims], known, making)
        for name in found.drop:
            del self.records[name]
        for seq, record in enumerate(found.put, start=len(self.records) + 1):
            self.records[record.id] = replace(record, seq=seq, used=seq, used_at=START)  # as a store gives it
        self.stale = found.stale
        return list(found.put)

    @property
    def facts(self) -> list[Record]:
        return [record for record in self.records.values() if record.kind == "fact"]

    @property
    def current(self) -> list[str]:
        return sorted(record.data["value"] or record.text for record in self.facts if record.closed_at is None)  # type: ignore[misc]

    def fact(self, value: str) -> Record:
        return next(record for record in self.facts if value in (record.data["value"], record.text))


def test_a_new_fact_says_where_it_comes_from() -> None:
    message = said(1, "Hello, I work at Northwind as a buyer.")
    one = Candidate(message, 7, 26, "I work at Northwind", attribute="employer", value="Northwind", importance=0.8)
    (record,) = Book().derive(one)
    assert (record.kind, record.key, record.text) == ("fact", "user.employer", "I work at Northwind")
    assert record.sources[0].quote == message.text[7:26] and (record.sources[0].start, record.sources[0].end) == (7, 26)
    assert record.said_at == message.created_at and record.recorded_at == message.recorded_at
    assert (record.strategy, record.data["by"], record.data["subject"]) == (RULES, "rules", "user")
    assert (record.data["status"], record.importance, record.closed_at) == ("", 0.8, None)


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        ("pet", ["two cats", "2 cats", "My 2 cats", "Two Cats.", "two cats at home", "my cats"]),
        ("pet", ["两只猫", "2只猫", "我的两只猫", "两条猫"]),
        ("allergy", ["shellfish", "Shellfish", "the shellfish"]),
        ("home", ["Berlin", "Berlin, Germany", "in Berlin"]),
        ("budget", ["500块", "五百块", "500元"]),
        ("budget", ["25000块", "两万五块", "二万五千元"]),
        ("budget", ["$500", "500 dollars", "500"]),
        ("age", ["30", "30 years old", "30岁"]),
    ],
)
def test_the_same_value_in_other_words_confirms(attribute: str, values: list[str]) -> None:
    book = Book()
    for seq, value in enumerate(values, start=1):
        book.derive(claim(said(seq, f"{value} {'!' * seq}"), attribute, value))
    (record,) = book.facts
    assert [source.message_id for source in record.sources] == [f"m{seq}" for seq in range(1, len(values) + 1)]
    assert record.said_at == said(1, "").created_at and record.closed_at is None
    assert 0.5 < (record.importance or 0) <= 0.6


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        ("allergy", ["nuts", "pine nuts"]),
        ("allergy", ["鱼", "鱿鱼"]),
        ("likes", ["coffee", "tea"]),
        ("pet", ["two cats", "a dog"]),
        ("identifier", ["KX-20931-07", "KX-20931-08"]),
        ("amount", ["总价 20 元", "运费 20 元"]),
    ],
)
def test_other_values_stand_side_by_side(attribute: str, values: list[str]) -> None:
    book = Book()
    for seq, value in enumerate(values, start=1):
        book.derive(claim(said(seq, value), attribute, value))
    assert book.current == sorted(values)


def test_statements_without_an_attribute_are_compared_by_their_words() -> None:
    book = Book()
    for seq, text in enumerate(["The bike is in the shed", "the bike is in the shed!", "The bike is in the cellar"], 1):
        book.derive(claim(said(seq, text), "", ""))
    assert sorted(len(record.sources) for record in book.facts) == [1, 2]
    assert {record.key for record in book.facts} == {None}


def test_a_later_value_closes_the_earlier_with_its_date_and_links() -> None:
    book = Book()
    book.derive(claim(said(1, "I work at Northwind"), "employer", "Northwind"))
    book.derive(claim(said(2, "I started at Alder Labs"), "employer", "Alder Labs", valid_from=START))
    old, new = book.fact("Northwind"), book.fact("Alder Labs")
    assert (old.closed_at, old.valid_to, new.closed_at) == (said(2, "").created_at, START, None)
    assert old.data["closed_by"] == {"record": new.id, "message": "m2", "seq": 2, "step": RULES}
    assert new.data["replaces"] == old.id
    assert [source.message_id for source in old.sources] == ["m1", "m2"]
    assert [source.message_id for source in evidence(old)] == ["m1"]
    assert book.stale == ("m1",), "what rests on it is derived anew"


TALK = [
    ("I live in Oslo", "home", "Oslo"), ("I live in Bergen", "home", "Bergen"), ("Oslo again", "home", "Oslo"),
    ("I like tea", "likes", "tea"), ("I can't stand tea", "dislikes", "tea"), ("two cats", "pet", "two cats"),
    ("three cats", "pet", "three cats"), ("born 3 May", "birthday", "3 May"), ("born 5 May", "birthday", "5 May"),
]  # fmt: skip


def test_the_order_of_processing_makes_no_difference() -> None:
    messages = [said(seq, text) for seq, (text, _, _) in enumerate(TALK, start=1)]
    claims = [claim(m, attribute, value) for m, (_, attribute, value) in zip(messages, TALK, strict=True)]

    def state(order: Iterable[Candidate]) -> list[tuple[object, ...]]:
        book = Book()
        for one in order:
            book.derive(one)
        return sorted(
            (r.data["value"], r.closed_at or START, r.data["status"], tuple(s.message_id for s in r.sources))  # type: ignore[misc]
            for r in book.facts
        )

    expected = state(claims)
    assert [row[0] for row in expected] == sorted(
        ["Oslo", "Bergen", "Oslo", "tea", "tea", "two cats", "three cats", "3 May", "5 May"]
    )
    for at in range(len(claims)):
        assert state([*claims[at:], *claims[:at]]) == expected
    for order in permutations(claims[:3]):
        assert state([*order, *claims[3:]]) == expected


def test_what_contradicts_itself_twice_makes_no_difference_either() -> None:
    told = [(1, 1, "3 May"), (2, 1, "5 May"), (3, 2, "3 May"), (4, 1, "5 May")]  # the last one comes late
    claims = [claim(said(seq, f"Born on {value}.", day=day), "birthday", value) for seq, day, value in told]

    def state(*batches: Iterable[Candidate]) -> list[tuple[object, ...]]:
        book = Book()
        for batch in batches:
            book.derive(*batch)
        return sorted(
            (r.data["value"], r.closed_at or START, r.data["status"], tuple(s.message_id for s in r.sources))  # type: ignore[misc]
            for r in book.facts
        )

    expected = state(claims)
    for order in permutations(claims):
        assert state(*[[one] for one in order]) == expected
        assert state(order[:2], order[2:]) == state(order[:3], order[3:]) == expected


def test_an_old_statement_that_comes_late_is_closed_at_once() -> None:
    book = Book()
    book.derive(claim(said(1, "I work at Alder Labs", day=10), "employer", "Alder Labs"))
    book.derive(claim(said(2, "I work at Northwind", day=3), "employer", "Northwind"))
    old = book.fact("Northwind")
    assert old.closed_at == START + timedelta(days=10) and book.current == ["Alder Labs"]


def test_an_old_statement_that_was_taken_back_before_it_came() -> None:
    book = Book()
    book.derive(claim(said(1, "I no longer work at Northwind", day=10), "employer", "Northwind", ends=True))
    assert not book.facts and [record.text for record in book.records.values()] == [""]
    book.derive(claim(said(2, "I work at Northwind", day=3), "employer", "Northwind"))
    assert book.fact("Northwind").closed_at == START + timedelta(days=10)
    book.derive(claim(said(3, "Back at Northwind", day=12), "employer", "Northwind"))
    assert book.current == ["Northwind"]


def test_a_value_that_does_not_change_contradicts_another_until_it_is_said_again() -> None:
    book = Book()
    book.derive(claim(said(1, "born on 3 May"), "birthday", "3 May"))
    book.derive(claim(said(2, "born on 5 May"), "birthday", "5 May"))
    one, other = book.fact("3 May"), book.fact("5 May")
    assert one.data["status"] == other.data["status"] == "conflict"
    assert one.data["conflicts"] == [other.id] and other.data["conflicts"] == [one.id]
    assert book.current == ["3 May", "5 May"]
    book.derive(claim(said(3, "as I said, 5 May"), "birthday", "5 May"))
    assert book.current == ["5 May"] and book.fact("5 May").data["status"] == ""
    assert book.fact("3 May").closed_at == said(3, "").created_at


def test_two_values_in_one_message_contradict() -> None:
    book, message = Book(), said(1, "I live in Oslo, I live in Bergen")
    book.derive(claim(message, "home", "Oslo"), claim(message, "home", "Bergen"))
    assert {record.data["status"] for record in book.facts} == {"conflict"}
    book.derive(claim(said(2, "I moved to Rome"), "home", "Rome"))
    assert book.current == ["Rome"]


def test_what_is_liked_no_more_and_what_is_denied() -> None:
    book = Book()
    book.derive(claim(said(1, "I like tea"), "likes", "tea"))
    book.derive(claim(said(2, "I hate tea now"), "dislikes", "tea"))
    assert [record.key for record in book.facts if record.closed_at is None] == ["user.dislikes"]
    book.derive(claim(said(3, "I have a car"), "owns", "a car"))
    book.derive(claim(said(4, "I don't have a car"), "owns", "a car", negated=True))
    assert [record.data["negated"] for record in book.facts if record.key == "user.owns" and not record.closed_at] == [
        True
    ]


def test_another_number_of_the_same_things() -> None:
    book = Book()
    book.derive(claim(said(1, "two cats"), "pet", "two cats"))
    book.derive(claim(said(2, "three cats now"), "pet", "three cats"))
    book.derive(claim(said(3, "预算500元"), "budget", "500元"))
    book.derive(claim(said(4, "预算改成800元"), "budget", "800元"))
    assert book.current == ["800元", "three cats"]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("预算是500元", "预算改成800元"), ("我的预算是500元", "现在预算调整为800元"), ("预算大概500元", "把预算提高到800元"),
        ("预算最多500元", "预算可以增加到800元"), ("礼物预算是500元", "礼物的预算改成800元"),
        ("my budget is 500 euros", "the budget is now 800 euros"),
    ],
)  # fmt: skip
def test_another_sum_for_the_same_thing_in_other_words(before: str, now: str) -> None:
    book = Book()
    book.derive(claim(said(1, before), "budget", "500"))
    book.derive(claim(said(2, now), "budget", "800"))
    assert book.current == ["800"]


def test_sums_for_different_things_stand_side_by_side() -> None:
    book = Book()
    book.derive(claim(said(1, "这次买礼物我最多花430元，不能再多了"), "budget", "430元"))
    book.derive(claim(said(2, "购书基金：500元预算已预留"), "budget", "500元"))
    assert book.current == ["430元", "500元"]
    book.derive(claim(said(3, "礼物的预算改成600元"), "budget", "600元"))
    assert book.current == ["500元", "600元"]
    book.derive(claim(said(4, "旅行预算提高到5000元"), "budget", "5000元"))
    assert book.current == ["5000元", "500元", "600元"]
    book = Book()
    book.derive(claim(said(1, "I can spend 430 euros on the present, not more"), "budget", "430 euros"))
    book.derive(claim(said(2, "My budget for the trip is 2000 euros"), "budget", "2000 euros"))
    assert book.current == ["2000 euros", "430 euros"]
    book.derive(claim(said(3, "I can spend 500 euros on the present after all"), "budget", "500 euros"))
    assert book.current == ["2000 euros", "500 euros"]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I no longer have cats", "pet", "cats"),
        ("no more two cats", "pet", "two cats"),
        ("the cats are gone", "habit", "two cats"),
        ("forget the two cats", "", "two cats"),
    ],
)
def test_what_is_taken_back(text: str, attribute: str, value: str) -> None:
    book = Book()
    book.derive(claim(said(1, "I have two cats"), "pet", "two cats"))
    book.derive(claim(said(2, "I have a dog"), "pet", "a dog"))
    book.derive(claim(said(3, text), attribute, value, ends=True))
    assert book.current == ["a dog"]
    assert book.fact("two cats").data["closed_by"] == {"record": None, "message": "m3", "seq": 3, "step": RULES}


def test_a_single_value_is_taken_back_without_being_named_and_another_one_is_not() -> None:
    book = Book()
    book.derive(claim(said(1, "I work at Alder Labs"), "employer", "Alder Labs"))
    book.derive(claim(said(2, "I no longer work at Northwind"), "employer", "Northwind", ends=True))
    assert book.current == ["Alder Labs"]
    book.derive(claim(said(3, "I quit my job"), "employer", "", ends=True))
    assert book.current == []


def test_forget_that_means_what_was_said_just_now() -> None:
    book = Book()
    book.derive(claim(said(1, "I live in Oslo", day=1), "home", "Oslo"))
    book.derive(claim(said(2, "I have two cats", day=1.01), "pet", "two cats"))
    book.derive(claim(said(3, "forget that", day=1.02), "", "", ends=True))
    assert book.current == ["Oslo"]
    assert {record.kind for record in book.records.values() if record.key == "user.*"} == {"retraction"}


def test_a_fact_is_found_by_what_asks_for_its_attribute() -> None:
    own = Attribute("shoe_size", "one", 0.5, asked={"en": "shoes, size"})
    book = Book()
    claims = (
        claim(said(1, "I work at Northwind."), "employer", "Northwind"),
        claim(said(2, "我在赤杨科技上班。"), "employer", "赤杨科技"),
        claim(said(3, "I take a 43."), "shoe_size", "43"),
        claim(said(4, "我穿43码。"), "shoe_size", "43码"),
        claim(said(5, "We met at noon."), "", ""),
    )
    book.derive(*claims, attributes=[own])
    found = {record.text: record_entry(record).terms for record in book.facts}
    assert "compani" in found["I work at Northwind."] and "公司" in found["我在赤杨科技上班。"]
    assert "shoe" in found["I take a 43."]
    for text in ("我穿43码。", "We met at noon."):
        assert found[text].keys() == record_entry(replace(book.fact(text), data={})).terms.keys()


def test_the_same_batch_again_changes_nothing() -> None:
    book = Book()
    messages = [said(seq, text) for seq, (text, _, _) in enumerate(TALK, start=1)]
    claims = [claim(m, attribute, value) for m, (_, attribute, value) in zip(messages, TALK, strict=True)]
    assert book.derive(*claims)
    before = dict(book.records)
    assert book.derive(*claims) == [] and book.records == before and not book.stale
    for one in claims:
        assert book.derive(one) == []


def test_a_stretch_derived_anew_forgets_what_it_said_before() -> None:
    book = Book()
    first, second = said(1, "I live in Oslo"), said(2, "I live in Bergen")
    book.derive(claim(first, "home", "Oslo"))
    book.derive(claim(second, "home", "Bergen"))
    book.derive(messages=[second])
    assert book.current == ["Oslo"] and len(book.facts) == 1, "what the message closed is open again"
    book.derive(messages=[first])
    assert not book.facts


def test_the_model_takes_over_what_the_rules_found() -> None:
    book = Book()
    first, second = said(1, "I have two cats and a car"), said(20, "my two cats")
    book.derive(claim(first, "pet", "two cats"), claim(first, "owns", "a car"))
    book.derive(claim(second, "pet", "two cats"))
    assert {record.strategy for record in book.facts} == {RULES}
    told = replace(claim(first, "pet", "two cats"), text="The user has two cats")
    book.derive(told, step=MODEL)
    (record,) = book.facts
    assert (record.strategy, record.text, record.data["by"]) == (MODEL, "The user has two cats", "model")
    assert record.data["made"] == {"model": "m", "prompt": "p"}
    assert [source.message_id for source in record.sources] == ["m1", "m20"], "what the model has not seen stays"
    book.derive(claim(second, "pet", "two cats"))
    assert len(book.facts) == 1, "and the rules go on beside it"


def test_what_the_rules_see_closes_what_the_model_made_and_comes_open_again() -> None:
    book = Book()
    book.derive(claim(said(1, "I work at Northwind"), "employer", "Northwind"), step=MODEL)
    last = said(20, "I quit Northwind")
    book.derive(claim(last, "employer", "Northwind", ends=True))
    assert book.current == [] and book.fact("Northwind").strategy == MODEL
    book.derive(messages=[last], step=MODEL)
    assert book.current == ["Northwind"]


def test_evidence_is_bounded() -> None:
    book = Book()
    for seq in range(1, 60):
        book.derive(claim(said(seq, f"I am Ada, {seq}"), "name", "Ada"))
    (record,) = book.facts
    ids = [source.message_id for source in record.sources]
    assert len(ids) == 12 and (ids[0], ids[-1]) == ("m1", "m59")
    assert record.importance is not None and record.importance <= 1


def test_a_time_that_nobody_knows_stays_unknown() -> None:
    message = replace(said(1, "I live in Oslo"), created_at=None)
    book = Book()
    (record,) = book.derive(claim(message, "home", "Oslo"))
    assert record.said_at is None and record.recorded_at == message.recorded_at
    assert book.derive(claim(message, "home", "Oslo")) == []
    book.derive(claim(said(2, "I live in Bergen"), "home", "Bergen"))
    assert book.current == ["Bergen"] and book.fact("Oslo").closed_at == said(2, "").created_at


def test_own_attributes_change_as_they_say() -> None:
    book, tier = Book(), Attribute("tier", "one", 0.9)
    book.derive(claim(said(1, "gold"), "tier", "gold"), attributes=[tier])
    book.derive(claim(said(2, "silver"), "tier", "silver"), attributes=[tier])
    assert book.current == ["silver"]


def test_what_others_made_is_left_alone() -> None:
    book = Book()
    other = Record("x", "fact", "I live in Oslo", "plugin", "1", (), key="user.home")
    book.records["x"] = other
    book.derive(claim(said(1, "I live in Bergen"), "home", "Bergen"))
    assert book.records["x"] is other

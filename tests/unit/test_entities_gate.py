"""What of a model's entities and relations gets in: a rule of the gate each, in both languages."""

from __future__ import annotations

import pytest

from jiyi.mentions import USER, Mentioned
from jiyi.prompts.entities import Told
from jiyi.strategies.entities_gate import let_in
from jiyi.testing.strategy import conversation
from jiyi.types import Message


def read(said: str, *more: str, number: int = 1, **told: object) -> Mentioned:
    """What is let in of one item about the first of these messages."""
    messages = conversation(*(Message("", "s", "user", text) for text in (said, *more)))
    item = {"number": number, "quote": said.rstrip(".。"), **told}
    return let_in(Told.model_validate(item), dict(enumerate(messages, start=1)))


def edges(found: Mentioned) -> list[tuple[str, str, str]]:
    return [(one.head, one.relation, one.tail) for one in found.edges]


def names(found: Mentioned) -> list[str]:
    return [one.name for one in found.mentions]


@pytest.mark.parametrize(
    ("said", "head", "relation", "tail", "expected"),
    [
        ("Norr bought Kestrel.", "Norr", "acquired", "Kestrel", ("Norr", "acquired", "Kestrel")),
        ("Kestrel was bought by Norr.", "Kestrel", "acquired", "Norr", ("Norr", "acquired", "Kestrel")),
        ("Kestrel was bought by Norr.", "Kestrel", "acquired by", "Norr", ("Norr", "acquired", "Kestrel")),
        ("Norr bought Kestrel.", "Kestrel", "acquired", "Norr", ("Norr", "acquired", "Kestrel")),
        ("蓝湾物流收购了灰雀机器人。", "灰雀机器人", "acquired", "蓝湾物流", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("灰雀机器人去年被蓝湾物流收购。", "灰雀机器人", "收购", "蓝湾物流", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("乌鹭科技有一家子公司，叫白鲸软件。", "乌鹭科技", "子公司", "白鲸软件", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("I report to the head of logistics.", "user", "reports_to", "head of logistics", (USER, "reports_to", "head of logistics")),
        ("I report to the head of logistics.", "the head of logistics", "manages", "user", (USER, "reports_to", "head of logistics")),
        ("Lin Wei writes under the name Qiu Shan.", "Lin Wei", "pen_name", "Qiu Shan", ("Lin Wei", "pen_name", "Qiu Shan")),
        ("秋山是林薇的笔名。", "秋山", "pen_name", "林薇", ("林薇", "pen_name", "秋山")),
        ("陈默在蓝湾物流上班。", "陈默", "works_at", "蓝湾物流", ("陈默", "works_at", "蓝湾物流")),
        ("Ann sponsors the Kestrel project.", "Ann", "sponsors", "Kestrel", ("Ann", "sponsors", "Kestrel")),
        ("安娜赞助了红隼。", "安娜", "赞助", "红隼", ("安娜", "赞助", "红隼")),
    ],
)  # fmt: skip
def test_the_words_tell_the_direction(
    said: str, head: str, relation: str, tail: str, expected: tuple[str, str, str]
) -> None:
    found = read(said, head=head, relation=relation, tail=tail)
    assert edges(found) == [expected] and set(names(found)) == {expected[0], expected[2]}
    (edge,) = found.edges
    assert edge.quote == said.rstrip(".。") and said[edge.start : edge.end] == edge.quote


@pytest.mark.parametrize(
    ("said", "head", "relation", "tail"),
    [
        ("蓝湾物流包含三个部门。", "蓝湾物流", "包含", "蓝湾物流"),
        ("蓝湾物流投资了一家公司。", "蓝湾物流", "投资", "从未提到的公司"),
        ("白鲸软件在那里。", "白鲸软件", "位于", ""),
        ("Norr met Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Norr met Kestrel.", "Norr", "sponsors", "Kestrel"),
        ("She built it.", "she", "created", "it"),
        ("My sister works at Alder.", "user", "works_at", "Alder"),
        ("我妹妹在赤杨科技工作。", "user", "works_at", "赤杨科技"),
    ],
)
def test_no_edge_of_what_is_not_said(said: str, head: str, relation: str, tail: str) -> None:
    found = read(said, head=head, relation=relation, tail=tail)
    assert edges(found) == []
    assert set(names(found)) <= {head, tail} | {USER}


@pytest.mark.parametrize(
    "said",
    [
        "Does Norr own Kestrel?",
        "If Norr bought Kestrel, I would leave.",
        "Translate this: Norr bought Kestrel.",
        "Let's say Norr bought Kestrel.",
        "```\nNorr bought Kestrel\n```",
        "蓝湾物流收购了灰雀机器人吗？",
        "如果蓝湾物流收购了灰雀机器人，我就走。",
        "请翻译：蓝湾物流收购了灰雀机器人",
    ],
)
def test_nothing_of_questions_suppositions_and_borrowed_words(said: str) -> None:
    head, tail = ("Norr", "Kestrel") if said.isascii() else ("蓝湾物流", "灰雀机器人")
    quote = said.strip("`\n").partition(": ")[2] or said if said.isascii() else said
    assert read(said, quote=quote, head=head, relation="acquired", tail=tail) == Mentioned()


def test_a_quote_that_nobody_said_is_refused_and_another_number_is_not() -> None:
    assert read("Norr bought Kestrel.", quote="Norr took over Kestrel", head="Norr") == Mentioned()
    assert read("Norr bought Kestrel.", quote="", head="Norr") == Mentioned()
    found = read("Norr bought Kestrel.", "Fine.", number=2, head="Norr", relation="acquired", tail="Kestrel")
    assert edges(found) and found.edges[0].message.id == "s-1"
    found = read("Norr bought Kestrel.", number=9, head="Norr", relation="acquired", tail="Kestrel")
    assert edges(found)


def test_names_of_another_message_are_no_ends() -> None:
    found = read("It uses Rust.", "Kestrel is fine.", head="Kestrel", relation="uses", tail="Rust")
    assert found == Mentioned()


def test_a_pronoun_may_stand_for_a_name_of_the_same_message() -> None:
    said = "Mia is here. She built Kestrel."
    found = read(said, quote="She built Kestrel", head="Mia", relation="created", tail="Kestrel")
    assert edges(found) == [("Mia", "created", "Kestrel")]
    said = "Mia is here. Bob built Kestrel."
    assert read(said, quote="Bob built Kestrel", head="Mia", relation="created", tail="Kestrel") == Mentioned()


@pytest.mark.parametrize(
    ("said", "told", "negated", "ends"),
    [
        ("Kestrel does not use Rust.", {}, True, False),
        ("Kestrel does not use Rust.", {"negated": True}, True, False),
        ("Kestrel no longer uses Rust.", {}, False, True),
        ("Kestrel no longer uses Rust.", {"ends": True}, False, True),
        ("红隼不用Rust。", {}, True, False),
        ("红隼不再用Rust了。", {}, False, True),
        ("Kestrel uses not only Rust.", {}, False, False),
        ("红隼非常依赖Rust。", {}, False, False),
    ],
)
def test_what_is_denied_or_over(said: str, told: dict[str, bool], negated: bool, ends: bool) -> None:
    head = "Kestrel" if said.isascii() else "红隼"
    relation = "uses" if "依赖" not in said else "depends_on"
    (edge,) = read(said, head=head, relation=relation, tail="Rust", **told).edges
    assert (edge.negated, edge.ends) == (negated, ends)


def test_a_denial_of_which_no_word_speaks_is_refused() -> None:
    assert read("Kestrel uses Rust.", head="Kestrel", relation="uses", tail="Rust", negated=True).edges == ()
    assert read("红隼用Rust。", head="红隼", relation="uses", tail="Rust", negated=True).edges == ()


def test_an_end_of_which_no_word_speaks_is_none() -> None:
    """Small models say that something has ended where the words say that it is so; where they do not, it is refused."""
    (edge,) = read("Kestrel uses Rust.", head="Kestrel", relation="uses", tail="Rust", ends=True).edges
    assert not edge.ends and not edge.negated
    (edge,) = read("夜莺的后端是用Rust写的。", head="夜莺", relation="backend", tail="Rust", ends=True).edges
    assert not edge.ends
    said = "As for Kestrel: Rust use faded."
    assert read(said, head="Kestrel", relation="uses", tail="Rust", ends=True).edges == ()


@pytest.mark.parametrize(
    ("said", "one", "other", "same"),
    [
        ("Meridian Grid Authority (MGA) runs it.", "Meridian Grid Authority", "MGA", True),
        ("Kestrel, also known as K1, flies.", "Kestrel", "K1", True),
        ("蓝湾物流简称蓝湾。", "蓝湾物流", "蓝湾", True),
        ("I'm Lin Wei.", "user", "Lin Wei", True),
        ("我叫林薇。", "user", "林薇", True),
        ("MGA met MGB.", "MGA", "MGB", False),
        ("MGA is not called MGB.", "MGA", "MGB", False),
        ("Lin Wei writes under the name Qiu Shan.", "Lin Wei", "Qiu Shan", False),
        ("林薇的笔名叫秋山。", "林薇", "秋山", False),
    ],
)
def test_two_names_are_one_where_the_words_say_so(said: str, one: str, other: str, same: bool) -> None:
    found = read(said, head=one, relation="also_called", tail=other)
    assert [set(alias.names) for alias in found.aliases] == ([{one, other}] if same else [])
    assert found.edges == () and len(found.mentions) == 2


@pytest.mark.parametrize(
    ("said", "head", "words", "kept"),
    [
        ("MGB is the insurer.", "MGB", "the insurer", True),
        ("MGB is the insurer.", "MGB", "the largest insurer", False),
        ("MGB is not the insurer.", "MGB", "the insurer", False),
        ("林薇是首席工程师。", "林薇", "首席工程师", True),
        ("林薇是首席工程师。", "林薇", "总监", False),
    ],
)
def test_what_something_is_in_the_words_of_the_message(said: str, head: str, words: str, kept: bool) -> None:
    (mention,) = read(said, head=head, relation="is", tail=words).mentions
    assert mention.traits == ({"": words} if kept else {}) and mention.quote == said.rstrip(".。")


@pytest.mark.parametrize(
    ("type_", "expected"),
    [("Person", "person"), ("Company", "organisation"), ("公司", "organisation"), ("robot", "robot"), ("unknown", ""),
     ("x" * 40, ""), ("{}", "")],
)  # fmt: skip
def test_types_are_an_open_list(type_: str, expected: str) -> None:
    (mention,) = read("Vega is here.", head="Vega", head_type=type_).mentions
    assert mention.type == expected


def test_a_relation_tells_the_types_that_the_model_does_not() -> None:
    found = read("Norr bought Kestrel.", head="Norr", relation="acquired", tail="Kestrel", tail_type="product")
    assert {one.name: one.type for one in found.mentions} == {"Norr": "organisation", "Kestrel": "product"}


def test_articles_and_marks_are_no_part_of_a_name() -> None:
    found = read('The MGA owns "Kestrel".', head="The MGA", relation="owns", tail='"Kestrel".')
    assert edges(found) == [("MGA", "owns", "Kestrel")]


def test_times() -> None:
    found = read("I joined Alder in May 2023.", head="user", relation="works_at", tail="Alder")
    assert found.edges[0].valid_from is not None and found.edges[0].valid_from.year == 2023
    found = read("Norr bought Kestrel in May 2023.", head="Norr", relation="acquired", tail="Kestrel")
    assert found.edges[0].event_from is not None and found.edges[0].event_from.month == 5


def test_a_very_long_message_is_no_trouble() -> None:
    said = "Norr bought Kestrel. " + "so it goes, on and on, " * 40_000
    message = Message("m", "s", "user", said, seq=1)
    item = Told(number=1, quote="Norr bought Kestrel", head="Norr", relation="acquired", tail="Kestrel")
    assert edges(let_in(item, {1: message})) == [("Norr", "acquired", "Kestrel")]

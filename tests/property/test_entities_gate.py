"""The gate of a model's entities: whatever it replies, only words of the message get in, and no way round that the words deny."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.entities import form_of
from jiyi.mentions import USER
from jiyi.prompts.entities import Told
from jiyi.relation_types import RELATIONS
from jiyi.strategies.entities_direction import turned
from jiyi.strategies.entities_gate import let_in
from jiyi.testing.strategy import START
from jiyi.types import Message

SENTENCES = [
    "Norr bought Kestrel.", "Kestrel was bought by Norr last year.", "My sister Mia works at Alder Labs.", "蓝湾物流收购了灰雀机器人。",
    "灰雀机器人去年被蓝湾物流收购。", "林薇的笔名是秋山，她做了夜莺。", "Does Norr own Kestrel?", "If Mia left, Norr would sell it.",
    "Meridian Grid Authority (MGA) runs it.", "I no longer work at Alder Labs.", "He said \"Norr bought Kestrel, I think.\"",
    "Translate: Norr bought Kestrel.", "夜莺不再用Rust了。", "",
]  # fmt: skip
NAMES = [
    "Norr", "Kestrel", "Mia", "Alder Labs", "user", "蓝湾物流", "灰雀机器人", "林薇", "秋山", "夜莺", "Rust", "MGA", "she", "it", "",
    "Meridian Grid Authority", "Nobody Ltd", "the", "我", "(", "a" * 80,
]  # fmt: skip
words = st.sampled_from([*RELATIONS, "bought", "收购", "also_called", "is", "", "hates", "用", "*[", "…"])
told = st.builds(
    Told,
    number=st.sampled_from([None, 0, 1, 2, 9]),
    quote=st.sampled_from([*SENTENCES, *(one[:-1] for one in SENTENCES if one), "Norr", "bought"])
    | st.text(max_size=8),
    head=st.sampled_from(NAMES) | st.text(max_size=6),
    head_type=st.sampled_from(["person", "Company", "", "{}"]),
    relation=words | st.text(max_size=6),
    tail=st.sampled_from(NAMES) | st.text(max_size=6),
    tail_type=st.sampled_from(["person", "place", ""]),
    negated=st.booleans(),
    ends=st.booleans(),
)


@settings(deadline=None, max_examples=250)
@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3), told)
def test_only_words_of_the_message_get_in(said: list[str], item: Told) -> None:
    messages = {
        number: Message(f"m{number}", "s", "user", text, seq=number, created_at=START)
        for number, text in enumerate(said, start=1)
    }
    found = let_in(item, messages)
    for one in found.mentions:
        text = one.message.text
        assert text[one.start : one.end] == one.name or one.name == USER
        assert 0 <= one.begin <= one.until <= len(text) and one.quote
        assert all(words in text for words in one.traits.values()) and form_of(one.name)
    names = {one.name for one in found.mentions}
    for edge in found.edges:
        assert edge.quote in edge.message.text and edge.relation
        assert {edge.head, edge.tail} <= names and form_of(edge.head) != form_of(edge.tail)
        assert not edge.message.text.startswith(("Does", "If", "Translate", "He said"))
        assert (edge.head, edge.relation, edge.tail) != ("Kestrel", "acquired", "Norr")
        assert (edge.head, edge.relation, edge.tail) != ("灰雀机器人", "acquired", "蓝湾物流")
    for alias in found.aliases:
        assert set(alias.names) <= names


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(list(RELATIONS)), st.text(max_size=30), st.text(max_size=30), st.text(max_size=30), st.booleans()
)
def test_any_words_between_and_beside(relation: str, between: str, after: str, before: str, mine: bool) -> None:
    assert turned(relation, between, after, before, mine=mine) in (True, False, None)

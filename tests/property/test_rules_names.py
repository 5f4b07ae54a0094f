"""What holds for names, aliases and relations that the rules find in any text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.mentions import USER, Mentioned
from jiyi.rules import mentioned
from jiyi.rules.reading import READ
from jiyi.types import Message
from tests.mentions import stand_in_their_message, tie_two_mentions

_PIECES = (
    "I my me we Anna Tom Lin Wei Moyu Starling FastAPI Python rust Acme Ltd MGA mga Dr. Chen Oslo RX-2217 's , . ; ( ) and of the a is was "
    "not no longer used to works at lives in acquired was acquired by uses founded boss brother wife head of backend called also known as "
    'for short pen name writes under project company subsidiary who which from accounting last year since 2019 ? if maybe said " > ` \n '
    "我 叫 林薇 收购 了 公司 ， 。 的 是 简称 不再 在 工作 ＭＧＡ É İ ﬀ 🐱 \u200b \ufffc"
)
PIECES = st.sampled_from(_PIECES.split(" "))
texts = st.one_of(
    st.text(max_size=120), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)
AT = datetime(2026, 3, 20, tzinfo=UTC)


def read(text: str) -> Mentioned:
    return mentioned(Message("m", "s", "user", text, created_at=AT))


@settings(max_examples=800)
@given(texts)
def test_every_mention_stands_in_its_message(text: str) -> None:
    stand_in_their_message(read(text), text)


@settings(max_examples=800)
@given(texts)
def test_every_end_has_a_mention_and_no_relation_leads_to_itself(text: str) -> None:
    found = read(text)
    tie_two_mentions(found, text)
    for alias in found.aliases:
        assert all(name == USER or name in text[alias.start : alias.end] for name in alias.names)


@given(texts, st.sampled_from(["assistant", "tool", "system", "developer"]))
def test_others_mention_nothing(text: str, role: str) -> None:
    assert mentioned(Message("m", "s", role, text)) == Mentioned()  # type: ignore[arg-type]


@given(texts)
def test_code_mentions_nothing(text: str) -> None:
    inside = text.replace("`", " ").replace("~", " ")
    assert read(f"```\n{inside}\n```") == Mentioned()


@pytest.mark.parametrize(
    "piece",
    ["Anna ", "Anna's ", "my my ", "A ", "MGA (", "Anna and ", "Anna, ", "of the ", "A.B ", "uses rust, ", "is the a ",
     "Anna is the ", "I ", "i ", "RX-2217 for the ", "Anna works at Acme. ", "MGA (Meridian Grid Authority) ", "X\n", "who ", "(", "叫"],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_the_time_of_its_ends(piece: str) -> None:
    for size in (READ, 1_000_000):
        read(piece * (size // len(piece)))

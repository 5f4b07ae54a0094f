"""What a message asks, doubts, gives as an example or has only heard states nothing: no fact, no relation, no decision."""

from __future__ import annotations

import pytest

from jiyi.rules import candidates, mentioned
from jiyi.rules.decided import decided
from jiyi.types import Message


@pytest.mark.parametrize(
    "text",
    [
        "It is not true that I work at Zenith.",
        "I doubt that Carol works at Zenith.",
        "I work at Zenith, right?",
        "Carol works at Zenith, doesn't she?",
        "Carol works at Zenith, or so they say.",
        "Carol works at Zenith, or so I heard.",
        "My dad joked that Carol works at Zenith.",
        '"Carol works at Zenith" is a lie.',
        "The rumor that Carol works at Zenith is false.",
        "For example, I work at Zenith.",
        "For instance, we decided to use Postgres.",
        "我以为我在天狼星上班。",
        "我在天狼星上班，对吧",
        "我住在杭州，是吗？",
        "例如，我在天狼星上班。",
        "我在天狼星上班是谣言。",
        "比如说，我们决定用Postgres。",
    ],
)
def test_what_is_not_stated_is_not_found(text: str) -> None:
    message = Message("m", "s", "user", text)
    assert list(candidates(message)) == []
    assert mentioned(message).edges == ()
    assert [one.kind for one in decided(message) if one.kind == "decisions"] == []


@pytest.mark.parametrize(
    "text",
    [
        "I work at Zenith, ok.",
        "I work at Zenith, so I know the people there.",
        "I live in Lisbon, no pets.",
        "I like music, for example jazz.",
        "我住在杭州，对面是西湖。",
        "我喜欢水果，比如苹果。",
    ],
)
def test_what_only_looks_like_it_is_stated(text: str) -> None:
    assert list(candidates(Message("m", "s", "user", text)))

"""What a hit says of itself."""

from __future__ import annotations

from datetime import UTC, datetime

from jiyi.types import Hit, Message

SAID = Message(
    "m", "monday", "user", "The gate code is 4417.", name="Ada", created_at=datetime(2023, 5, 8, 20, 1, tzinfo=UTC)
)


def test_a_hit_explains_itself_with_the_largest_part_first() -> None:
    parts = {"words": 1.25, "dense": -2.5, "entity": 0.5}
    asked = {"cabin": 2.0, "gate": 3.0, "code": 1.0}
    hit = Hit(-0.75, 0.812, SAID, parts=parts, terms={"code": 1, "gate": 2}, asked=asked, floor=0.45)
    assert hit.explain().splitlines() == [
        "relevance 0.81, floor 0.45",
        "score -0.75",
        "   -2.50  dense   how near it is in meaning",
        "   +1.25  words   words it shares with the question",
        "   +0.50  entity",
        "words of the question: gate code; not there: cabin",
        "said 2023-05-08 20:01 by Ada in session monday",
    ]
    assert hit.why == "relevance 0.81, has gate code (dense -2.50, words +1.25, entity +0.50)"


def test_a_hit_without_anything_known() -> None:
    statement = Message("n", "", "user", "Is vegetarian", kind="statement")
    assert Hit(1.0, 0.9, statement).why == "relevance 0.90"
    assert Hit(1.0, 0.9, statement, asked={"food": 1.0}).explain().splitlines()[-2:] == [
        "words of the question: none; not there: food",
        "said at an unknown time by user as a statement",
    ]


def test_chinese_pairs_become_words_again() -> None:
    asked = dict.fromkeys(["路由", "由器", "器的", "密码", "ab", "猫*", "码头"], 1.0)
    hit = Hit(1.0, 0.9, SAID, terms=dict.fromkeys(asked, 1), asked=asked)
    assert hit.words == ["路由器的", "密码", "ab", "猫", "码头"]
    assert Hit(1.0, 0.9, SAID, terms={"路由": 1, "密码": 1}, asked=asked).words == ["路由", "密码"]

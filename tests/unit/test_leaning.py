"""Which messages say little without the one before them."""

from __future__ import annotations

import pytest

from jiyi.leaning import awaits_answer, leans, may_lean, points_back

SAID = "We looked at the bicycles in the shop."


@pytest.mark.parametrize(
    "text",
    ["Yes, the blue one with the basket.", "blue", "No.", "It was far too expensive for us.", "...because of the rain we stayed",
     "And then she left for Lisbon.", "“That’s what I meant, of course.”", "👍", "对，蓝色的那个。", "嗯嗯", "他后来搬到杭州去了。",
     "因为那天一直下雨。", "不是的，是周二下午三点。", "这是我最喜欢的一本书。", "好的", "……然后我们就回家了。"],
)  # fmt: skip
def test_answers_pronouns_and_very_short_lines_lean(text: str) -> None:
    assert leans(text, SAID) and may_lean(text)


@pytest.mark.parametrize(
    "text",
    ["I moved to Lisbon in March.", "Italy is where my parents live.", "Nobody in Sofia knew about it.", "The gate code is 4417.",
     "我三月份搬到了杭州。", "对花粉过敏的人春天要小心。", "这么多年他一直住在南京路。", "会议室在三楼东边。", "Yes " + "word " * 40, "是的，" + "很好" * 30],
)  # fmt: skip
def test_whole_sentences_and_long_messages_stand_alone(text: str) -> None:
    assert not leans(text, SAID)


def test_a_short_answer_leans_on_the_question_and_nothing_leans_on_nothing() -> None:
    for question in ("Which one did you take? 😊", "你买了哪个", "你喜欢什么颜色呢？"):
        assert awaits_answer(question) and leans("The blue one with the basket, I think.", question)
        assert leans("买了蓝色带篮子的那一款。", question)
    assert not awaits_answer("I asked why? Nobody knew.") and not awaits_answer("好的，知道了。")
    assert not leans("Yes.", " ")


def test_odd_text_is_no_trouble() -> None:
    for text in ("", " ", "?" * 5000, "\n\n", "\u0301" * 3000, "……", "(" * 5000, "吗" * 5000):
        assert not leans(text, "") and isinstance(may_lean(text), bool)
        assert isinstance(points_back(text), bool) and isinstance(awaits_answer(text), bool)

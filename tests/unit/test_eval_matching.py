from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.eval.matching import chosen, compare, declined, declines, tokens

RIGHT = [
    ("Miso", "miso"),
    ("Your cat is called Miso.", "Miso"),
    ("It was on January 19th, 2023.", "19 January, 2023"),
    ("2023-01-19", "19 January 2023"),
    ("the 19th of January 2023", "January 2023"),
    ("2023年1月19日", "19 January 2023"),
    ("Jan. 19", "19 January"),
    ("25,000", "25000"),
    ("You wanted 25万", "250,000"),
    ("twenty-five", "25"),
    ("4%", "four percent"),
    ("肩颈", "肩颈部位"),
    ("是在七月十七日。", "7月17日"),
    ("每晚三片", "3片"),
    ("两点半以后", "2点半"),
    ("一百二十元", "120元"),
    ("二〇一一年", "2011"),
    (
        "杨帆的同事和女朋友因为买房的问题产生分歧，两人暂时分居了",
        "杨帆的同事和女朋友在买房问题上产生分歧，两人暂时分居",
    ),
    ("He likes chess and sailing", "sailing and chess"),
]

WRONG = [
    ("Tofu", "Miso"),
    ("", "Miso"),
    ("I don't know.", "Miso"),
    ("I do not know whether Miso was meant", "Miso"),
    ("不知道", "豆包"),
    ("18 January 2023", "19 January 2023"),
    ("January 2023", "19 January 2023"),
    ("2022年1月19日", "2023年1月19日"),
    ("430 dollars for the gift", "450 dollars for the gift"),
    ("四百五十元", "430元"),
    ("Miso, and " + "then I said something about it again " * 10, "Miso"),
]


@pytest.mark.parametrize(("answer", "reference"), RIGHT)
def test_what_says_the_same_is_right(answer: str, reference: str) -> None:
    found = compare(answer, reference)
    assert found.right and not found.declined, (found, tokens(answer), tokens(reference))


@pytest.mark.parametrize(("answer", "reference"), WRONG)
def test_what_says_something_else_is_wrong(answer: str, reference: str) -> None:
    assert not compare(answer, reference).right, (tokens(answer), tokens(reference))


def test_a_part_has_its_f1() -> None:
    found = compare("chess", "chess and sailing and rowing")
    assert not found.right and 0 < found.f1 < 0.6 and not found.contains and not found.exact


CHOICES = {"A": "颈部", "B": "肩颈", "C": "腰背", "D": "a long walk"}


@pytest.mark.parametrize(
    ("answer", "option", "right"),
    [("B", "B", True), ("B. 肩颈", "B", True), ("(b)", "B", True), ("答案是B。", "B", True), ("肩颈", "B", True),
     ("腰背不舒服", "C", True), ("The answer is C", "C", True), ("A long walk", "D", True), ("It was a long walk.", "D", True),
     ("颈部或腰背", "A", False), ("A or B", "A", False), ("不知道", "B", False), ("", "A", False)],
)  # fmt: skip
def test_a_choice_is_right_by_its_letter_or_its_text(answer: str, option: str, right: bool) -> None:
    assert chosen(answer, option, CHOICES).right is right


@pytest.mark.parametrize("text", [
    "I don't know.", "I don’t know", "That was never mentioned.", "The quotes do not say it; no information.", "It is not specified",
    "不知道", "对话中没有提到这一点。", "无法回答", "未提及", "没有相关信息",
])  # fmt: skip
def test_declining_is_told(text: str) -> None:
    assert declines(text) and declined(text).right


@pytest.mark.parametrize(
    "text", ["Miso", "You know Miso", "豆包", "没有，他不吃猪肉", "She did not go", "我没去过日本"]
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not declines(text) and not declined(text).right


def test_a_reference_that_declines_may_be_said() -> None:
    assert compare("It was not mentioned", "It was not mentioned").right


texts = st.text(alphabet=st.sampled_from("abc AB12,.%年月日一二十百千万点 January 19-/’()"), max_size=40)


@given(texts, texts)
def test_anything_can_be_compared(answer: str, reference: str) -> None:
    found, same = compare(answer, reference), compare(reference, reference)
    assert 0 <= found.f1 <= 1 and found.f1 == compare(reference, answer).f1
    assert same.exact == bool(tokens(reference))
    assert not (found.exact and not found.contains)


@given(st.integers(1, 9999), st.integers(1, 12), st.integers(1, 31))
def test_dates_are_alike_in_every_form(year: int, month: int, day: int) -> None:
    forms = [f"{year:04}-{month:02}-{day:02}", f"{year:04}年{month}月{day}日"]
    assert all(tokens(form) == [f"y={year}", f"m={month}", f"d={day}"] for form in forms)


@given(st.integers(11, 99_999_999))
def test_chinese_numbers_are_numbers(number: int) -> None:
    assert tokens(_chinese(number) + "元")[0] in (str(number), f"y={number}")


def _chinese(number: int) -> str:
    digits = "零一二三四五六七八九"
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return _chinese(high) + "万" + gap + (_chinese(low) if low else "")
    said, zero = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, power)
        if digit:
            said += ("零" if zero else "") + digits[digit] + name
            zero = False
        elif said and number:
            zero = True
    return said

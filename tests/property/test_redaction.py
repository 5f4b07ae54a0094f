"""Any text: nothing is lost but secrets, and once is enough."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jiyi.checkdigits import iban_end, is_id_number, luhn
from jiyi.redaction import KINDS, Rules

ALL = Rules(KINDS)
PIECES = st.sampled_from(
    ["4111 1111 1111 1111", "4111111111111111", "11010519491231002X", "078-05-1120", "password: ", "password is ", "密码是", "密码：", "hunter2", "口令是", "芝麻开门", "sk-abcdefghij1234567890", "GB82 WEST 1234 5698 7654 32", "PIN 4417", "Bearer ", "://a:", "@", "[", "]", ", ", "。", " ", "\n", '"', "卡号", "order no. ", "13800138000"]
)  # fmt: skip
MIXED = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=12).map("".join)


@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Nd", "Cs"]).filter(
            lambda char: char not in "密口令暗证安pPsStTbB:：="
        ),
        max_size=200,
    )
)
def test_a_text_without_digits_and_keywords_stays(text: str) -> None:
    assert ALL.redact(text) == (text, {})


@given(MIXED)
def test_twice_is_once(text: str) -> None:
    once, found = ALL.redact(text)
    assert ALL.redact(once) == (once, {})
    assert (once == text) == (not found)
    assert all(count > 0 for count in found.values())


@given(st.text(alphabet="0123456789 -", min_size=10, max_size=40), st.sampled_from(["", "号码", "see "]))
def test_numbers_without_form_stay(number: str, before: str) -> None:
    once, found = Rules().redact(before + number)
    assert found or once == before + number


@given(st.text(alphabet="0123456789", min_size=15, max_size=15))
def test_any_wrong_digit_breaks_a_card(digits: str) -> None:
    right = [digits + check for check in "0123456789" if luhn(digits + check)]
    assert len(right) == 1


def test_the_check_digits_of_the_standards_own_examples() -> None:
    assert is_id_number("11010519491231002X") and is_id_number("440524188001010014")
    assert not is_id_number("110105194912310021")
    assert iban_end("GB82WEST12345698765432") == 22 and iban_end("GB82 WEST 1234 5698 7654 32") == 27
    assert iban_end("GB82WEST1234569876543") == 0 and iban_end("XX82WEST12345698765432") == 0
    assert luhn("79927398713") and not luhn("79927398710")


@pytest.mark.parametrize("text", ["1" * 50_000, "1 " * 50_000, "-----BEGIN " * 5_000, "password" * 5_000, "密码是" * 20_000, "GB82 " * 20_000, "://" * 20_000, "eyJ" + "a" * 50_000, "+1 " * 20_000, "api_" * 20_000, "[" * 50_000])  # fmt: skip
def test_long_texts_take_linear_time(text: str) -> None:
    begin = time.process_time()
    ALL.redact(text)
    assert time.process_time() - begin < 1.5

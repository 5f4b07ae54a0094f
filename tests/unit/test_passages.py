"""Which parts of a long message are quoted."""

from __future__ import annotations

import time

import pytest

from jiyi.passages import MARK, passages, quoted
from jiyi.text import query_terms

FILLER = "The weather was fine and everybody had a good time at the lake. "
CHINESE = "天气很好，大家在湖边玩得很开心。"


def parts(text: str, question: str, size: int = 200, *, end: bool = False) -> list[str]:
    tells = dict.fromkeys(query_terms(question), 1.0)
    return [text[start:stop] for start, stop in passages(text, tells, size, end=end)]


def test_a_short_text_is_all_of_it() -> None:
    assert parts("One. Two. Three.", "two") == ["One. Two. Three."]
    assert parts("好" * 240, "好") == ["好" * 240]
    assert parts("", "two") == [""]


def test_the_sentence_that_was_asked_for_and_the_beginning() -> None:
    text = "About our trip. " + FILLER * 8 + "The gate code is 4417, by the way. Keep it safe. " + FILLER * 8
    found = parts(text, "What was the gate code?", 120)
    assert found == ["About our trip.", "The gate code is 4417, by the way. Keep it safe."]
    spans = passages(text, dict.fromkeys(query_terms("What was the gate code?"), 1.0), 120)
    assert quoted(text, spans) == f"About our trip. {MARK} The gate code is 4417, by the way. Keep it safe. {MARK}"


def test_chinese_sentences_need_no_blanks() -> None:
    text = "说说旅行。" + CHINESE * 10 + "顺便说一下，门禁密码是4417。别告诉别人！" + CHINESE * 10
    assert parts(text, "门禁密码是多少", 110) == ["说说旅行。", "顺便说一下，门禁密码是4417。别告诉别人！"]


def test_items_rows_and_lines_stay_whole() -> None:
    rows = [f"| row {at} | fruit number {at} | {at}.50 |" for at in range(40)]
    table = "| name | what | price |\r\n|---|---|---|\r\n" + "\r\n".join(rows)
    found = parts(table, "the price of fruit 31.50")
    assert rows[31] in "\r\n".join(found).split("\r\n")
    assert all(line in [*table.split("\r\n"), ""] for part in found for line in part.split("\r\n"))
    code = "```python\n" + "\n".join(f"    value_{at} = compute({at})" for at in range(60)) + "\n```"
    lines = [line.strip() for part in parts(code, "value_41") for line in part.split("\n")]
    assert "value_41 = compute(41)" in lines and all(line in code for line in lines)


@pytest.mark.parametrize(
    "sentence",
    [
        "Pay Dr. Li 3.50 for the kiwi, e.g. on 2024.05.08 or so.",
        "It is version 3.12 of kiwi, approx. 20 kg.",
        "2. Pack the kiwi!",
    ],
)
def test_a_full_stop_ends_not_every_sentence(sentence: str) -> None:
    text = "\n".join([FILLER * 4, sentence, FILLER * 8])
    assert any(sentence in part for part in parts(text, "kiwi", 100))


def test_found_by_meaning_alone_it_is_the_beginning_and_what_has_numbers() -> None:
    text = "It began well. " + FILLER * 10 + "They met on 8 May 2023. " + FILLER * 10
    assert parts(text, "quokka", 70) == ["It began well.", "They met on 8 May 2023."]
    assert parts(text, "", 70) == parts(text, "quokka", 70)


def test_of_what_another_message_answers_it_is_the_end() -> None:
    text = "Hello. " + FILLER * 20 + "Which one do you want?"
    assert parts(text, "", 100, end=True)[-1] == "Which one do you want?"
    far = FILLER * 5_000 + "Which one do you want?"
    assert parts(far, "", 100, end=True)[-1] == "Which one do you want?"


@pytest.mark.parametrize(
    "text", ["x" * 5000, "8" * 5000, "好" * 5000, "👨‍👩‍👧‍👦" * 900, "e" + "\u0301" * 5000, "🇩🇪" * 2000]
)
def test_a_text_without_a_place_to_cut(text: str) -> None:
    found = parts(text, "good")
    assert "".join(found) and all(part in text for part in found)
    if "👨" in text:
        assert {len(part) % len("👨‍👩‍👧‍👦") for part in found} == {0}


def test_words_and_numbers_stay_whole_in_one_long_sentence() -> None:
    text = " ".join(f"word{at} 12,{at:03}.50" for at in range(200))
    words = text.split()
    assert all(piece in words for part in parts(text, "word150") for piece in part.split())


@pytest.mark.parametrize("text", ["." * 200_000, " " * 200_000 + "x", "a. " * 100_000, "\n" * 200_000, "1 " * 100_000,
                                  "好。" * 100_000, "e" + "\u0301" * 200_000, "x" * 1_000_000])  # fmt: skip
def test_a_very_long_text_takes_no_time(text: str) -> None:
    began = time.perf_counter()
    passages(text, {"x": 1.0, "a": 1.0})
    assert time.perf_counter() - began < 3

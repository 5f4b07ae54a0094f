import copy
import json
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from jiyi import tokens
from jiyi.errors import InvalidInput, MissingDependency
from jiyi.ports import TokenCounter
from jiyi.tokens import (
    ATTACHMENT,
    IMAGE,
    Estimate,
    Exact,
    TokenizerFile,
    count_message,
    count_messages,
    counter,
    image_tokens,
)

A = (
    "昨天下午我们在会议室里讨论了新版本的上线计划，大家一致认为应该先在小范围内试运行两周，"
    "收集反馈之后再决定是否全面推广，同时要准备好回滚方案。"
)
B = "Yesterday afternoon we agreed to try the new release with a small group for two weeks before rolling it out."
C = "把 retry_limit 从3改成5，然后重跑 nightly-build，看 error rate 有没有降到0.2%以下。"
D = "👩🏽‍🚀🎉🍜 好的！"


def han(text: str) -> int:
    return sum("\u4e00" <= character <= "\u9fff" for character in text)


# -- the estimate


def test_estimate_of_the_field_case() -> None:
    count = Estimate().count
    assert 0.6 * han(A) <= count(A) <= 2 * han(A)
    assert 0.7 <= count(B) / (len(B.split()) * 1.3) <= 1.6
    for text in (C, D):
        assert count(text) >= 0.5 * han(text) + 1


SAMPLES = [
    A, B, C, D,
    "def add(a: int, b: int) -> int:\n    \"\"\"Adds two numbers.\"\"\"\n    return a + b\n\n\nprint(add(1, 2))\n",
    '{"id": 20931, "tags": ["red", "blue"], "price": 12480.50, "ok": true, "next": null}',
    "Call me at 10:30 on 2023-05-08, order KX-20931-07, total $1,299.00 (VAT 19%).",
    "HELLO WORLD, THIS IS A TEST",
    "🎉🎉🎉 👍🏽 🇨🇳 ❤️ 😂",
    "昨日の午後、会議室で新しいバージョンのリリース計画について話し合いました。",
    "어제 오후에 우리는 회의실에서 새 버전의 출시 계획을 논의했습니다.",
    "Вчера днём мы обсуждали в переговорной план выпуска новой версии.",
    "Χθες το απόγευμα συζητήσαμε στην αίθουσα συσκέψεων το σχέδιο.",
    "ناقشنا بعد ظهر أمس في غرفة الاجتماعات خطة إصدار النسخة الجديدة.",
    "เมื่อวานตอนบ่ายเราคุยกันในห้องประชุมเรื่องแผนการออกเวอร์ชันใหม่",
    "Hier après-midi, nous avons discuté du plan de déploiement de la nouvelle version.",
    "https://example.com/a/b?utm_source=newsletter&id=83",
    "| name | price |\n|------|-------|\n| tea  | 4.50  |\n",
]  # fmt: skip


@pytest.mark.parametrize("vocabulary", ["o200k", "qwen3"])
@pytest.mark.parametrize("text", SAMPLES)
def test_estimate_is_not_far_below_the_truth(text: str, vocabulary: str) -> None:
    truth = Exact(vocabulary).count(text)
    assert 0.9 * truth <= Estimate().count(text) <= 2.5 * truth + 2


@pytest.mark.parametrize("text", [" ", "\n" * 50, "a", "。", "\ud800", "\u0301", "\0", "🎉", "\t"])
def test_estimate_is_never_zero(text: str) -> None:
    assert Estimate().count(text) >= 1
    assert Estimate().count("") == 0


# -- exact counters


def test_known_counts() -> None:
    assert Exact("o200k").count("hello world") == 2
    assert Exact("cl100k").count("tiktoken is great!") == 6  # the example of OpenAI's cookbook
    assert Exact("o200k").count("") == 0


def test_special_token_strings_are_plain_text() -> None:
    assert Exact("o200k").count("<|endoftext|>") > 1


def test_half_characters_are_counted() -> None:
    assert Exact("o200k").count("a\ud83d") >= 2
    assert Exact("o200k").count("\ud83d\ude00") == Exact("o200k").count("😀")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([A, B, C] * 5, trainer)
    tokenizer.enable_truncation(max_length=5)
    path = tmp_path_factory.mktemp("hf") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_a_tokenizer_file_counts_without_its_truncation_and_special_tokens(file: Path) -> None:
    counting = counter(str(file))
    assert isinstance(counting, TokenizerFile) and counting.exact
    assert counting.count("") == 0
    assert counting.count("zq" * 50) >= 20
    assert counting.count("<|end|>") > 1
    assert counting.count("a\ud83d") >= 2


def test_a_wrong_tokenizer_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no file"):
        TokenizerFile(tmp_path / "tokenizer.json")
    (tmp_path / "other.json").write_text(json.dumps({"a": 1}))
    with pytest.raises(InvalidInput, match=r"not a Hugging Face tokenizer\.json"):
        counter(str(tmp_path / "other.json"))


class Said(str):
    """Text that shows when nothing holds it any more."""


@pytest.mark.parametrize("name", ["o200k", "file", "estimate"])
def test_no_counter_holds_a_text_that_it_counted(name: str, file: Path) -> None:
    counting = counter(str(file) if name == "file" else name)
    said = Said("my door code is 7731")
    held = weakref.ref(said)
    counting.count(said)
    del said
    assert held() is None


@pytest.mark.parametrize("name", ["o200k", "file"])
def test_counts_are_kept_until_they_are_cleared(name: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting: Any = counter(str(file) if name == "file" else name)
    counted: list[str] = []
    real = counting._count
    monkeypatch.setattr(counting, "_count", lambda text: counted.append(text) or real(text))
    assert counting.count("seven words") == counting.count("seven words") and len(counted) == 1
    counting.clear()
    assert not any(isinstance(held, dict) and held for held in vars(counting).values())
    counting.count("seven words")
    assert len(counted) == 2
    for number in range(10_000):
        counting.count(f"text {number}")
    assert sum(len(held) for held in vars(counting).values() if isinstance(held, dict)) <= 4_096


# -- cut


@pytest.mark.parametrize("name", ["o200k", "cl100k", "qwen3", "llama3", "estimate", "file"])
@pytest.mark.parametrize("text", [A, B, C, D * 5, "e\u0301" * 20, "internationalization of internationalization"])
def test_cut_is_the_longest_beginning_that_fits(name: str, text: str, file: Path) -> None:
    counting = counter(str(file) if name == "file" else name)
    for limit in (0, 1, 2, 5, 17, 10_000):
        cut = counting.cut(text, limit)
        assert text.startswith(cut) and counting.count(cut) <= limit
        assert tokens.cut_point(text, len(cut)) == len(cut)
        for end in range(len(cut) + 1, min(len(text), len(cut) + 12) + 1):
            assert tokens.cut_point(text, end) < end or counting.count(text[:end]) > limit
    assert counting.cut(text, 10_000) == text
    assert counting.cut(text, -1) == counting.cut("", 5) == ""


def test_cut_of_a_very_long_text_looks_at_its_beginning_only() -> None:
    counted: list[int] = []

    class Watched(Estimate):
        def count(self, text: str) -> int:
            counted.append(len(text))
            return super().count(text)

    assert Watched().cut(A * 10_000, 100)
    assert max(counted) < 5_000


# -- by name


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("estimate", "estimate"), ("o200k", "o200k"), ("o200k_base", "o200k"), ("cl100k", "cl100k"),
        ("gpt-4o-mini", "o200k"), ("gpt-4.1", "o200k"), ("gpt-5", "o200k"), ("o3-mini", "o200k"), ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"), ("gpt-3.5-turbo", "cl100k"), ("Qwen/Qwen3-8B", "qwen3"), ("qwen2.5:7b", "qwen3"),
        ("meta-llama/Llama-3.1-8B", "llama3"), ("llama3", "llama3"), (None, "o200k"),
    ],
)  # fmt: skip
def test_counter_by_name(spec: str | None, name: str) -> None:
    found: TokenCounter = counter(spec)
    assert found.name == name
    assert found.exact == (name != "estimate")


def test_counter_gives_a_counter_back() -> None:
    mine = Estimate()
    assert counter(mine) is mine


@pytest.mark.parametrize("spec", ["", "gemini", "mistral-large", "/models/"])
def test_unknown_counters_are_refused_with_what_there_is(spec: str) -> None:
    with pytest.raises(InvalidInput, match=r"tokenizer: .*o200k, cl100k, qwen3, llama3, estimate"):
        counter(spec)


def test_without_the_extras(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert counter().name == "estimate"
    with pytest.raises(MissingDependency, match=r"jiyi\[tokens\]"):
        counter("gpt-4o")
    with pytest.raises(MissingDependency, match=r"jiyi\[hf\]"):
        counter(str(file))


# -- chat format


def test_messages_are_counted_as_the_cookbook_says() -> None:
    count = Exact("cl100k")
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "Answer briefly."},
        {"role": "system", "name": "example_user", "content": "Is tea hot?"},
        {"role": "user", "content": B},
    ]
    texts = ["system", "Answer briefly.", "system", "example_user", "Is tea hot?", "user", B]
    assert count_messages(count, messages) == 3 * 3 + 1 + sum(map(count.count, texts)) + 3
    assert count_messages(count, []) == 3


def test_parts_tools_and_attachments() -> None:
    count = counter("o200k")
    empty = count_message(count, {"role": "user", "content": None})
    assert empty == count_message(count, {"role": "user", "content": ""}) == count_message(count, {"role": "user"}) == 4

    def content(*parts: object) -> int:
        return count_message(count, {"role": "user", "content": list(parts)}) - empty

    assert content({"type": "text", "text": A}) == count.count(A)
    assert content({"type": "image_url", "image_url": {"url": "data:..." * 9999, "detail": "low"}}) == 85
    assert content({"type": "image_url", "image_url": {"url": "u"}}, {"type": "text", "text": "hi"}) == IMAGE + 1
    assert content({"type": "input_image", "image_url": "u"}) == IMAGE
    assert content({"type": "input_audio", "input_audio": {"data": "x"}}) == ATTACHMENT
    assert content({"type": "file", "file": {"file_id": "f"}}) == ATTACHMENT
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lisbon"}'}}
    with_call = count_message(count, {"role": "assistant", "content": None, "tool_calls": [call]})
    assert with_call >= empty + count.count("weather") + count.count('{"city": "Lisbon"}')
    assert count_message(count, {"role": "tool", "content": "20", "tool_call_id": "call_1"}) > count_message(
        count, {"role": "tool", "content": "20"}
    )
    named = count_message(count, {"role": "user", "content": "", "name": "Ada"})
    assert named == empty + 1 + count.count("Ada")


def test_counting_changes_nothing() -> None:
    message: dict[str, object] = {
        "role": "assistant",
        "content": [{"type": "text", "text": "x"}],
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": [1, 2]}}}],
    }
    before = copy.deepcopy(message)
    count_message(Estimate(), message)
    assert message == before


@pytest.mark.parametrize(
    ("detail", "size", "expected"),
    [
        ("low", (4096, 8192), 85), ("high", (1024, 1024), 765), ("high", (2048, 4096), 1105), ("auto", None, 765),
        ("high", (512, 512), 255), ("high", (513, 100), 425), ("high", (1, 1), 255), ("high", (0, 5), 765),
        ("high", (10_000, 10), 85 + 170 * 4),
    ],
)  # fmt: skip
def test_image_tiles(detail: str, size: tuple[int, int] | None, expected: int) -> None:
    assert image_tokens(detail, size) == expected

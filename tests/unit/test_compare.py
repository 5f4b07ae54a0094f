"""The pure parts of ``bench/compare``, without any of the systems that it compares."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

np = pytest.importorskip("numpy")
FOLDER = Path(__file__).parents[2] / "bench" / "compare"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"compare_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


corpus, tables = _module("corpus"), _module("tables")


def _items(count: int) -> list[object]:
    return [
        corpus.Item(f"k{n}", "ada", "s", "user", None, None, f"text {n}", f"1 May 2023: text {n}") for n in range(count)
    ]


def test_grown_messages_come_in_turns_and_no_text_comes_twice() -> None:
    grown = corpus.grow(_items(7), users=4, each=25)
    assert [item.user for item in grown[:5]] == ["user-0", "user-1", "user-2", "user-3", "user-0"]
    assert len({item.key for item in grown}) == len({item.text for item in grown}) == 100
    assert [item.session for item in grown if item.user == "user-2"] == ["s0"] * 20 + ["s1"] * 5
    assert {corpus.unmarked(item.text)[0] for item in grown[:7]} == {item.text for item in _items(7)}
    assert all(item.told == f"1 May 2023: {item.text}" for item in grown)
    assert grown == corpus.grow(_items(7), users=4, each=25)


def test_a_text_that_comes_again_has_a_vector_nearby() -> None:
    vector = np.eye(1, 384, dtype=np.float32)[0]
    again, other = corpus.vary(vector, "tea (2)"), corpus.vary(vector, "tea (3)")
    assert np.array_equal(again, corpus.vary(vector, "tea (2)")) and not np.array_equal(again, other)
    assert np.linalg.norm(again) == pytest.approx(1) and 0.8 < float(again @ vector) < 0.95


def test_a_corpus_is_read_as_it_was_written(tmp_path: Path) -> None:
    vectors = {"喝茶": np.ones(3, np.float32), "b": np.zeros(3, np.float32)}
    kept = corpus.Corpus(_items(2), [corpus.Asked("ada", "谁？")], vectors, {"谁？": np.ones(3, np.float32)})
    corpus.save(kept, tmp_path)
    read = corpus.load(tmp_path)
    assert (read.items, read.questions) == (kept.items, kept.questions)
    assert list(read.passages) == list(vectors) and np.array_equal(read.passages["b"], vectors["b"])


def test_a_system_that_failed_says_why_in_the_table() -> None:
    shown = tables.speed("1 user", {"jiyi": {"add_per_s": 1234.5, "search_p50_ms": 0.5}, "chroma": {"error": "broken"}})
    assert "| **Jiyi** | 1,23" in shown and "| 0.50 |" in shown and "Chroma, LangChain: broken" in shown

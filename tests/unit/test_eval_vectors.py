"""Vectors kept in a file are made once, and a file that was cut off is mended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jiyi.eval.vectors import KeptVectors, QuestionsOnce


class Counting:
    name, size = "toy/model:1", 2

    def __init__(self) -> None:
        self.made: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.made += texts
        return [[len(text) / 4, 0.5] for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        self.made.append(f"? {text}")
        return [0.0, len(text) / 8]

    def split(self, text: str) -> list[str]:
        return [text]


def cut_off(folder: Path) -> None:
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-3])


async def test_a_passage_is_embedded_once(tmp_path: Path) -> None:
    inner = Counting()
    kept = KeptVectors(inner, tmp_path)
    first = [list(vector) for vector in await kept.embed(["a", "bb", "a"])]
    assert first == [[0.25, 0.5], [0.5, 0.5], [0.25, 0.5]]
    kept.close()
    again = KeptVectors(inner, tmp_path)
    assert [list(vector) for vector in await again.embed(["bb", "ccc"])] == [[0.5, 0.5], [0.75, 0.5]]
    assert inner.made == ["a", "bb", "ccc"]
    assert await again.embed([]) == []
    again.close()


async def test_a_record_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    inner = Counting()
    kept = KeptVectors(inner, tmp_path)
    await kept.embed(["a", "bb"])
    kept.close()
    cut_off(tmp_path)
    mended = KeptVectors(inner, tmp_path)
    assert [list(vector) for vector in await mended.embed(["a", "bb"])] == [[0.25, 0.5], [0.5, 0.5]]
    assert inner.made == ["a", "bb", "bb"]
    mended.close()


async def test_several_processes_add_to_one_file(tmp_path: Path) -> None:
    one, other = KeptVectors(Counting(), tmp_path), KeptVectors(Counting(), tmp_path)
    for text in ("a", "ccc", "eeeee"):
        assert [list(vector) for vector in await one.embed([text])] == [[len(text) / 4, 0.5]]
        assert [list(vector) for vector in await other.embed([f"{text}x", "yy"])] == [
            [(len(text) + 1) / 4, 0.5],
            [0.5, 0.5],
        ]
    assert list(await one.embed_query("yy")) == [0.0, 0.25] and [list(v) for v in await one.embed(["a"])] == [
        [0.25, 0.5]
    ]
    one.close()
    other.close()
    inner = Counting()
    again = KeptVectors(inner, tmp_path)
    assert [list(vector) for vector in await again.embed(["eeeee", "eeeeex", "yy"])] == [
        [1.25, 0.5],
        [1.5, 0.5],
        [0.5, 0.5],
    ]
    assert inner.made == []
    again.close()


async def test_kept_questions_are_looked_up_but_the_first_are_timed(tmp_path: Path) -> None:
    inner = Counting()
    kept = KeptVectors(inner, tmp_path)
    for run, made in enumerate((["? a", "? b", "? c"], ["? a"])):
        questions = QuestionsOnce(kept, timed=1)
        vectors = [list(await questions.embed_query(text)) for text in ("a", "b", "a", "c")]
        assert vectors == [[0.0, 0.125]] * 4 and inner.made == made
        assert questions.seconds("a") and bool(questions.seconds("c")) == (run == 0) and questions.seconds("d") is None
        inner.made.clear()
    kept.close()

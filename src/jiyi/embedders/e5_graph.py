"""The encoder of multilingual-e5-small as an ONNX graph of 8-bit matrices, made of the original 4-bit weights.

Only the twelve layers: word vectors are looked up outside, in the mapped weight file, which keeps the graph at 22 MB.

Activations are rounded to 8 bits with fixed scales, one a channel, so that a vector does not depend on what else is in
the batch.  A few channels are a hundred times larger than the rest; as in SmoothQuant (Xiao and others, 2023) part of
that difference is moved into the weights.  The channels' ranges (``e5_small_ranges.f16``) were measured on chat lines
by ``scripts/fit_ranges.py``.  Weights use 7 of the 8 bits: with 8, sums overflow on processors without VNNI.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from jiyi.embedders.e5_weights import Weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

VERSION = 2
"""Changes whenever ``build`` gives another graph."""

_CONTRIB = "com.microsoft"
_SMOOTHING = 0.45  # of the log of a channel's range stays with it, the rest goes into the weights; best of 0.3 to 0.85
_MARGIN = 1.15  # room above the measured range
_LEAST_RANGE = 1e-3
_WEIGHT_STEPS = 63
_ACTIVATION_STEPS = 127
_MIDDLE = 128  # what 0 becomes: activations are stored unsigned


class _Graph:
    """Collects nodes and weights; every node has one result, named like the node."""

    def __init__(self) -> None:
        # imported here: only building needs it, and it takes half a second
        import onnx

        self._onnx: Any = onnx
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self._one = self.weight("one", np.array(1, np.float32))
        self._middle = self.weight("middle", np.array(_MIDDLE, np.uint8))

    def weight(self, name: str, value: NDArray[Any]) -> str:
        self.weights.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], name: str, *, domain: str = "", **options: object) -> str:
        self.nodes.append(self._onnx.helper.make_node(kind, inputs, [name], name, domain=domain, **options))
        return name

    def rounded(self, x: str, name: str, largest: NDArray[np.float32]) -> tuple[str, NDArray[np.float32]]:
        """``x`` in 8 bits, and what a step of each channel is worth; ``largest``: the range of each channel."""
        largest = np.maximum(largest * _MARGIN, _LEAST_RANGE)
        steps = largest**_SMOOTHING * largest.max() ** (1 - _SMOOTHING) / _ACTIVATION_STEPS
        scaled = self.node("Mul", [x, self.weight(f"{name}.inverse", 1 / steps)], f"{name}.scaled")
        return self.node("QuantizeLinear", [scaled, self._one, self._middle], name), steps

    def linear(self, x: tuple[str, NDArray[np.float32]], name: str, weights: Weights, rows: int) -> str:
        """A rounded ``x`` times the transposed matrix ``name``, plus its bias."""
        matrix = weights.matrix(f"{name}.w", rows) * x[1]
        scales = np.abs(matrix).max(axis=1) / _WEIGHT_STEPS
        steps: NDArray[np.int8] = np.rint(matrix / scales[:, None]).astype(np.int8)
        inputs = [
            x[0],
            self.weight(f"{name}.w", steps.T),
            self._one,
            self.weight(f"{name}.scale", scales),
            self._middle,
            "",
            self.weight(f"{name}.b", weights.floats(f"{name}.b")),
        ]
        return self.node("MatMulIntegerToFloat", inputs, name, domain=_CONTRIB)

    def norm(self, x: str, name: str, weights: Weights, *, skip: str | None = None) -> str:
        """Layer norm of ``x``, or of ``x`` + ``skip``."""
        scale = self.weight(f"{name}.w", weights.floats(f"{name}.w"))
        bias = self.weight(f"{name}.b", weights.floats(f"{name}.b"))
        if skip is None:
            return self.node("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=weights.epsilon)
        return self.node(
            "SkipLayerNormalization", [x, skip, scale, bias], name, domain=_CONTRIB, epsilon=weights.epsilon
        )


def build(weights: Weights) -> bytes:
    """The serialised model.

    Inputs: ``embedded`` float (batch, length, 384) and ``lengths`` int32 (batch): tokens that are not padding.
    Output: ``hidden`` float (batch, length, 384).
    """
    from onnx import TensorProto, helper

    width = weights.width
    graph = _Graph()
    ranges = _ranges(weights)
    x = graph.norm("embedded", "emb.ln", weights)
    for layer in range(weights.layers):
        x = _layer(graph, weights, x, f"l{layer}.", ranges)
    graph.node("Identity", [x], "hidden")
    shape = ["batch", "length", width]
    model: Any = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "e5",
            [
                helper.make_tensor_value_info("embedded", TensorProto.FLOAT, shape),
                helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
            ],
            [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, shape)],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)],
    )
    model.ir_version = 9
    return model.SerializeToString()


def _layer(graph: _Graph, weights: Weights, x: str, at: str, ranges: Iterator[NDArray[np.float32]]) -> str:
    width = weights.width
    whole = graph.rounded(x, at + "x8", next(ranges))
    q, k, v = (graph.linear(whole, at + name, weights, width) for name in "qkv")
    seen = graph.node(
        "MultiHeadAttention", [q, k, v, "", "lengths"], at + "seen", domain=_CONTRIB, num_heads=weights.heads
    )
    out = graph.linear(graph.rounded(seen, at + "seen8", next(ranges)), at + "ao", weights, width)
    x = graph.norm(out, at + "aln", weights, skip=x)
    wide = graph.linear(graph.rounded(x, at + "aln8", next(ranges)), at + "fi", weights, weights.inner)
    bent = graph.node("Gelu", [wide], at + "gelu", domain=_CONTRIB)
    out = graph.linear(graph.rounded(bent, at + "gelu8", next(ranges)), at + "fo", weights, width)
    return graph.norm(out, at + "oln", weights, skip=x)


def _ranges(weights: Weights) -> Iterator[NDArray[np.float32]]:
    """The largest absolute value of each channel, for the four inputs of matrices in each layer, in order."""
    found = np.frombuffer(files("jiyi.embedders").joinpath("e5_small_ranges.f16").read_bytes(), "<f2")
    sizes = [weights.width, weights.width, weights.width, weights.inner] * weights.layers
    yield from np.split(found.astype(np.float32), np.cumsum(sizes)[:-1])

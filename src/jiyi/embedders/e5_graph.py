"""The encoder of multilingual-e5-small as an ONNX graph over the original 4-bit weights.

Only the twelve layers: word vectors are looked up outside, in the mapped weight file, which keeps the graph at 14 MB.
Each matrix stays in its 4-bit blocks (``MatMulNBits`` of onnxruntime, activations rounded to 8 bits in blocks as
long as those of the 4-bit engine), so the vectors agree with the engine's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jiyi.embedders.e5_weights import BLOCK, Weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

VERSION = 1
"""Changes whenever ``build`` gives another graph."""

_CONTRIB = "com.microsoft"
_INT8_ACTIVATIONS = 4  # the accuracy level of MatMulNBits


class _Graph:
    """Collects nodes and weights; every node has one result, named like the node."""

    def __init__(self) -> None:
        # imported here: only building needs it, and it takes half a second
        import onnx

        self._onnx: Any = onnx
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, value: NDArray[Any]) -> str:
        self.weights.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], name: str, *, domain: str = "", **options: object) -> str:
        self.nodes.append(self._onnx.helper.make_node(kind, inputs, [name], name, domain=domain, **options))
        return name

    def linear(self, x: str, name: str, weights: Weights, tensors: Sequence[str], shape: tuple[int, int]) -> str:
        """``x`` times the transposed 4-bit matrices (stacked), plus their biases; ``shape`` of each: (out, in)."""
        parts = [weights.blocks(f"{tensor}.w", shape[0]) for tensor in tensors]
        scales = np.concatenate([scale for scale, _ in parts])
        nibbles = np.concatenate([nibble for _, nibble in parts])
        packed = nibbles[..., 0::2] | (nibbles[..., 1::2] << 4)  # neighbours share a byte here
        bias = np.concatenate([weights.floats(f"{tensor}.b") for tensor in tensors])
        inputs = [
            x,
            self.weight(f"{name}.w", packed),
            self.weight(f"{name}.scale", scales.reshape(-1)),
            "",
            "",
            self.weight(f"{name}.b", bias),
        ]
        return self.node(
            "MatMulNBits",
            inputs,
            name,
            domain=_CONTRIB,
            K=shape[1],
            N=len(bias),
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )

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
    x = graph.norm("embedded", "emb.ln", weights)
    for layer in range(weights.layers):
        x = _layer(graph, weights, x, f"l{layer}.")
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


def _layer(graph: _Graph, weights: Weights, x: str, at: str) -> str:
    width, inner = weights.width, weights.inner
    q = graph.linear(x, at + "q", weights, [at + "q"], (width, width))
    k = graph.linear(x, at + "k", weights, [at + "k"], (width, width))
    v = graph.linear(x, at + "v", weights, [at + "v"], (width, width))
    seen = graph.node(
        "MultiHeadAttention", [q, k, v, "", "lengths"], at + "seen", domain=_CONTRIB, num_heads=weights.heads
    )
    x = graph.norm(graph.linear(seen, at + "ao", weights, [at + "ao"], (width, width)), at + "aln", weights, skip=x)
    wide = graph.linear(x, at + "fi", weights, [at + "fi"], (inner, width))
    bent = graph.node("Gelu", [wide], at + "gelu", domain=_CONTRIB)
    return graph.norm(graph.linear(bent, at + "fo", weights, [at + "fo"], (width, inner)), at + "oln", weights, skip=x)

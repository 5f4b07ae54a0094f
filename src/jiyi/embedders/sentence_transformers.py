"""Any model of the package sentence-transformers, on this machine."""

from __future__ import annotations

import asyncio
import copy
import importlib
import importlib.util
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jiyi.embedders import pieces
from jiyi.errors import MissingDependency, ModelRejected

if TYPE_CHECKING:
    from jiyi.types import Vector

_TOGETHER = 16
"""Texts a call of the model takes: a question waits for no more than one such call."""
_LONGEST = 512
"""Tokens of a piece at most, though a model may take more: one vector of many things is near to none of them."""
_CHARS = 8
"""Characters looked at for each token that a piece may have; texts have fewer."""

_E5 = re.compile(r"(?:^|[-_/])e5-(?:small|base|large)(?!.*instruct)", re.IGNORECASE)
"""These models were trained with a word before each text, and most copies of them do not say so."""

_ADVICE = "it needs the package sentence-transformers: pip install 'jiyi[sentence-transformers]'"


class SentenceTransformersEmbedder:
    """A model by its name on the Hugging Face Hub, or from a folder.  Loaded when it is first used, in a thread.

    What the model wants before a question and before a passage is taken from its own configuration (the prompts
    ``query``, and ``document``, ``passage`` or ``corpus``).  Vectors are brought to unit length.

    Attributes:
        size: 0 until the model is loaded.

    Args:
        model: name or folder.
        query_prompt, passage_prompt: instead of the model's own.
        download: fetch a model that is not on this machine yet; otherwise nothing is sent or fetched.
        device: ``cpu``, ``cuda``, ``mps``; None for the best there is.

    Raises:
        MissingDependency: sentence-transformers is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        query_prompt: str | None = None,
        passage_prompt: str | None = None,
        download: bool = False,
        device: str | None = None,
    ) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingDependency(_ADVICE)
        self.name = f"sentence_transformers:{model}"
        if query_prompt is not None or passage_prompt is not None:  # other numbers, another name
            said = blake2b(repr((query_prompt, passage_prompt)).encode(), digest_size=4).hexdigest()
            self.name += f"#{said}"
        self._model = model
        self._given = (query_prompt, passage_prompt)
        self._download = download
        self._device = device
        self.size = 0
        self._encoder: Any = None
        self._cutter: Any = None
        self._loading = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jiyi-embed")

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See ``Embedder.embed``."""
        found: list[Vector] = []
        for start in range(0, len(texts), _TOGETHER):
            found += await self._run(self._encode, texts[start : start + _TOGETHER], False)
        return found

    async def embed_query(self, text: str) -> Vector:
        """See ``Embedder.embed_query``."""
        (vector,) = await self._run(self._encode, [text], True)
        return vector

    async def close(self) -> None:
        """Lets go of the model; a second call does nothing."""
        await asyncio.to_thread(self._thread.shutdown)
        self._encoder = self._cutter = None

    def split(self, text: str) -> Sequence[str]:
        """See ``Embedder.split``: pieces of at most 512 tokens of the model's own, or what it takes; at most 32 of one
        text, of which the last is then its end.
        """
        text = _readable(text)
        most = self._room()
        found: list[str] = []
        start = 0
        while start < len(text):
            if len(found) == pieces.MOST - 1:
                found.append(text[max(start, len(text) - self._fits(text[start:][: -most * _CHARS - 1 : -1], most)) :])
                break
            end = start + self._fits(text[start : start + most * _CHARS], most)
            if end < len(text):
                end = pieces.stop(text, start, end)
            if (piece := text[start:end]).strip():
                found.append(piece)
            start = end
        return found or [text[: self._fits(text[: most * _CHARS], most)]]

    async def _run(self, work: Any, *arguments: object) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _encode(self, texts: Sequence[str], question: bool) -> list[Vector]:
        """In the thread."""
        encoder = self._loaded()
        vectors = encoder.encode(
            [_readable(text) for text in texts],
            prompt=self._prompt(encoder, question),
            batch_size=_TOGETHER,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return cast("list[Vector]", list(vectors))

    def _prompt(self, encoder: Any, question: bool) -> str:
        given = self._given[0 if question else 1]
        if given is not None:
            return given
        own: dict[str, str] = encoder.prompts or {}
        found = (
            own.get("query", "") if question else own.get("document") or own.get("passage") or own.get("corpus") or ""
        )
        if not found and _E5.search(self._model):
            return "query: " if question else "passage: "
        return found

    def _room(self) -> int:
        """Tokens of a piece, without the prompt and the model's own marks."""
        encoder = self._loaded()
        own = len(self._cutter(self._prompt(encoder, False))["input_ids"])
        return max(8, min(encoder.max_seq_length or _LONGEST, _LONGEST) - own)

    def _fits(self, text: str, most: int) -> int:
        """The characters of the beginning that are at most so many tokens; at least one of a text."""
        tokenizer = self._cutter
        if not getattr(tokenizer, "is_fast", False):
            return min(len(text), most)  # it tells no places in the text; a character is nearly always a token at most
        given = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False)
        places: list[tuple[int, int]] = given["offset_mapping"]
        return len(text) if len(places) <= most else max(1, places[most][0])

    def _loaded(self) -> Any:
        with self._loading:
            if self._encoder is None:
                encoder = self._load()
                dimension = (
                    getattr(encoder, "get_embedding_dimension", None) or encoder.get_sentence_embedding_dimension
                )
                self.size = int(dimension())
                self._cutter = copy.deepcopy(encoder.tokenizer)  # two threads cannot share one
                self._encoder = encoder
            return self._encoder

    def _load(self) -> Any:
        if Path(self._model).is_dir():
            where, advice = self._model, "it must hold what SentenceTransformer.save() writes"
        else:
            where = f"{self._model!r}, as a folder or among the downloaded models,"
            advice = f"fetch it with `hf download {self._model}`, or give download=True"
        try:
            package: Any = importlib.import_module("sentence_transformers")
            return package.SentenceTransformer(self._model, device=self._device, local_files_only=not self._download)
        except ImportError as error:
            raise MissingDependency(f"{_ADVICE} ({error})") from error
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelRejected(f"sentence-transformers finds no model in {where} ({error}); {advice}") from error


def _readable(text: str) -> str:
    """What tokenizers can take: no half characters."""
    return text.encode("utf-8", "replace").decode()

"""Token counts: exact where a tokenizer is installed, a careful estimate elsewhere; chat format, tools and images."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from jiyi.errors import InvalidInput, MissingDependency
from jiyi.ports import TokenCounter
from jiyi.text import cut_point
from jiyi.types import ChatMessage

_CACHED_TEXTS = 2_048  # at least; up to twice as many
_CACHED_LENGTH = 10_000  # longer texts are counted anew each time, so that the cache stays small
_LOOK_AHEAD = 16  # characters


class _Counter:
    """What all counters share: ``cut``, found by counting."""

    name: str
    exact: bool

    def count(self, text: str) -> int:
        raise NotImplementedError

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of at most ``tokens`` tokens that ends between two characters a reader sees."""
        return _cut(self.count, text, tokens)


class _Cached(_Counter):
    """Keeps the counts of the last texts, by hash, so that no forgotten words stay here."""

    def __init__(self) -> None:
        self.clear()

    def count(self, text: str) -> int:
        """Tokens of a bare text."""
        if len(text) > _CACHED_LENGTH:
            return self._count(text)
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if (known := self._young.get(key)) is not None:
            return known
        found = self._old.get(key)
        if found is None:
            found = self._count(text)
        if len(self._young) >= _CACHED_TEXTS:
            self._young, self._old = {}, self._young
        self._young[key] = found
        return found

    def clear(self) -> None:
        """Forgets all counts: after texts were erased."""
        self._young: dict[bytes, int] = {}
        self._old: dict[bytes, int] = {}

    def _count(self, text: str) -> int:
        raise NotImplementedError


# -- the estimate ----------------------------------------------------------------------------------------------------


def _classes() -> bytes:
    """Byte of UTF-8 -> class letter.  The first byte of a character tells its script well enough."""
    table = bytearray(b"?" * 256)

    def put(letter: str, codes: Iterable[int]) -> None:
        for code in codes:
            table[code] = ord(letter)

    put("o", range(0x00, 0x80))  # control characters, until the next lines say otherwise
    put("p", range(0x21, 0x7F))
    put("d", range(0x30, 0x3A))
    put("A", range(0x41, 0x5B))
    put("a", range(0x61, 0x7B))
    put("n", b"\n\r")
    put("t", b"\t")
    put(" ", b" ")
    put("l", range(0xC2, 0xCA))  # accented Latin
    put("o", range(0xCA, 0xD0))  # phonetic signs, Greek
    put("c", range(0xD0, 0xE0))  # Cyrillic, Hebrew, Arabic
    put("o", (0xE0, 0xE1))  # Indic scripts, Thai, Georgian, Ethiopic
    put("s", (0xE2,))  # typographic signs, arrows, boxes
    put("k", (0xE3,))  # Kana, CJK punctuation
    put("h", range(0xE4, 0xEA))  # Han
    put("g", range(0xEA, 0xEE))  # Hangul
    put("x", (0xEE, *range(0xF0, 0xF8)))  # private use, rare Han, emoji
    put("f", (0xEF,))  # full-width forms
    return bytes(table)


_CLASS = _classes()
_CONTINUATION = bytes(range(0x80, 0xC0))
_LETTERS = bytes(ord("a") if chr(code) in "aAl" else ord(" ") for code in range(256))

_PER_CLASS = {
    b"d": 1.5, b"p": 0.9, b"pp": -0.8, b"aA": 0.5, b"AA": 0.4, b"n": 0.5, b"nn": -0.5, b"n  ": 0.9, b"t": 0.5,
    b"l": 0.9, b"o": 1.0, b"c": 0.48, b"s": 1.2, b"k": 0.85, b"h": 0.88, b"g": 0.9, b"x": 3.5, b"f": 1.1,
}  # fmt: skip
_PER_WORD, _PER_7_LETTERS, _PER_14_LETTERS, _START = 1.09, 0.2, 4.0, 0.5
_EMOJI_LESS = 1.5  # an emoji is cheaper than the rare Han characters of its class
_PUNCTUATION_MORE = 0.35  # CJK punctuation is dearer than Kana


class Estimate(_Cached):
    """Tokens without a tokenizer, from what kinds of characters and words a text has.

    The constants were fitted, by a one-sided loss (falling short costs 25 times as much as counting too much), against
    the larger of the o200k and the Qwen3 count of 6,800 chat messages and pieces of source code in English and Chinese;
    those of scripts that these lack come from single sentences.  On the same kind of text at least 99 % of the messages
    get 0.95 times their o200k and Qwen3 count or more; the mean is 1.2 times the count for English and code, 1.15 to
    1.3 (o200k) and 1.35 to 1.6 (Qwen3, DeepSeek are thriftier) for Chinese.  The older cl100k needs some 1.3 times
    more for Chinese than is estimated here: install the exact counter for it.
    """

    name = "estimate"
    exact = False

    def _count(self, text: str) -> int:
        if not text:
            return 0
        raw = text.encode("utf-8", "replace")
        kinds = raw.translate(_CLASS, _CONTINUATION)
        letters = kinds.translate(_LETTERS)
        total = _START + _PER_WORD * len(letters.split())
        total += _PER_7_LETTERS * letters.count(b"aaaaaaa") + _PER_14_LETTERS * letters.count(b"aaaaaaaaaaaaaa")
        present = set(kinds)
        for kind, cost in _PER_CLASS.items():
            if kind[0] in present:
                total += cost * kinds.count(kind)
        if ord("x") in present:
            total -= _EMOJI_LESS * raw.count(b"\xf0\x9f")
        if ord("k") in present:
            total += _PUNCTUATION_MORE * raw.count(b"\xe3\x80")
        return max(1, math.ceil(total))


# -- exact counters --------------------------------------------------------------------------------------------------

_VOCABULARIES = {"o200k": "o200k_base", "cl100k": "cl100k_base", "qwen3": "qwen3", "llama3": "llama3"}

_MODELS = (  # beginning of a model name -> vocabulary; the first that fits
    ("gpt-4o", "o200k"), ("gpt-4.1", "o200k"), ("gpt-4.5", "o200k"), ("gpt-5", "o200k"), ("gpt-oss", "o200k"),
    ("chatgpt-4o", "o200k"), ("o1", "o200k"), ("o3", "o200k"), ("o4", "o200k"), ("o200k", "o200k"),
    ("gpt-4", "cl100k"), ("gpt-3.5", "cl100k"), ("gpt-35", "cl100k"), ("cl100k", "cl100k"),
    ("qwen", "qwen3"), ("qwq", "qwen3"),
    ("llama-3", "llama3"), ("llama3", "llama3"), ("meta-llama-3", "llama3"),
)  # fmt: skip


class Exact(_Cached):
    """Counts of a published vocabulary, offline: ``o200k``, ``cl100k``, ``qwen3`` or ``llama3`` (extra ``tokens``).

    The vocabulary is loaded at the first count (some 0.3 s).  Special-token strings such as ``<|endoftext|>`` count as
    the plain text they are.
    """

    exact = True

    def __init__(self, vocabulary: str) -> None:
        """``InvalidInput`` for a vocabulary that is not there, ``MissingDependency`` without the package."""
        if vocabulary not in _VOCABULARIES:
            raise InvalidInput("tokenizer", f"no vocabulary {vocabulary!r}; there are {', '.join(_VOCABULARIES)}")
        if not _has_quicktok():
            raise MissingDependency(f"exact {vocabulary} counts need: pip install 'jiyi[tokens]' (or use \"estimate\")")
        self.name = vocabulary
        self._encoding: Any = None
        super().__init__()

    def _count(self, text: str) -> int:
        if self._encoding is None:
            self._encoding = cast(Any, importlib.import_module("quicktok")).get_encoding(_VOCABULARIES[self.name])
        return int(self._encoding.count(_whole(text)))


class TokenizerFile(_Cached):
    """Counts of any Hugging Face ``tokenizer.json`` (extra ``hf``), without the special tokens a model adds."""

    exact = True

    def __init__(self, path: str | Path) -> None:
        """``InvalidInput`` when the file is not there or not a tokenizer, ``MissingDependency`` without the package."""
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingDependency("a tokenizer.json needs: pip install 'jiyi[hf]'") from error
        if not Path(path).is_file():
            raise InvalidInput("tokenizer", f"no file {str(path)!r}; give the path of a tokenizer.json")
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise InvalidInput("tokenizer", f"{str(path)!r} is not a Hugging Face tokenizer.json: {error}") from error
        self._tokenizer.no_truncation()  # such files often carry the settings of a training run
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.name = str(path)
        super().__init__()

    def clear(self) -> None:
        """Forgets all counts, and the words that the library keeps."""
        super().clear()
        getattr(self._tokenizer.model, "_clear_cache", lambda: None)()  # older releases cannot

    def _count(self, text: str) -> int:
        if not text:
            return 0
        return max(1, len(self._tokenizer.encode(_whole(text), add_special_tokens=False).ids))


def counter(spec: str | TokenCounter | None = None) -> TokenCounter:
    """The counter that a setting means.

    Args:
        spec: a counter; ``"estimate"``; a vocabulary (``"o200k"``, ``"cl100k"``, ``"qwen3"``, ``"llama3"``); a model
            name (``"gpt-4o"``, ``"Qwen/Qwen3-8B"``, ``"qwen3:8b"``); the path of a ``tokenizer.json``; None for o200k
            where the extra ``tokens`` is installed and the estimate elsewhere.

    Raises:
        InvalidInput: nothing of that name.
        MissingDependency: the extra is not installed.
    """
    if spec is None:
        return Exact("o200k") if _has_quicktok() else Estimate()
    if not isinstance(spec, str):
        return spec
    if spec.endswith(".json"):
        return TokenizerFile(spec)
    if spec == "estimate":
        return Estimate()
    model = spec.lower().rpartition("/")[2]
    for beginning, vocabulary in _MODELS:
        if model.startswith(beginning):
            return Exact(vocabulary)
    raise InvalidInput(
        "tokenizer",
        f"nothing known for {spec!r}; there are {', '.join(_VOCABULARIES)}, estimate, the names of GPT, Qwen and "
        "Llama 3 models, and the path of any tokenizer.json (DeepSeek, Mistral, … publish theirs)",
    )


def _has_quicktok() -> bool:
    return importlib.util.find_spec("quicktok") is not None


def _whole(text: str) -> str:
    """Text that a tokenizer takes: halves of surrogate pairs are joined or become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cut(count: Callable[[str], int], text: str, tokens: int) -> str:
    """The longest beginning within ``tokens``, by doubling, halving, and a look ahead.

    A longer text can have fewer tokens (``internation`` has more than ``international``): hence the look ahead.
    """
    if len(text) <= _CACHED_LENGTH and count(text) <= tokens:
        return text
    low, high = 0, cut_point(text, 4 * max(0, tokens))
    while tokens > 0 and low < high and count(text[:high]) <= tokens:
        low, high = high, cut_point(text, 2 * high)
    high = max(high, low)
    while (middle := cut_point(text, (low + high) // 2)) > low:
        if count(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle
    for further in range(min(low + _LOOK_AHEAD, len(text)), low, -1):
        if tokens > 0 and cut_point(text, further) == further and count(text[:further]) <= tokens:
            return text[:further]
    return text[:low]


# -- chat format -----------------------------------------------------------------------------------------------------

PER_MESSAGE = 3
PER_NAME = 1
REPLY = 3
IMAGE = 765
"""An image of unknown size: what 1024 x 1024 costs."""
ATTACHMENT = 1_500
"""A file, a recording or a part of unknown kind: nobody can know without opening it; about two pages of text."""


def count_messages(counter: TokenCounter, messages: Iterable[ChatMessage]) -> int:
    """Tokens of a whole request: its messages, and what the reply is started with."""
    return REPLY + sum(count_message(counter, message) for message in messages)


def count_message(counter: TokenCounter, message: ChatMessage) -> int:
    """Tokens of one message in chat format; the message is not changed.

    Three tokens to begin and end it, its role and content, one more beside a name, as OpenAI's cookbook counts ("How to
    count tokens with tiktoken"); names, arguments and ids of tool calls as they are sent.  Other models' formats differ
    by a token or two a message.
    """
    total = (
        PER_MESSAGE + counter.count(str(message.get("role") or "")) + _content_tokens(counter, message.get("content"))
    )
    if name := message.get("name"):
        total += PER_NAME + counter.count(str(name))
    if call_id := message.get("tool_call_id"):
        total += counter.count(str(call_id))
    if calls := message.get("tool_calls"):
        total += sum(PER_MESSAGE + _call_tokens(counter, call) for call in _sequence(calls))
    return total


def image_tokens(detail: str | None = None, size: tuple[int, int] | None = None) -> int:
    """Tokens of one image by the tile rule of OpenAI's vision guide (GPT-4o).

    85 for low detail.  Otherwise it is scaled down to fit into 2048 x 2048, then to a shorter side of 768, and each
    tile of 512 x 512 begun costs 170 beside 85; 765 when the size (width, height in pixels) is unknown.
    """
    if detail == "low":
        return 85
    if size is None or min(size) <= 0:
        return IMAGE
    width, height = size
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = [math.ceil(round(side * scale) / 512) or 1 for side in (width, height)]
    return 85 + 170 * tiles[0] * tiles[1]


def _content_tokens(counter: TokenCounter, content: object) -> int:
    if isinstance(content, str):
        return counter.count(content)
    return sum(_part_tokens(counter, part) for part in _sequence(content))


def _part_tokens(counter: TokenCounter, part: object) -> int:
    if isinstance(part, str):
        return counter.count(part)
    fields = _mapping(part)
    kind = str(fields.get("type"))
    for key in ("text", "refusal"):
        if isinstance(text := fields.get(key), str):
            return counter.count(text)
    if "image" in kind:
        image = _mapping(fields.get("image_url")) or fields
        detail, width, height = image.get("detail"), image.get("width"), image.get("height")
        size = (width, height) if isinstance(width, int) and isinstance(height, int) else None
        return image_tokens(detail if isinstance(detail, str) else None, size)
    return ATTACHMENT


def _call_tokens(counter: TokenCounter, call: object) -> int:
    fields = _mapping(call)
    function = _mapping(fields.get("function")) or fields
    arguments = function.get("arguments", function.get("args"))
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False, default=str)
    return sum(counter.count(str(text)) for text in (function.get("name") or "", arguments, fields.get("id") or ""))


def _mapping(value: object) -> Mapping[str, object]:
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[object]:
    return cast(Sequence[object], value) if isinstance(value, Sequence) and not isinstance(value, str) else ()

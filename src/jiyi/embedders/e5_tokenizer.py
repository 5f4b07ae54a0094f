"""The unigram tokenizer of multilingual-e5-small, step by step as the 4-bit engine does it: both see the same ids.

Plain Python is fast enough: no piece of this vocabulary reaches over a blank, so a text falls into words, and the words
of conversations repeat.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jiyi.embedders.e5_weights import Vocabulary

_BLANK = "\u2581"  # how the vocabulary writes the blank before a word
_WORD = re.compile(f"{_BLANK}?[^{_BLANK}]+|{_BLANK}")
_BLANKS = re.compile(" {2,}")
_WORDS_KEPT = 32_768
_LONGEST_KEPT = 24  # characters; longer runs (Chinese clauses) do not come twice
_UNKNOWN_PENALTY = 10.0


class Tokenizer:
    """Cuts text into the pieces whose scores add up to the most."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._unknown_score = min(vocabulary.scores) - _UNKNOWN_PENALTY
        self._longest: dict[str, int] = {}
        for piece in vocabulary.pieces:
            first = piece[:1]
            self._longest[first] = max(self._longest.get(first, 1), len(piece))
        self._kept = lru_cache(_WORDS_KEPT)(self._best)

    def ids(self, text: str) -> list[int]:
        """Token ids without the marks of beginning and end."""
        text = _BLANKS.sub(" ", text.translate(self._vocabulary.replacements))
        text = (text if text.startswith(" ") else " " + text).replace(" ", _BLANK)
        found: list[int] = []
        for word in _WORD.findall(text):
            found += self._kept(word) if len(word) <= _LONGEST_KEPT else self._best(word)
        return found

    def clear(self) -> None:
        """Forgets the words whose pieces are kept."""
        self._kept.cache_clear()

    def _best(self, word: str) -> tuple[int, ...]:
        """Viterbi over one word."""
        pieces, scores, unknown = self._vocabulary.pieces, self._vocabulary.scores, self._vocabulary.unknown
        size = len(word)
        best = [0.0] + [-1e30] * size
        chosen = [(0, unknown)] * (size + 1)  # where the piece that ends here begins, and which it is
        for start in range(size):
            here = best[start]
            for end in range(start + 1, min(size, start + self._longest.get(word[start], 1)) + 1):
                piece = pieces.get(word[start:end])
                if piece is not None and piece != unknown and here + scores[piece] > best[end]:
                    best[end] = here + scores[piece]
                    chosen[end] = (start, piece)
            if here + self._unknown_score > best[start + 1]:
                best[start + 1] = here + self._unknown_score
                chosen[start + 1] = (start, unknown)
        found: list[int] = []
        while size:
            size, piece = chosen[size]
            found.append(piece)
        return tuple(reversed(found))

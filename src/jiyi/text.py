"""Index terms and small facts about text: pure, linear, never raising on odd input.

Both sides of full-text search are made here, so every store finds the same.  A text becomes terms like this: NFKC,
casefold, then

* Latin and other alphabetic words, English-stemmed (``won't`` stays ``won't``), stop words left out;
* whatever has inner punctuation or a sign that carries meaning, exactly as it stands, beside its parts
  (``sync-ledger``, ``mb/s``, ``f#``, ``40%``, ``12,480.50``, ``#42``);
* Han, Kana and Hangul runs as overlapping pairs plus the last single character;
* an emoji with all its modifiers as one term.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, product
from operator import add, itemgetter
from typing import Any, Literal, cast

from jiyi.errors import InvalidInput

TERMS_VERSION = "1"
"""Changes whenever ``terms`` or ``query_terms`` give something else: an index made by another version is rebuilt."""

MAX_QUERY_TERMS = 64
MAX_TERM = 64
MAX_QUERY = 4_000
"""Characters of a query that are looked at."""

# -- character classes ---------------------------------------------------------------------------------------------

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_PAIRED = _HAN + _KANA + _HANGUL
_PICTURE = (
    "\u203c\u2049\u2139\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55\U0001f000-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"
_TONE = "\U0001f3fb-\U0001f3ff"
_TAG = "\U000e0020-\U000e007f"
_JOINER = "\u200d"


def _marks() -> str:
    """Combining marks of the alphabetic scripts, as ranges: a word class without them parts Thai and Hindi words."""
    codes = {code for code in range(0x300, 0x1E00) if unicodedata.category(chr(code)) in ("Mn", "Mc")}
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


_MARKS = _marks()
_LETTERS = f"(?:[^\\W_{_PAIRED}]++|[{_MARKS}]++)++"  # possessive: nothing that follows could take one of them back
_WORD = f"{_LETTERS}(?:'{_LETTERS})*"
_EMOJI = (
    f"[0-9#*]\ufe0f?\u20e3|[{_FLAG}]{{2}}"
    f"|[{_PICTURE}][\ufe0f{_TONE}{_TAG}]*(?:{_JOINER}[{_PICTURE}][\ufe0f{_TONE}{_TAG}]*)*"
)


def _token(letters: str) -> str:
    """A word with what may stand inside, before and behind it."""
    return f"\\#?{letters}(?:(?:['._:/@&=\\\\~+\\-\\#]|(?<=\\d),(?=\\d)){letters})*(?:\\+\\+?|[\\#%‰])?"


_TOKEN = re.compile(f"[{_PAIRED}]+|{_EMOJI}|{_token(_LETTERS)}")
_ASCII_TOKEN = re.compile(_token("[0-9a-z]++"))  # the same for lower-case ASCII, three times faster
_PAIRED_CHAR = re.compile(f"[{_PAIRED}]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_MARK_FLOOD = re.compile(f"([{_MARKS}]{{30}})[{_MARKS}]+")
_SPACE = re.compile(r"\s+")
_SAME = (
    [(other, "'") for other in "\u2018\u2019\u02bc"]
    + [(other, "-") for other in "\u2010\u2011\u2012\u2013\u2212"]
    + [(chr(ord(plain) + 0xFEE0), plain) for plain in ",:;!?()%"]  # full-width
)
_IS_NORMAL = re.compile("[\x00-\x7f\u3001\u3002\u201c\u201d\u4e00-\u9fff]*")

# -- stop words ----------------------------------------------------------------------------------------------------

_ENGLISH = (
    "a an the and or but if so of to in on at for from with by as is are was were be been am do does did has have had "
    "this that these those it its i me my you your he him his she her we us our they them their what which who "
    "there here just than then too very"  # "not" and "no" stay
)
_HAN_ALONE = "的了是在我你他她它们这那有和就都也吗呢吧啊呀嘛么个着很与及之"
_HAN_PAIRS = "什么 怎么 怎样 哪些 哪里 哪个 多少 是否 如何 请问 为什 么时 时候 一下 一个"

_WORDS_STOP = frozenset(_ENGLISH.split(" "))
_STOP = _WORDS_STOP.union(
    _HAN_ALONE, (char + "*" for char in _HAN_ALONE), map("".join, product(_HAN_ALONE, repeat=2)), _HAN_PAIRS.split(" ")
)

# -- from tokens to terms ------------------------------------------------------------------------------------------

_local = threading.local()  # a Stemmer must not be shared between threads


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """English stem; a stop word stays as it is, its short forms (``I'm``, ``you've``, not ``don't``) become it."""
    base = word.partition("'")[0]
    if base in _WORDS_STOP:
        return base
    stemmer: Any = getattr(_local, "stemmer", None)
    if stemmer is None:
        # imported when something is first indexed or searched: it takes milliseconds
        import Stemmer  # pyright: ignore[reportMissingTypeStubs]

        stemmer = _local.stemmer = cast(Any, Stemmer).Stemmer("english", 0)  # no second cache: it cannot be cleared
    return str(stemmer.stemWord(word))[:MAX_TERM]


@lru_cache(maxsize=16_384)
def _expand(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms of one token that is not a paired run: (for the index, for a query)."""
    if token.isascii() and token.isalnum():  # the usual word, and nothing below would part it
        both = (_stem(token),)
        return both, both
    token = token.replace("\ufe0f", "")
    words = _words().findall(token)
    if not words or token[-1] == "\u20e3":  # an emoji
        return (token[:MAX_TERM],), (token[:MAX_TERM],)
    exact = (token,) if len(token) <= MAX_TERM else ()
    if words == [token]:
        both = (_stem(token),)
    elif len(words) == 1:  # a word with a sign: "40" must find "40%", but "40%" must not find "40"
        both = (*exact, _stem(token.strip("#+%‰")))
        if exact and (len(words[0]) < 3 or words[0].isdigit()):
            return both, exact
    elif _THOUSANDS.fullmatch(token):
        both = (*exact, token.replace(",", "")[:MAX_TERM])
    elif _DECIMAL.fullmatch(token):
        both = exact
    else:
        stems = (_stem(word) for word in words if len(word) > (2 if word.isdigit() else 1))
        both = (*exact, *(stem for stem in stems if stem not in _WORDS_STOP))
    return both, both


_for_index = itemgetter(0)


@cache
def _words() -> re.Pattern[str]:
    """Compiled at the first token that needs it: 3 ms, and the usual word does not."""
    return re.compile(_WORD)


def clear_caches() -> None:
    """Forgets the words and tokens whose terms are kept for speed: after texts were erased."""
    _stem.cache_clear()
    _expand.cache_clear()


def _same(text: str) -> str:
    for other, plain in _SAME:  # several times faster than str.translate
        text = text.replace(other, plain)
    return text


def _normal(text: str) -> str:
    """NFKC, casefold, one kind of apostrophe and hyphen."""
    if text.isascii():
        return text.lower()
    text = _same(text)
    if _IS_NORMAL.fullmatch(text):  # most Chinese: NFKC would change nothing and take longer than all the rest
        return text.lower()
    if len(text) > 1_000:  # sorting a flood of combining marks takes quadratic time (UAX 15 allows 30 in a row)
        text = _MARK_FLOOD.sub(r"\1", text)
    return _same(unicodedata.normalize("NFKC", text).casefold())


def _is_paired(token: str) -> bool:
    return token >= "\u1100" and bool(_PAIRED_CHAR.match(token))


def terms(text: str) -> dict[str, int]:
    """Index terms of a text and how often each stands in it.

    English stop words are left out unless nothing else is there (they would make the index a third larger; those of
    Chinese only a twentieth, so they stay, and a query made of nothing else finds its place).
    """
    text = _normal(text)
    if text.isascii():
        counts = Counter(chain.from_iterable(map(_for_index, map(_expand, _ASCII_TOKEN.findall(text)))))
    else:
        counts = Counter(_mixed_terms(text))
    stops = _WORDS_STOP.intersection(counts)
    if len(stops) < len(counts):
        for stop in stops:
            del counts[stop]
    return counts


def _mixed_terms(text: str) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if _is_paired(token):
            found += map(add, token, token[1:])
            found.append(token[-1])
        else:
            found += _expand(token)[0]
    return found


def query_terms(text: str) -> list[str]:
    """Terms to look a query up by: unique, in order, at most ``MAX_QUERY_TERMS``.

    A lone Han, Kana or Hangul character becomes a prefix, ``猫*``: the index has it as the beginning of a pair or as
    the last character of a run.  Stop words are left out unless nothing else is there.
    """
    found: dict[str, None] = {}
    for token in _TOKEN.findall(_normal(text[:MAX_QUERY])):
        if not _is_paired(token):
            found.update(dict.fromkeys(_expand(token)[1]))
        elif len(token) == 1:
            found[token + "*"] = None
        else:
            found.update(dict.fromkeys(map(add, token, token[1:])))
    wanted = [term for term in found if term not in _STOP]
    return (wanted or list(found))[:MAX_QUERY_TERMS]


# -- small facts ---------------------------------------------------------------------------------------------------

_HAN_RUN = re.compile(f"[{_HAN}]+")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def flat(text: str) -> str:
    """NFKC, casefold, every run of white space one blank: for comparing texts."""
    return _SPACE.sub(" ", _normal(text)).strip()


def fingerprint(*texts: str) -> str:
    """20 hex digits that stand for these texts, for ids that follow from what something says."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:20]


def language(text: str) -> Literal["zh", "en"]:
    """``zh`` when Han characters are at least as many as Latin words, or form a clause that makes up a sixth."""
    runs = _HAN_RUN.findall(text)
    if not runs:
        return "en"
    han, words = sum(map(len, runs)), len(_LATIN_WORD.findall(text))
    clause = max(map(len, runs)) >= 6
    return "zh" if han >= words or (clause and han * 5 >= words) else "en"


_QUESTION = re.compile(r"[?？][^\w?？]*(?:\[[^\]]*\][^\w]*)?$")


def mostly(texts: Iterable[str]) -> Literal["zh", "en"]:
    """The language that more than half of these texts are in; ``en`` where none is."""
    said = [language(text) for text in texts]
    return "zh" if 2 * said.count("zh") > len(said) else "en"


def asks(text: str) -> bool:
    """Whether a text ends in a question; marks, emoji and something in square brackets may follow it."""
    end = text[-300:]
    return ("?" in end or "？" in end) and bool(_QUESTION.search(end))  # most have neither: ten times faster


def check_text(field: str, value: object) -> str:
    """Gives back ``value`` when it is text that every store and model can take.

    Raises:
        InvalidInput: not a string, or NUL or half a surrogate pair in it; says where, and how to mend it.
    """
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if (at := value.find("\0")) >= 0:
        raise InvalidInput(
            field, f'has a NUL character at position {at}; remove it, for example text.replace("\\0", "")'
        )
    if not value.isascii() and (half := _SURROGATE.search(value)):
        raise InvalidInput(
            field,
            f"has half a character (lone surrogate U+{ord(half[0]):04X}) at position {half.start()}; mend it with "
            'text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")',
        )
    return value


# -- characters that a reader sees -----------------------------------------------------------------------------------

_PICTURE_RE = re.compile(f"[\u00a9\u00ae\u2122\u2190-\u21ff{_PICTURE}]")
_FLAG_RE = re.compile(f"[{_FLAG}]")
_LEADING_JAMO = re.compile("[\u1100-\u115f\ua960-\ua97c]")
_AFTER_LEADING = re.compile("[\u1100-\u11a7\ua960-\ua97c\uac00-\ud7c6]")
_SYLLABLE = re.compile("[\u1160-\u11ff\uac00-\ud7fb]")
_TRAILING_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7fb]")
_EXTENDS = re.compile(f"[\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f{_TONE}{_TAG}\U000e0100-\U000e01ef]")


def _extends(char: str) -> bool:
    return bool(_EXTENDS.match(char)) or unicodedata.category(char) in ("Mn", "Mc", "Me")


def _joined(text: str, index: int) -> bool:
    """Whether the characters on both sides of ``index`` belong to one that a reader sees (after UAX 29)."""
    left, right = text[index - 1], text[index]
    if right < "\u0300" and left < "\u0300":
        return left == "\r" and right == "\n"
    if unicodedata.category(left) == "Cc":
        return False
    if _extends(right):
        return True
    if left == _JOINER and _PICTURE_RE.match(right):
        return True
    if "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff":
        return True
    if _LEADING_JAMO.match(left):
        return bool(_AFTER_LEADING.match(right))
    if _SYLLABLE.match(left):
        return bool(_TRAILING_JAMO.match(right))
    return unicodedata.combining(left) == 9 and right.isalpha()  # a virama joins two consonants


def cut_point(text: str, index: int) -> int:
    """The largest place to cut at or before ``index`` that parts no character a reader sees.

    Keeps together: surrogate halves, CR LF, combining marks, variation selectors, skin tones, joined emoji, flags,
    Hangul jamo, Indic conjuncts.  0 when the first such character alone is longer than ``index``.
    """
    if index >= len(text):
        return len(text)
    while index > 0:
        if _FLAG_RE.match(text[index]) and _FLAG_RE.match(text[index - 1]):
            start = index
            while start > 0 and _FLAG_RE.match(text[start - 1]):
                start -= 1
            return index - (index - start) % 2
        if not _joined(text, index):
            return index
        index -= 1
    return 0

"""Proper names in English: words with a capital that stand where an ordinary word would have none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jiyi.grounding.plain import plain
from jiyi.rules.english_proper_words import (
    AFTER,
    ENDINGS,
    EPITHETS,
    FUNCTION,
    GENERIC,
    JOINS_OF,
    KINDS,
    ORDINARY,
    TECHNOLOGIES,
    TITLES,
    UNIT_DOES,
    UNITS,
    several,
)
from jiyi.rules.english_relation_words import VERBS
from jiyi.rules.english_words import NATIONS
from jiyi.rules.found import Name, Span, Stretch
from jiyi.rules.own import BLANK

_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de"
_ANY = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f0-9"
_WORD = re.compile(
    rf"(?<![{_ANY}_@#/.&'-])(?:(?:Mrs?|Ms|Dr|Prof|St|[A-Z])\.(?=\s[{_UPPER}])"
    rf"|(?:[{_UPPER}]|[a-z]{{1,3}}[A-Z])[{_ANY}]*+(?:['&-][{_ANY}]++|\.(?:js|net|io|ai|py|com)\b)*+(?:\+\+|\#)?+)"
    rf"(?![_@/]|-(?:$|\W))"
)
_BETWEEN = re.compile(
    r" (?:(?P<of>of (?:the )?)|(?P<for>for (?:the )?)|(?P<and>and )|& "
    r"|(?:de|del|della|di|da|du|van|von|der|den|ter|bin|al) (?:(?:la|der|den) )?)?"
)
_FIRM_ENDS = frozenset(["sons", "partners", "company", "co", "associates", "daughters", "brothers"])
_WHOLE = several("university bank institute college school hospital authority airlines museum academy")
_OFFICE = several("department ministry institute university school college board faculty council office")
_CODE = re.compile(r"(?:[A-Z]{1,5}-?\d{3,}[A-Z\d]*|[A-Z]{1,6}\d?-[A-Z]?\d{2,}[A-Z\d]*)(?:-[A-Z\d]+)*")
_LABEL = re.compile(
    r"\b(?:numbers?|codes?|password|plate|account|(?:my|the|our|this|an) order|invoice|parcel"
    r"|tracking|booking|reference|confirmation|id|room"
    r"|seat|gate|flight|policy|ticket|case|locker|passport|serial|extension|card|zip|postcode)\b[^,;.]{0,16}$"
)
_OBTAINS = re.compile(
    r"\b(?:order|orders|ordered|buy|bought|purchased?|reorder|stock|sells?|sold|install(?:ed)?|replace[ds]?)\b"
)
_KIND = re.compile(rf"\b({'|'.join(sorted(map(re.escape, KINDS), key=len, reverse=True))})( called| named)? $")
_FIRMS = several("company startup firm team organisation organization")
_AFTER = re.compile(rf" ({'|'.join(sorted(map(re.escape, AFTER), key=len, reverse=True))})\b(?!')")
_LOOSE = several("ruby swift spring express unity dart julia jenkins kafka cassandra spark rails go rust")
_START = re.compile(r"(?:^|[.!?:;…\n\u3002\uff01\uff1f]|[-*•])[\s\"'(\[*_-]*$")
_VERBS_WORDS = (
    "hasn't is was has had will would can cannot doesn't does did didn't isn't wasn't won't said says tells told "
    "asked asks lives lived likes loves hates works worked wants wanted needs moved moves bought got plans prefers "
    "called calls met knows studies teaches owns drives runs plays speaks visited came went goes thinks started "
    "founded created wrote writes built builds made makes leads led uses used joined acquired approved manages "
    "reports reported supplies supplied hired left depends requires competes belongs published publishes develops "
    "developed designed launched maintains invested insures prescribed married graduated supports recommended "
    "suggested offered gave sent helped agreed no never"
)
_VERBS = several(_VERBS_WORDS) | {phrase.split()[0] for phrase, says in VERBS.items() if not says[0].passive}
_STRONG = re.compile(
    r" (?:uses|depends on|runs on|relies on|was (?:acquired|founded|created|written|built|developed) by"
    r"|(?:is|isn't) (?:not |no longer )?(?:written|built)"
    r"|has a (?:subsidiary|backend|frontend)|\(|competes with|belongs to)\b"
    r"|, (?:acquired|founded|based|led|owned|built|written|a|an) "
    r"|,? (?:aka|also known as|who) |, (?:my|our) |, [A-Z]\w+(?:'s| for short)| and (?:I|[A-Z][a-z]+) [a-z]"
)
_PLAIN = re.compile(r"[A-Za-z][\w'-]*")
_SHORT = re.compile(r"'(?:re|ve|ll|d|m|t)$", re.IGNORECASE)
_SMALL = re.compile(r"(?<![\w'])[a-z][a-z'-]+")
_QUOTED = re.compile(r"\"([^\"\n]{3,40})\"")
_SMALL_IN = several("of the and a an in on for to with de la & at from by")
_LEVEL = re.compile(r"[A-Z]\d{1,2}")
_DRUG = re.compile(
    r"\w{3}(?:in|ol|ide|ine|pril|zole|pam|lam|mab|vir|fen|artan|one|ate|oxetine|traline|tidine|mide|lone|xaban|gliptin)$"
)
_DOSE = re.compile(r" \d+(?:\.\d+)? ?(?:mg|mcg|ml|units|g)\b")
_TAKES = re.compile(r"\b(?:take|takes|taking|i'm on|i am on|is on|prescribed|prescribed me|put me on|switched me to) $")
_TWO = re.compile(r"\s+([a-z]+ [a-z]+)")
_FROM_UNIT = re.compile(rf" from (?:the )?(?:{UNITS}) (?:{UNIT_DOES})\b", re.IGNORECASE)
_NEXT = re.compile(r"\s+([a-z']+)")
_ENDED = re.compile(r"(?:ing|ly|ed|tion|sion|ment|ness|ity|ies|ally|ful|less|ous|ive|able)$")


class Word(NamedTuple):
    """A word with a capital; ``low`` without a point."""

    start: int
    end: int
    low: str


def small_words(stretches: Iterable[Stretch]) -> frozenset[str]:
    """The words that a message writes in small letters: the same with a capital is hardly a name."""
    return frozenset(word for one in stretches for word in _SMALL.findall(one.text, one.start, one.end))


def proper(stretch: Stretch, known: frozenset[str], small: frozenset[str]) -> list[Name]:
    """The proper names of a stretch, in order, with the type that their own words or those beside them tell.

    ``known``: names in small letters that are surely ones elsewhere in the message; they may begin a sentence.
    ``small``: see ``small_words``.
    """
    start = stretch.start
    cased = plain(stretch.text[start : stretch.end])
    if _shouts(cased):
        return []
    found = _titles(stretch, cased) if '"' in cased else []
    covered = [(name.start - start, name.end - start) for name in found]
    for run in _runs(cased):
        if any(begin <= run[0].start < end for begin, end in covered):
            continue
        for words in _pieces(run, cased, known, first=_starts(cased, run[0].start)):
            if len(words) == 1 and words[0].low in small and not _odd(cased, words[0]):
                continue
            if name := _name(stretch, cased, words):
                found.append(name)
    return sorted(found, key=lambda name: name.start)


def _titles(stretch: Stretch, cased: str) -> list[Name]:
    """What stands in quotes and is written as a title: "The Pursuit of Happyness"."""
    found: list[Name] = []
    for quoted in _QUOTED.finditer(cased):
        start, end = (stretch.start + at for at in quoted.span(1))
        if BLANK not in stretch.low[start:end] and _titled(quoted[1].split()):
            found.append(Name(start, end))
    return found


def _titled(words: list[str]) -> bool:
    written = all(word[0].isupper() or word in _SMALL_IN for word in words)
    return written and words[0][0].isupper() and sum(word[0].isupper() for word in words) > 1


def _shouts(cased: str) -> bool:
    """Whether most words have capitals, so that they tell nothing: a headline, or shouting."""
    words = _PLAIN.findall(cased)
    high = [word for word in words if word[0].isupper()]
    if len(words) < 4 or len(high) * 5 < len(words) * 3:
        return False
    return len(high) == len(words) or any(word.lower() in FUNCTION and word != "I" for word in high if word != words[0])


def _runs(cased: str) -> Iterator[list[Word]]:
    """Words with a capital that stand together, "of" and the like between them."""
    run: list[Word] = []
    for found in _WORD.finditer(cased):
        if _SHORT.search(found[0]):  # "They're"
            continue
        end = found.end() - 2 if found[0][-2:].lower() == "'s" else found.end()
        word = Word(found.start(), end, found[0][: end - found.start()].lower().rstrip("."))
        if run and not _goes_on(cased, run, word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _goes_on(cased: str, run: list[Word], word: Word) -> bool:
    last = run[-1]
    gap = _BETWEEN.fullmatch(cased, last.end, word.start)
    if gap is None:
        return False
    if gap["of"]:
        return last.low in JOINS_OF or (last.low in ENDINGS and ENDINGS[last.low] == "organisation")
    if gap["for"]:
        return len(run) > 1 and ENDINGS.get(last.low) == "organisation"
    if gap["and"]:
        return word.low in _FIRM_ENDS or any(one.low in _OFFICE for one in run[:-1])
    return not (gap[0] == " & " and last.low in GENERIC)


def _starts(cased: str, at: int) -> bool:
    return at == 0 or bool(_START.search(cased[max(0, at - 8) : at]))


def _pieces(run: list[Word], cased: str, known: frozenset[str], *, first: bool) -> Iterator[list[Word]]:
    """The names in a run: without what only begins the sentence, parted at weekdays and the like."""
    if first and len(run) > 1 and run[0].low in ORDINARY and run[0].low not in TITLES:
        named_so = run[0].low in JOINS_OF or run[0].low in NATIONS or run[0].low in EPITHETS or run[1].low in ENDINGS
        if run[0].low in FUNCTION or not named_so:
            run, first = run[1:], False
    piece: list[Word] = []
    for place, word in enumerate(run):
        followed = place + 1 < len(run) and run[place + 1].low not in GENERIC
        adjective = word.low in NATIONS and followed and (not piece or word.low == "new")
        initial = cased[word.end - 1] == "." and word.low not in TITLES
        if word.low in GENERIC and word.low not in TITLES and not adjective and not initial:
            if piece:
                yield piece
            piece = []
        else:
            piece.append(word)
    alone = first and len(piece) == 1 and len(run) == 1
    if piece and not (alone and piece[0].low not in known and not _surely(cased, piece[0])):
        yield piece


def _odd(cased: str, word: Word) -> bool:
    """Whether it is written as no ordinary word is: MGA, FastAPI, node.js."""
    said = cased[word.start : word.end]
    return sum(map(str.isupper, said)) > 1 or any(map(str.isdigit, said)) or "." in said or word.low in TECHNOLOGIES


def _surely(cased: str, word: Word) -> bool:
    """Whether a word at the start of a sentence is a name: by its writing, or by the verb behind it."""
    if _odd(cased, word) and word.low not in _LOOSE:
        return True
    if word.low in ORDINARY or len(word.low) < 3:
        return False
    if word.low in TECHNOLOGIES or cased[word.end : word.end + 2] == "'s" or _STRONG.match(cased, word.end):
        return True
    two = _TWO.match(cased, word.end)
    if two and two[1] in VERBS:
        return True
    if _ENDED.search(word.low):
        return False
    if _FROM_UNIT.match(cased, word.end):
        return True
    behind = _NEXT.match(cased, word.end)
    return behind is not None and behind[1] in _VERBS


def _name(stretch: Stretch, cased: str, words: list[Word]) -> Name | None:
    """The name that some words are, with its type; None where all of them are ordinary."""
    title: Span = (0, 0)
    after = stretch.start
    while words and words[0].low in TITLES:
        title = (after + words[0].start, after + words[0].end)
        words = words[1:]
    if not words or len(words) > 8:
        return None
    start, end = words[0].start, words[-1].end
    said = cased[start:end]
    plainly = sum(map(str.isupper, said)) > len(words) or any(map(str.isdigit, said))
    ordinary = all(word.low in ORDINARY for word in words)
    if ordinary and not any(title) and not (len(words) > 1 and words[-1].low in _WHOLE):
        return None
    if BLANK in stretch.low[after + start : after + end] or (len(said) < 2 and not any(title)):
        return None
    if _LEVEL.fullmatch(said) or ("-" in said and words[0].low.split("-")[0] in NATIONS):
        return None
    code = _CODE.fullmatch(said)
    low = stretch.low[after : stretch.end]
    if code and _LABEL.search(low, max(0, start - 60), start):
        return None
    type_ = "person" if any(title) else _type(cased, low, words, code=bool(code), plainly=plainly)
    return Name(after + start, after + end, type_, title)


def _type(cased: str, low: str, words: list[Word], *, code: bool, plainly: bool) -> str:
    """What a thing is by the last word of its name, by a noun beside it, or because everybody knows."""
    start, end = words[0].start, words[-1].end
    if code:
        return "product" if _OBTAINS.search(low, max(0, start - 60), start) else ""
    if len(words) > 1:
        if words[-1].low in _FIRM_ENDS or (words[0].low in _OFFICE and " of " in cased[start:end]):
            return "organisation"
        if words[-1].low in ENDINGS:
            return ENDINGS[words[-1].low]
        if words[0].low in ENDINGS and cased[words[0].end : words[0].end + 4] == " of ":
            return ENDINGS[words[0].low]
    if (behind := _AFTER.match(low, end)) and not cased[start:end].isupper():
        return KINDS.get(behind[1], "organisation")
    before = _KIND.search(low, max(0, start - 40), start)
    if before and (before[2] or before[1] in AFTER - _FIRMS or not _NEXT.match(low, end)):
        return KINDS.get(before[1], "")
    single = words[0].low
    if (
        len(words) == 1
        and _DRUG.search(single)
        and (_DOSE.match(low, end) or _TAKES.search(low, max(0, start - 30), start))
    ):
        return "product"
    known = len(words) == 1 and single in TECHNOLOGIES and single not in _LOOSE
    return "technology" if known and (plainly or single not in ORDINARY) else ""


def written_so(text: str, span: Span) -> Span | None:
    """The place, where each word has a capital and not all are ordinary ones."""
    words = plain(text[slice(*span)]).split()
    ordinary = all(word.lower().strip(".,'") in ORDINARY for word in words)
    return span if words and not ordinary and all(word[0].isupper() for word in words) else None


def in_value(text: str, span: Span, *, first: bool) -> Span | None:
    """The name in a value within a sentence; ``first``: only where it begins with one."""
    cased = plain(text[slice(*span)])
    for run in _runs(cased):
        if first and cased[: run[0].start].strip().lower() not in ("", "the"):
            return None
        for words in _pieces(run, cased, frozenset(), first=False):
            start, end = span[0] + words[0].start, span[0] + words[-1].end
            ordinary = all(word.low in ORDINARY for word in words)
            if ordinary or text[end : end + 2].lower() in ("'s", "\u2019s"):
                return None
            return start, end
    return None

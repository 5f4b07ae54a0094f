"""English clauses: who it is about, then what follows, chosen by the verb."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jiyi.rules.english_phrases import phrases
from jiyi.rules.english_values import Verb, cut, value_of
from jiyi.rules.english_verbs import VERBS
from jiyi.rules.english_words import ADVERBS, BE, LEMMAS, NATIONS, NEGATIONS, NUMBERS, PETS, PROMISES, RELATIONS
from jiyi.rules.found import Clause, Found, Talk

_REL = "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True))
SUBJECT = re.compile(
    rf"\b(?:(?P<me>i|we|im)(?=[' ]|m )|(?P<my>my|our)\s(?:[\w'-]+\s){{0,2}}?(?P<rel>{_REL})(?=[\s',.!]|$)"
    r"|(?P<pro>he|she|it|they)(?=[' ])|(?P<you>you|your)\b)",
    re.ASCII,
)
_WORD = re.compile(r"\s*('[a-z]+|[a-zé]+(?:[-'][a-zé]+)*|\d[\w.,:/-]*)")
_NAME_AFTER = re.compile(r",? ([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)")
_SAID_BY = re.compile(
    r"\b(?:says?|said|tells?|told|thinks?|thought|asks?|asked|claims?|claimed|insists?|heard|reads?"
    r"|wrote|believes?|believed"
    r"|assumes?|suggests?|suggested|recommended|recommends?|feels? like|dreamt|dreamed|hopes?|wonders?"
    r"|remind(?:s|ed)|want me|wants)\b"
)
_I_AM = re.compile(r"(?:^|[\s,(])i(?:'m| am) (?=[a-z])")
_CAPITAL = re.compile(r"([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)(?=$|[,.!]|\s*$| (?:and|from)\b)")
_MY_PETS = re.compile(rf"\b(?:my|our) ((?:(?:\d+|{NUMBERS}|old|little|new|young|big) )*(?:{PETS.replace(' ', '|')}))\b")
_HAS_NAME = re.compile(r"'s? (?:full |first |last )?name is (?!not\b)")
_TAIL_ENDS = re.compile(r"\b(?:any ?more|any longer|these days no more)\b")


def english(clause: Clause, talk: Talk) -> list[Found]:
    """What a clause states, in order; an empty list for nothing that the rules know."""
    found = list(phrases(clause))
    if found and found[0].ends:
        return found
    subject = SUBJECT.search(clause.low, clause.start, clause.end)
    if subject and not subject["you"] and not _SAID_BY.search(clause.low, clause.start, subject.start()):
        found += _of(clause, subject, talk)
    return found


def _of(clause: Clause, subject: re.Match[str], talk: Talk) -> Iterator[Found]:
    low, who, at = clause.low, "user", subject.end()
    if subject["rel"]:
        who = talk.third = subject["rel"]
        named = _NAME_AFTER.match(clause.text, at, clause.end)
        if named and named[1].lower() not in NATIONS:
            at = named.end()
            if RELATIONS[who] == "pet":
                yield Found("pet", clause.said(subject.start("rel"), at))
            else:
                yield Found("name", named[1], who)
        elif pets := _MY_PETS.match(low, subject.start(), clause.end):
            yield Found("pet", clause.said(pets.start(1), pets.end(1)))
        if owned := _HAS_NAME.match(low, at, clause.end):
            yield Found("name", cut(clause, owned.end()), who)
            return
    elif subject["pro"]:
        if not talk.third:
            return
        who = talk.third
    elif named := _introduced(clause):
        yield Found("name", named)
    yield from _said(clause, at, who)


def _introduced(clause: Clause) -> str:
    """The name in "I'm Anna", which looks like "I'm Italian"."""
    found = _I_AM.search(clause.low, max(0, clause.start - 1), clause.end)
    name = found and _CAPITAL.match(clause.text, found.end(), clause.end)
    return name[1] if name and not NATIONS.intersection(name[1].lower().split()) else ""


class Predicate(NamedTuple):
    """A verb with what stands before it.

    Attributes:
        word: as it stands, in lower case.
        start, end: where.
        negated, ends: "not", "no longer".
        modal: ``plan``, ``task`` or ``would``, by the auxiliary.
    """

    word: str
    start: int
    end: int
    negated: bool
    ends: bool
    modal: str


def _predicate(clause: Clause, at: int) -> Predicate | None:
    """Reads auxiliaries, adverbs and negation up to the verb."""
    low, negated, ends, modal = clause.low, False, False, ""
    for _ in range(9):
        token = _WORD.match(low, at, clause.end)
        if token is None:
            return None
        word, at = token[1], token.end()
        if over := _OVER.match(low, token.start(), clause.end):
            ends, at = True, over.end()
        elif word in NEGATIONS:
            negated = True
            modal = modal or _MODALS.get(word, "")
        elif word in _MODALS:
            modal = modal or _MODALS[word]
        elif not _helps(low, word, at, clause.end):
            if word in BE and (after := _NOT.match(low, at, clause.end)):
                negated, ends, at = not after[2], bool(after[2]), after.end()
            ends = ends or bool(negated and _TAIL_ENDS.search(low, at, clause.end))
            return Predicate(word, token.start(1), at, negated, ends, modal)
    return None


def _helps(low: str, word: str, at: int, end: int) -> bool:
    """Whether a word only helps the verb that follows: "am" living, "have" moved, "really"."""
    if word in ("have", "has", "had"):
        return bool(_PARTICIPLE.match(low, at, end)) and not _GOT.match(low, at, end)
    if word in BE:
        found = _DOING.match(low, at, end)
        return bool(found and LEMMAS.get(found[1]))
    if word == "'ve":
        return not _GOT.match(low, at, end)
    return word in ADVERBS or word in _AUXILIARY


def _said(clause: Clause, at: int, who: str) -> Iterator[Found]:
    """What the verb says, and further verbs joined to it."""
    for place in range(4):
        verb = _predicate(clause, at)
        if verb is None or verb.modal == "would":
            return
        one = _by_verb(clause, verb, who)
        yield from one
        if not one and place == 0 and who == "user" and not verb.negated and _meant(clause, verb):
            yield Found(verb.modal, clause.said(verb.start, clause.end))
        joined = next(
            (m for m in _AND.finditer(clause.low, verb.end, clause.end) if m[1] != "like" and LEMMAS.get(m[1])), None
        )
        if joined is None:
            return
        at = joined.start(1) - 1


def _meant(clause: Clause, verb: Predicate) -> bool:
    """Whether "will" and "must" promise something: "I'll call the bank", not "I'll try that"."""
    if verb.modal not in ("plan", "task"):
        return False
    return verb.word in _PROMISES or bool(_DAY.search(clause.low, verb.end, clause.end))


_PROMISES = frozenset(PROMISES.split())
_DAY = re.compile(
    r"\b(?:tomorrow|tonight|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next (?:week"
    r"|month|year)|january|february|march|april|june|july|august|september"
    r"|october|november|december|\d+(?:st|nd|rd|th)|at \d)"
)


def _by_verb(clause: Clause, verb: Predicate, who: str) -> list[Found]:
    found: list[Found] = []
    for reading in VERBS.get("be" if verb.word in BE else LEMMAS.get(verb.word, ""), ()):
        if one := value_of(reading, clause, verb.end, who):
            if not (verb.negated and one.attribute in _NOT_DENIED) and not (
                one.attribute == "name" and not one.value[:1].isupper()
            ):
                found.append(_with(one, reading, verb))
            if "x" in reading.pattern.groupindex:
                left = reading.pattern.match(clause.low, verb.end, clause.end)
                if left and left["x"]:
                    found.append(
                        Found(reading.attribute, cut(clause, left.start("x"), end=left.end("x")), who, ends=True)
                    )
            if not reading.more:
                break
    return found


_GOT = re.compile(r"\s+got\b")
_NOT = re.compile(r"\s+(?:(not|never)|(no longer))\b(?: (?:really|even|just|actually|so|very|that))*")
_OVER = re.compile(r"\s*(?:no longer|used to|not anymore)\b(?= )")
_AND = re.compile(r"\s(?:and|but|then) (?:also |then |now |just |recently |really )?([a-z]+)\b")
_MODALS = {
    "will": "plan", "'ll": "plan", "shall": "plan", "gonna": "plan", "must": "task", "should": "would",
    "would": "would",
    "'d": "would", "could": "would", "may": "would", "might": "would", "gotta": "task",
}  # fmt: skip
_AUXILIARY = frozenset(["do", "does", "did", "can", "to"])
_PARTICIPLE = re.compile(
    r"\s+(?:(?:already|just|always|never|recently|only|also|not|now|still|finally|ever|since) )*"
    r"(?:been|got|gone|done|had|made|met|seen|eaten|drunk|taken|given|known|bought|sold|lost|left|come"
    r"|become|begun|chosen|"
    r"decided|moved|\w{3,}ed)\b"
)
_DOING = re.compile(
    r"\s+(?:(?:now|currently|still|just|really|also|actually|not|always|only|never|no longer|already"
    r"|been) )*(\w+ing|going to|gonna|supposed to|to)\b"
)


def _with(one: Found, reading: Verb, verb: Predicate) -> Found:
    if reading.stops or not (verb.ends or verb.negated or verb.modal):
        return one
    if verb.ends:
        return one._replace(ends=True)
    if verb.negated:
        negative = reading.negative
        return one._replace(attribute=negative or one.attribute, negated=negative in ("", "diet"))
    if verb.modal == "plan" and one.attribute not in _AHEAD:
        return one._replace(attribute="plan", importance=None, begins=False)
    return one


_NOT_DENIED = frozenset(["decision", "appointment", "task", "goal", "deadline"])
_AHEAD = frozenset(["task", "goal", "appointment", "deadline", "decision", "name"])

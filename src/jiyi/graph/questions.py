"""What a question asks of relations: their words and the kinds of ends, in both languages.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from jiyi.graph.names import Named, named, rest, without_manners
from jiyi.graph.values import Entity, Relation
from jiyi.relation_types import RELATIONS
from jiyi.text import flat, terms

_SURE, _LIKELY, _WEAK = 1.0, 0.8, 0.4
"""How much a word tells of the relation: its own words, their stems, and words that say much else."""

_VAGUE = frozenset(
    (
        *("own", "needs", "make", "made", "home", "school", "child", "run", "runs", "work", "works"),
        *("from", "is from"),
        *("公司", "单位", "学校", "包括", "包含", "需要", "属于", "管理", "领导", "老板", "合作"),
    )
)
_NOTHING = frozenset(("在", "is in", "is on", "has", "is for"))
"""What stands in questions of every kind."""

_KIN = 0.7
KIN: Mapping[str, tuple[str, ...]] = {
    "backend": ("uses", "depends_on"),
    "frontend": ("uses", "depends_on"),
    "database": ("uses", "depends_on"),
    "depends_on": ("uses",),
    "uses": ("depends_on", "backend", "frontend", "database"),
    "leads": ("created", "works_on"),
    "created": ("leads",),
    "works_at": ("member_of",),
    "member_of": ("works_at", "part_of"),
    "part_of": ("member_of", "subsidiary_of"),
    "subsidiary_of": ("part_of",),
    "lives_in": ("located_in",),
    "treats": ("takes", "prescribed"),
    "takes": ("treats",),
}
"""Relation -> others, of which a question may speak and mean this one; it counts for ``_KIN`` of those."""

_TYPES: Mapping[str, str] = {
    "person": r"\b(?:who|whom|whose|person|people|colleagues?|friends?)\b|谁|哪位|哪些人|什么人|哪个人",
    "organisation": r"\b(?:compan(?:y|ies)|organi[sz]ations?|firms?|agenc(?:y|ies)|teams?|employers?|insurers?"
    r"|suppliers?|customers?|hospitals?|clinics?|universit(?:y|ies)|banks?|publishers?)\b"
    r"|公司|机构|组织|单位|企业|团队|供应商|客户|医院|诊所|大学|银行|出版社",
    "project": r"\b(?:projects?|initiatives?|repos?(?:itor(?:y|ies))?)\b|项目|工程|仓库",
    "technology": r"\b(?:technolog(?:y|ies)|frameworks?|librar(?:y|ies)|languages?|tools?|stack|backends?|frontends?"
    r"|databases?)\b|技术|框架|语言|工具|后端|前端|数据库",
    "product": r"\b(?:products?|devices?|models?|medicines?|drugs?|tablets?)\b|产品|型号|设备|药",
    "place": r"\b(?:where|cit(?:y|ies)|countr(?:y|ies)|places?|towns?|locations?)\b|哪里|哪儿|在哪|城市|国家|地方|何处",
}
_FOCUS = re.compile(
    r"\b(?:which|what(?:'s| is| are)?|whose|name)\s+(?:the |is |are |of )*((?:[\w-]+\s*){1,3})"
    r"|([\u4e00-\u9fff]{1,6})(?:叫什么|是什么|是谁|是哪|是多少|有哪些|用什么|用的什么)"
    r"|(?:什么|哪个|哪家|哪些|哪种|哪款)([\u4e00-\u9fff]{1,4})"
)
_SUBJECT = re.compile(r"^\W*(?:who|which|what)\b(?!\W+(?:[\w-]+\W+)?(?:do|does|did|is|are|was|were|has|have|can)\b)")
_ASKS_ZH = re.compile(r"谁|哪位|哪个|哪家|哪些|什么")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, as far as relations can answer it.

    Attributes:
        text: as it was asked.
        named: the names in it, in order.
        relations: names of the relations that it speaks of -> how surely.
        spoken: the same, each with the others that the same words may mean.
        types: kinds of entities that it speaks of.
        ends: of these relations and kinds, what it asks for.
        terms: what else it says, as index terms.
        ends_terms: those of what it asks for.
        backwards: what it asks for is the head: "who reports to Lin?"; None where it does not say.
    """

    text: str
    named: tuple[Named, ...] = ()
    relations: Mapping[str, float] = field(default_factory=dict[str, float])
    spoken: tuple[tuple[frozenset[str], float], ...] = ()
    types: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()
    ends_terms: frozenset[str] = frozenset()
    backwards: bool | None = None


def question_of(text: str, names: Mapping[str, Sequence[str]]) -> Question:
    """Reads a question; ``names`` as for ``names.named``."""
    found = named(text, names)
    said = rest(text, found)
    focus, ends = _focus(said)
    ends |= _types(said) & {"person"} if re.search(r"\bwho(?:m|se)?\b|谁|哪位", said) else set()
    ends |= _types(said) & {"place"} if re.search(r"\bwhere\b|哪里|哪儿|在哪|何处", said) else set()
    spoken = _spoken(said)
    sure: dict[str, float] = {}
    for names_, weight in spoken:
        sure |= {name: max(weight, sure.get(name, 0.0)) for name in names_}
    return Question(
        text,
        tuple(found),
        sure,
        tuple(spoken),
        frozenset(_types(said)),
        frozenset(ends),
        frozenset(terms(said)) if said else frozenset(),
        frozenset(terms(focus)) if focus else frozenset(),
        _backwards(text, said, found),
    )


def _focus(said: str) -> tuple[str, set[str]]:
    """The words of what is asked for, and the relations and kinds that they name; in Chinese the noun comes last."""
    parts = [part for match in _FOCUS.finditer(said) for part in match.groups() if part]
    ends: set[str] = set()
    for part in parts:
        tails = (part,) if part.isascii() else (part[-2:], part[-3:], part)
        for tail in tails:
            if found := {name for names, _ in _spoken(tail) for name in names} | _types(tail):
                ends |= found
                break
    return " ".join(parts), ends


def _backwards(text: str, said: str, found: Sequence[Named]) -> bool | None:
    if asks := _ASKS_ZH.search(without_manners(text)):
        return bool(found) and asks.start() < found[0].start
    if _SUBJECT.match(said):
        return True
    return False if re.match(r"^\W*(?:who|which|what|where)\b", said) else None


def _types(text: str) -> set[str]:
    return {name for name, words in _TYPES.items() if text and re.search(words, text)}


def _spoken(text: str) -> list[tuple[frozenset[str], float]]:
    """The relations that a text in ``flat`` writing speaks of: of words within each other the longest counts."""
    if not text:
        return []
    found: list[tuple[frozenset[str], float]] = []
    taken: list[tuple[int, int]] = []
    for _, pattern, weight, names in _phrases():
        for match in pattern.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in taken):
                taken.append(match.span())
                found.append((names, weight))
    left = list(text)
    for start, end in taken:
        left[start:end] = " " * (end - start)
    said = terms("".join(left)).keys() if "".join(left).strip() else ()
    return found + [(names, weight) for stems, weight, names in _stems() if stems <= set(said)]


@cache
def _words() -> dict[str, set[str]]:
    """Word in ``flat`` writing -> the relations that it may mean, in whatever direction."""
    words: dict[str, set[str]] = {}
    for one in RELATIONS.values():
        for said in (one.name, one.en, one.zh, *one.words, *one.reverse):
            if (word := _plain(said)) not in _NOTHING:
                words.setdefault(word, set()).add(one.name)
    return words


def _plain(said: str) -> str:
    """A word as it stands in a question; of one with a gap the longer part."""
    parts = [part.strip() if part.isascii() else part.strip("的是了由被与以为向在 ") or part
             for part in flat(said).replace("_", " ").split("...")]  # fmt: skip
    return max(parts, key=len)


def _sure(word: str, weight: float) -> float:
    return min(weight, _WEAK) if word in _VAGUE or (len(word) < 2 and not word.isascii()) else weight


@cache
def _phrases() -> list[tuple[str, re.Pattern[str], float, frozenset[str]]]:
    found: list[tuple[str, re.Pattern[str], float, frozenset[str]]] = []
    for word, names in _words().items():
        pattern = re.compile(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word))
        found.append((word, pattern, _sure(word, _SURE), frozenset(names)))
    return sorted(found, key=lambda one: (-len(one[0]), one[0]))


@cache
def _stems() -> list[tuple[frozenset[str], float, frozenset[str]]]:
    """What words without their endings may mean, all of the same stems together."""
    found: dict[frozenset[str], tuple[float, set[str]]] = {}
    for word, names in _words().items():
        if word.isascii():
            weight, known = found.get(stems := frozenset(terms(word)), (0.0, set[str]()))
            found[stems] = max(weight, _sure(word, _LIKELY)), known | names
    return [(stems, weight, frozenset(names)) for stems, (weight, names) in found.items()]


@cache
def _label_terms() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(terms(f"{one.en} {one.zh}")) for name, one in RELATIONS.items()}


def fit(question: Question, relation: str, text: str, names: Iterable[str]) -> float:
    """How well a relation fits the words of a question, 0..1.

    Args:
        question: what is asked.
        relation: its name.
        text: the clause that states it.
        names: of its ends; that they stand in the clause says nothing.
    """
    sure = question.relations.get(relation, 0.0)
    sure = max([sure, *(_KIN * question.relations.get(kin, 0.0) for kin in KIN.get(relation, ()))])
    if sure:
        return sure
    known = RELATIONS.get(relation)
    if known and known.tail == "place" and "place" in question.ends:
        return _WEAK
    if not question.terms:
        return 0.0
    label = _label_terms().get(relation) or terms(relation).keys()
    if shared := len(label & question.terms):
        return 0.7 * shared / len(label)
    said = question.terms & terms(text).keys()
    return 0.3 if said and said - terms(" ".join(names)).keys() else 0.0


def fit_of(question: Question, relation: Relation) -> float:
    """The same of a relation whose ends are known."""
    names = (name for end in (relation.head, relation.tail) for name in end.names)
    return fit(question, relation.relation, relation.text, names)


def answers(question: Question, relation: Relation, end: Entity, *, forward: bool) -> float:
    """How well a path that ends so leads to what a question asks for, 0..1."""
    if not question.ends and not question.ends_terms:
        return 0.5 if end.type in question.types else 0.0
    known = RELATIONS.get(relation.relation)
    of_type = end.type or ((known.tail if forward else known.head) if known else "")
    if relation.relation in question.ends:
        return 1.0 if forward or known is None else 0.8
    if of_type and of_type in question.ends:  # "which backend": a technology, but a backend is nearer
        return 1.0 if RELATIONS.keys().isdisjoint(question.ends) else 0.9
    if (
        "place" in question.ends and relation.relation in question.relations and not question.ends_terms
    ):  # where somebody works
        return 0.5
    return 0.8 if question.ends_terms & terms(end.told).keys() else 0.0

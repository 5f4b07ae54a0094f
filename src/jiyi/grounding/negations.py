"""What says that something is not so, and whether a text says so of the same thing as another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jiyi.grounding.parts import clauses
from jiyi.grounding.plain import HAN, lower, plain
from jiyi.text import terms

_NONE = re.compile(
    r"\b(?:not (?:only|just|merely|bad|least|sure)|no (?:more|less|fewer|later|earlier) than"
    r""
    r"|(?:not|[a-z]+n't) (?:\w+ ){0,2}(?:more|less|fewer|longer|later|over|exceed)\b"
    r"|no (?:problem|problems|worries|doubt|wonder|idea)"
    r"|why not|if not|or not"
    r"|don't (?:forget|worry|mind|hesitate)"
    r"|do not (?:forget|worry|mind|hesitate)|never forget|can't (?:wait|help)|cannot wait|no\.? ?\d)"
    r"|不仅|不但|不只|不光|不错(?!过)|差不多|不久|对不起|没关系|没问题|没事(?!先)|没错(?!过)|没准(?![备时许])|无论|不管|不如|不用说|不得不|不可不"
    r"|了不起|不好意思|无锡|非常|非洲|无线|无聊|别人|别的|别墅|特别|区别|分别|级别|性别|告别|个别|识别|鉴别|派别|离别|类别|未来(?!得及)|未必"
    r"|不断|不少|不禁(?!止)|不免(?![费除疫])|不超过|不到(?=[\d半零一二两三四五六七八九十百千万])|不低于|不少于|不多于|不晚于|不早于|不同(?!意)"
    r"|不妨(?!碍)|不论|不过(?![敏期关夜问滤])|不然|要不(?!要)|毫不犹豫|忍不住|是不是|有没有|会不会"
    r"|能不能|要不要|可不可以|好不好|行不行|对不对|想不想|喜不喜欢|不要忘|别忘|不要忘记|勿忘|不能忘|不会忘|别担心|别客气|别急|别慌|不用担心|不客气"
    r"|不介意|不知不觉|无所谓|没什么大?事|没想到|想不到|非得|非要|除非|是非|否则|是否|不一会|没多久|不平|不锈|不动产|不倒翁"
)
"""Words that look like a negation, and are none.  Some begin another word: 不过 is "but", and 不过敏 denies."""

_BOUND = re.compile(
    r"(不|没|\b(?:not|no|never|cannot|[a-z]+n't) (?:\w+ ){0,2})?"
    r"(超过|低于|少于|多于|晚于|早于|介意|\b(?:more|less|fewer|longer|later|earlier) than\b|\bexceed)",
    re.ASCII,
)
"""Words of ``_NONE`` that may be said in other words (at most 500), but never without their negation."""

_HARD = re.compile(
    r"\b(?:not|never|no longer|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|[a-z]+n't|dont|doesnt|didnt"
    r"|cant|wont|isnt|wasnt)\b"
    r"|绝不|从不|再也不|不再|并不|毫无|不要|没有|没|未(?=[曾婚经能到满完])|无法|无(?=[人需意法])|切勿|请勿|勿"
    r"|别(?![人的墅处名称致扭针离])|从未|尚未|绝非|并非|不",
    re.ASCII,
)
"""Surely a negation."""

_OPEN = re.compile(
    r"(?:n't|not|cannot|never|no)\ (?:yet\ |really\ )?(?:know|remember|recall|sure|certain|understand|decided|idea)\b"
    r"|[不没](?:太|大)?(?:知道|记得|确定|清楚|明白|晓得|想好|决定)",
    re.ASCII,
)
"""Says that something is unknown, and not that it is not so."""

_SOFT = re.compile(
    r"\b(?:avoid\w*|quit\w*|stop\w*|hate\w*|dislik\w*|refus\w*|allerg\w*|unable|fail\w*|lack\w*|forbid\w*|forbidden"
    r"|prohibit\w*|cancel\w*|used to|former\w*|gave up|give up|giving up|against|except|only|hardly|rarely|seldom"
    r"|barely|declin\w*|reject\w*|deni\w*|deny|miss(?:ed|es)?|away from|free|intoleran\w*|skip\w*|ex|until"
    r"|unless|instead"
    r"|rather|off|vegetarian|vegan|abstain\w*|restrict\w*|banned|exclud\w*|remov\w*"
    r"|end(?:s|ed)?|left|lost|uncertain|unsure|unknown|than)\b"
    r"|\bun(?!til|less|der|it|cle|ivers|ique|ion)[a-z]{4,}\b"
    r"|讨厌|戒|忌|避免|避开|拒绝|停|过敏|禁|取消|以前|曾|放弃|除了|只|才|很少|几乎|缺|反对|远离|忘|怕|素|无|非|别|未|否|差|前|离|辞|断|免|退|反感|受不了",
    re.ASCII,
)
"""What may say the same without one: enough to ground a negation, and to be said in other words."""

_EMPTY_WORDS = (
    "user assistant i you he she they we it do does did is are was were be been am have has had will would can could "
    "should may might must to of in on at for with and or the a an that this said says mention please want 用户 助手"
)
_EMPTY = frozenset(_EMPTY_WORDS.split(" "))
_GLUE = re.compile("[我你他她它们的了在是有和与就都也吗呢吧啊个要把被给让会能可说用户助手想请这那很]")
_LATIN = re.compile(r"[a-z0-9'\u00c0-\u017f]+")
_HAN_CHAR = re.compile(f"[{HAN}]")

_SAME = 0.5
"""Share of words (Dice) from which two clauses are about the same."""


def negations(low: str) -> Iterator[tuple[int, int]]:
    """Where a text in small letters has a negation."""
    bare = _NONE.sub(_blank, low)
    for found in _HARD.finditer(bare):
        yield found.span()


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, for comparing.

    Attributes:
        words: what it is about: word stems, and Han in pairs and alone.
        denied: the words behind its negation.
        negation: the span of the first negation in the text; None without one.
        soft: its words that may say as much as a negation, their first four letters: cancel is cancelled.
        bounds: its bounds, and whether they are negated: not more than.
    """

    start: int
    end: int
    words: frozenset[str]
    denied: frozenset[str]
    negation: tuple[int, int] | None
    soft: frozenset[str]
    bounds: frozenset[tuple[str, bool]]

    def likeness(self, other: Clause) -> float:
        """How much of both is the same, 0..1."""
        shared = len(self.words & other.words)
        return 2 * shared / (len(self.words) + len(other.words)) if shared else 0.0


def read(text: str) -> list[Clause]:
    """The clauses of a text."""
    low = lower(plain(text))
    return [_clause(low, start, end) for start, end in clauses(text)]


def _clause(low: str, start: int, end: int) -> Clause:
    bare = _NONE.sub(_blank, low[start:end])
    first = _HARD.search(bare)
    begin, stop = first.span() if first else (len(bare), len(bare))
    before, behind = _words(bare[:begin]), _words(_HARD.sub(" ", bare[stop:]))
    soft = frozenset(word[:4] for word in _SOFT.findall(bare))
    bounds = frozenset((found[2], bool(found[1])) for found in _BOUND.finditer(low, start, end))
    if _OPEN.search(low, start, end):
        soft |= {"unknown"}
    denied = behind if first and "unknown" not in soft else frozenset[str]()
    return Clause(start, end, before | behind, denied, (start + begin, start + stop) if first else None, soft, bounds)


def _blank(found: re.Match[str]) -> str:
    return "\0" * len(found[0])


def _words(text: str) -> frozenset[str]:
    latin = " ".join(word for word in _LATIN.findall(text) if word not in _EMPTY)
    han = _HAN_CHAR.findall(_GLUE.sub("", text))
    return frozenset(terms(latin)) - _EMPTY | frozenset(han)


def changed(derived: list[Clause], sources: list[list[Clause]]) -> Iterator[tuple[int, int]]:
    """The spans in the derived text that deny what its sources say, or state what they deny."""
    said = [clause for clauses_ in sources for clause in clauses_]
    denies = any(clause.negation or clause.soft for clause in said)
    plainly = frozenset(word for clause in said for word in clause.words - clause.denied)
    bounds = frozenset(bound for clause in said for bound in clause.bounds)
    for clause in derived:
        if any((word, not negated) in bounds for word, negated in clause.bounds - bounds):
            yield clause.start, clause.end
            continue
        alike = [(likeness, other) for other in said if (likeness := clause.likeness(other)) >= _SAME]
        best = max((likeness for likeness, _ in alike), default=0.0)
        close = [other for likeness, other in alike if likeness >= best - _NEAR]
        if clause.negation is not None:
            if not denies or (close and not any(other.negation or other.soft - clause.soft for other in close)):
                yield clause.negation
        elif not clause.soft - frozenset(word for other in close if other.negation for word in other.soft):
            lost = close and all(other.denied & clause.words for other in close)
            if lost or any(_denies(other, clause.words - plainly) for other in said):
                yield clause.start, clause.end


def _denies(clause: Clause, words: frozenset[str]) -> bool:
    """Whether at least half of what a clause denies is among words that are said nowhere else."""
    return bool(clause.denied) and 2 * len(clause.denied & words) >= len(clause.denied)


_NEAR = 0.15
"""How much less alike another clause may be and still ground the derived one."""

"""Words that tell one subject from another, in both languages.  Pure, and linear in the text.

``telling`` gives index terms, ``phrase`` the words that would do as a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from jiyi.rules.own import BLANK
from jiyi.text import language, terms

READ = 4_000
"""Characters of a text that are looked at: what a message is about is said at its beginning."""
GENERIC = frozenset(
    word
    for line in (
        "a able about actually add advice again agree all almost also always am an and answer any anyone anything are",
        "around ask asked at away back bad be because been before begin best better big bit both but by call called",
        "came can cannot change check choose come coming could course day days did different do does doing done down",
        "each early easy either else end enough even evening ever every everything explain fact far feel few find",
        "fine first for found from full fun get getting give given go going gone good got great guess had half happy",
        "hard has have having he hear hello help her here hers hey hi him his hope hour hours how however i idea",
        "ideas if in instead interesting into is it its just keep kind knew know known large last late later learn",
        "least left less let like line list little long look looking lot lots love made main make makes making many",
        "matter maybe me mean means might mine minute minutes moment month months more morning most much must my name",
        "need needs never new next nice night no none not nothing now of off often oh ok okay old on once one only",
        "open or other others our out over own part people per perhaps person place plan plans please point possible",
        "pretty problem project put question questions quite read really recommend right said same saw say says",
        "second see seem seems sense set several shall she should show simple since small so some someone something",
        "sometimes soon sorry sort start started still stop stuff such suggest suggestions sure take taken talk tell",
        "than thank thanks that the their them then there these they thing things think this those though thought",
        "three through time times tips to today together told tomorrow tonight too took topic topics tried true try",
        "trying two under until up update us use used useful using very wait want wanted wants was way we week",
        "weekend weeks well went were what when where whether which while who whole why will with without work",
        "working works world would write wrong yeah year years yes yesterday yet you your yours decided decide",
        "decision agreed it's i'm i've i'll we're we've we'll let's don't doesn't didn't can't won't isn't that's",
        "there's what's finished booked ordered",
        "near between behind during after above below beyond against along across among besides within onto per via",
        "somewhere anywhere everywhere nowhere nothing nobody everybody somebody really quickly slowly currently",
    )
    for word in line.split()
)
"""Words that do not say what a text is about."""
_LONGEST = 8
"""Characters of a name in Chinese: 实验室天平校准."""
_GENERIC_TERMS = GENERIC.union(*(terms(word) for word in GENERIC))
FUNCTION = frozenset(
    "的了着过在是有和与就都也还没不未要想说可能会让给把被对从到向跟为因所以但而或及其之这那哪谁什么怎样多少几我你您他她它们咱"
    "吗呢吧啊呀嘛哦嗯很太更最再又才只已经将应该请帮先后来去上下里外中前些个次点些样时候一二三两做用定需得等好行找"
)
"""Characters that names are not made of."""
_ZH_VERBS = re.compile(r"^(?:学习|研究|推荐|学|做|买|吃|喝|看|找|写|去|打|开|搞|弄|选|装|换|订|办|问|聊|谈|说)+")
_ZH_EMPTY = re.compile(  # words that say nothing, and characters that begin or end what does
    "名叫|叫做|叫|今天|明天|昨天|今晚|最近|关于|聊聊|说说|谈谈|说回|回到|聊天|项目|周末|星期.?|怎么样|觉得|知道|下周.?|上周.?|开始|已经|现在|时候"
    "|事情|问题|东西|朋友|大家|决定|确定|待定|完成|准备|打算|计划|考虑|讨论|继续|目前|可以|应该|然后|或者|如果|因为|所以|但是|就是|还是"
    "|比较|一下|一些|一个|方便|麻烦|谢谢|你好|好的"
    f"|[{''.join(sorted(FUNCTION))}]"
)
_HAN_RUN = re.compile("[\u4e00-\u9fff]+|[A-Za-z][\\w+#.-]*\\w|[^\u4e00-\u9fffA-Za-z]+")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w'-]*|[^\w\s]+|\d[\w.,-]*")


class Subject(NamedTuple):
    """A name of a project or subject, and the characters of the text in which it stands."""

    name: str
    start: int
    end: int


def telling(text: str) -> Counter[str]:
    """Index terms of a text that say what it is about, and how often each stands in it."""
    return Counter({term: count for term, count in terms(_ZH_EMPTY.sub(" ", text[:READ])).items() if _tells(term)})


def _tells(term: str) -> bool:
    if not any(map(str.isalpha, term)) or term in _GENERIC_TERMS:
        return False
    if term.isascii():
        return len(term) > 2
    return len(term) > 1 and not set(term) & FUNCTION


def phrase(text: str, low: str) -> Subject | None:
    """The words of a text that say best what it is about: the end of its longest run of telling words; None when none
    does.
    """
    text, low = text[:READ], low[:READ]
    runs = list(_han_runs(text, low) if language(text) == "zh" else _latin_runs(text, low))
    if not runs:
        return None
    often = Counter(word for _, words in runs for word in words)
    best = max(runs, key=lambda run: (_worth(run[1], often), -run[0].start))
    return best[0]


def _worth(words: list[str], often: Counter[str]) -> float:
    return sum((1.0 + 0.5 * (often[word] - 1)) * min(len(word), 8) for word in words)


def _latin_runs(text: str, low: str) -> Iterator[tuple[Subject, list[str]]]:
    """The last two words of each run without a word that says nothing: what English puts last is what it is about."""
    run: list[tuple[int, int]] = []
    for found in [*_WORD.finditer(low), None]:
        tells = found is not None and found[0][0].isalpha() and found[0] not in GENERIC and len(found[0]) > 2
        if found is not None and tells and "'" not in found[0] and (not run or low[run[-1][1] : found.start()] == " "):
            run.append(found.span())
            continue
        if run:
            spans = run[-2:]
            yield Subject(text[spans[0][0] : spans[-1][1]], spans[0][0], spans[-1][1]), [low[a:b] for a, b in spans]
        run = [found.span()] if found is not None and tells and "'" not in found[0] else []


def _han_runs(text: str, low: str) -> Iterator[tuple[Subject, list[str]]]:
    """Runs of Han characters without those that say nothing, and Latin words."""
    start = 0
    for found in _HAN_RUN.finditer(low):
        piece = found[0]
        if "\u4e00" <= piece[0] <= "\u9fff":
            start = found.start()
            for at, part in _without_function(piece):
                lead = _ZH_VERBS.match(part)
                cut = lead.end() if lead and len(part) - lead.end() >= 2 else 0
                cut = cut if len(part) - cut <= _LONGEST else len(part) - _LONGEST  # what it is about comes last
                word = part[cut:]
                if len(word) >= 2:
                    begin = start + at + cut
                    yield Subject(text[begin : begin + len(word)], begin, begin + len(word)), [word]
        elif piece[0].isalpha() and piece not in GENERIC and len(piece) > 1 and BLANK not in piece:
            yield Subject(text[found.start() : found.end()], *found.span()), [piece]


def _without_function(piece: str) -> Iterator[tuple[int, str]]:
    at = 0
    for start, end in [*(found.span() for found in _ZH_EMPTY.finditer(piece)), (len(piece), len(piece))]:
        if start > at:
            yield at, piece[at:start]
        at = end

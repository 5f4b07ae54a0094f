"""Sentences and clauses of a message, and which of them state something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jiyi.rules.found import Clause
from jiyi.rules.own import BLANK

_END = re.compile(r"[\r\n]+|[.!?…]+[\"'”’)\]*_]*(?=\s|$)\s*|[。！？；…?!]+[”’」』）】\"']*\s*|[;](?=\s)\s*")
_ABBREVIATION = re.compile(r"(?:^|[^\w.])(?:[a-z]|(?:\w\.)+\w|[md]rs?|ms|prof|st|no|fig|approx|vs|etc|tel)$")
_SUBJECT_EN = (
    r"(?:(?:now |then |also |please |just |usually |sometimes )*(?:i|i'm|i've|i'll|i'd|my|we|we're"
    r"|we've|our|it|it's|they|"
    r"they're|he|he's|she|she's|there|there's|that's|this|don't|never|no)\b)"
)
_PAUSE = re.compile(
    rf"[,:](?=\s)\s*|\s[-–—]+\s|—+|\s?\((?=\S)|\)(?=\s|$)\s*"
    rf"|\s(?:and|but|so|because|since|though|although|yet|plus)\s+(?={_SUBJECT_EN})"
    r"|[，：](?!\d)\s*|[,](?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[,、]\s*(?=[我咱])"
)
_LEAD = re.compile(
    r"(?:(?:and|but|so|well|oh|ah|hi|hello|hey|hiya|yes|yeah|yep|ok|okay|no wait|wait|also|actually|anyway|plus"
    r"|btw|fyi"
    r"|by the way|for the record|for your information|just so you know|just to let you know|so you know|please note"
    r"|note|please remember|remember(?! to)|keep in mind|please keep in mind|don't forget(?! "
    r"to)|from now on|in future|in the future|you should know|as "
    r"i said|as i mentioned"
    r"|like i said|i told you|i said|i mentioned|to be clear|in fact|basically|honestly|to be honest"
    r"|unfortunately|luckily|sadly"
    r"|of course|correction|update|good news|bad news)(?:\s+(?:there|that|everyone|again))?(?:\s*[,:!.-]+\s*|\s+)"
    r"|(?:对了|另外|还有|嗯+|哦+|啊+|那个|其实|话说|顺便(?:说一下|一提)|对|是的|好的?|好吧|那|而且"
    r"|不过|但是?|所以|因为|然后|请?记住|请?记得|记一下"
    r"|麻烦记一下|你要知道|告诉你|跟你说|我(?:之前|上次|刚才)?(?:说过|跟你说过|提过)|如前所述|说实话"
    r"|老实说|更正一下|补充一下)[，,：:。\s]+)+",
)
_IF = re.compile(
    r"\b(?:if|unless|whether|in case|supposing|assuming|what if|as though|as if|wish|if only)(?=[\s',.]|$)"
    r"|如果|假如|要是|假设|倘若|万一|若是|的话(?!题)|但愿|要不然|否则"
)
_DOUBT = re.compile(
    r"\b(?:would|wouldn't|could have|should have|might|maybe|perhaps|possibly|not sure|no idea|don't know|apparently"
    r"|hopefully|no way|seems?|i guess|supposedly|allegedly|(?:i|we) (?:really )?doubt|(?:isn't|not) true"
    r"|not the case"
    r"|(?:is|was|are) (?:a lie|false|a rumou?r|a myth|fake news)|rumou?r(?:ed|s)?|joked|for example"
    r"|for instance|e\.g)(?=[\s',.]|$)|也许|说不定|或许|没准|可能(?!性)|不确定"
    r"|不知道|恐怕(?!片)|好像|似乎|据说|听说|传闻|谣言|谣传|以为|就好了|该多好"
)
_ASKS_FIRST = re.compile(
    r"(?:and |so |but |then |well |ok |hey |hi |please )*(?:do|does|did|is|are|was|were|am|can|could"
    r"|would|will|should|shall|have|has|had|may|must|isn't"
    r"|aren't|don't|doesn't|didn't|won't|can't|what|what's|which|who|who's|whose|where|where's|when"
    r"|when's|why|how|how's|any"
    r"|remember)\b"
)
_ALWAYS_ASKS = re.compile(
    r"(?:and |so |but |then |well |ok |hey |hi |please )*(?:(?:what|what's|which|who|who's|whose|where"
    r"|where's|why|how|how's)\b(?! a\b)|(?:do|does|did|can|could|would|will|should|are|have|were|was) "
    r"(?:you|we|i|it|this|that|there|they|he|she|my)\b|(?:is|isn't|wasn't|aren't) (?:it|there|that"
    r"|this|he|she|my)\b|am i\b"
    r"|(?:please )?(?:tell|remind|show) me (?:what|when|where|who|how|which|why|if|about)|any (?:idea"
    r"|tips|suggestions|recommendations))"
)
_TAG = re.compile(  # behind a comma, in a question: what stands before it is asked
    r"(?:right|correct|no|yes|yeah|huh|eh|ok|okay|am i right|is that (?:right|correct)"
    r"|(?:is|are|do|does|did|was|were|has|have|will|can)(?:n't| not)? (?:it|he|she|they|you|we|i"
    r"|that)(?: not)?)(?=\W*$)"
)
_TAG_ZH = re.compile(r"(?:对吧|是吧|没错吧|对不对|是不是|对吗|是吗|对么|是么)(?=\W*$)")
_SO_THEY_SAY = re.compile(
    r",\s*(?:or )?so (?:they|people|i|he|she|the (?:story|rumou?r)) (?:say|says|said|hear|heard|goes|was told"
    r"|am told)\W*$"
)
_EXAMPLE = re.compile(r"(?:for example|for instance|e\.g\.?|例如|比如说?|比方说?)\W*$")
_RELATIVE = re.compile(r"(?:who|which|whose) (?!one\b|of\b|way\b)")
_ASKS_ZH = re.compile(
    r"什么(?!都)|怎么(?!都)|怎样|哪(?!怕)|谁(?!都|也)|为何|多少(?!有)|[吗呢么嘛](?=[\s。，,!！~～]*$)"
    r"|是不是|有没有|能不能|会不会|要不要|可不可以|可以不|好不好"
    r"|行不行|对不对|是否|几[个点岁次号时天月](?=[\s。，]*$)|多[久大长高远](?=[\s。，]*$)"
)
_REQUEST = re.compile(
    r"(?:please |can you |could you |would you |now |just |right |then |and |so )*(?:recommend"
    r"|suggest|write|tell me|give me|show me"
    r"|help|find|search|list|explain|describe|translate|summari[sz]e"
    r"|compare|generate|create|make|draft|let me know|let's|look up|calculate|teach me|thanks"
    r"|thank you|get|give|show|tell|go|use|focus|start"
    r"|keep|add|put|take|grab|define|discuss|pull|run|set|check|choose|pick|change|turn|share"
    r"|send|ask|think|consider|include|stick|proceed|continue|right then|cheers)\b"
    r"|(?:请|麻烦)?(?:你|您)?(?:帮(?:我|忙)|给我(?!们?家)|推荐|告诉我|介绍|讲讲|说说|解释|列(?:出|一)"
    r"|写|翻译|总结|查一?下|分析|谢谢|感谢)"
)


class Sentence(NamedTuple):
    """[start, end) of a sentence without what ends it; ``asks`` by its mark."""

    start: int
    end: int
    asks: bool


def sentences(low: str) -> Iterator[Sentence]:
    """Sentences and lines with anything in them."""
    start = 0
    for found in _END.finditer(low):
        end, mark = found.start(), found[0]
        if mark[0] == "." and not mark.startswith("..") and _goes_on(low, start, end, found.end()):
            continue
        if sentence := _sentence(low, start, end, mark):
            yield sentence
        start = found.end()
    if sentence := _sentence(low, start, len(low), ""):
        yield sentence


def _goes_on(low: str, start: int, point: int, end: int) -> bool:
    before = low[max(start, point - 8) : point]
    return bool(before.strip().isdigit() and end < len(low)) or bool(_ABBREVIATION.search(before) and end < len(low))


def _sentence(low: str, start: int, end: int, mark: str) -> Sentence | None:
    part = low[start:end]
    stripped = part.strip(f" \t{BLANK}")
    if len(stripped) < 2:
        return None
    start += len(part) - len(part.lstrip())
    return Sentence(start, start + len(part.strip()), "?" in mark or "？" in mark)


def clauses(text: str, low: str, sentence: Sentence, *, relative: bool = False) -> list[Clause]:
    """The clauses of a sentence that state something; those that ask, suppose or doubt are left out.

    ``relative``: with those behind a comma that begin with "who" or "which", which ask nothing there.
    """
    pieces = _pieces(low, sentence)
    if len(pieces) > 1 and _only_asks(low, pieces, sentence):
        return []
    stated: list[Clause] = []
    last = len(pieces) - 1
    for place, (start, end) in enumerate(pieces):
        if end - start < 2:
            continue
        begin = after_lead(low, start, end)
        piece = low[begin:end]
        if sentence.asks and (place == last or _ASKS_FIRST.match(piece)):
            break
        tells = relative and place > 0 and not sentence.asks and _RELATIVE.match(piece)
        if (not tells and _ALWAYS_ASKS.match(piece)) or (not piece.isascii() and _ASKS_ZH.search(piece)):
            if sentence.asks or piece.isascii():
                break
            continue
        if _DOUBT.search(low, begin, end):
            continue
        if condition := _IF.search(low, begin, end):
            if condition.start() > begin + 3:
                stated.append(Clause(text, low, begin, condition.start(), place == 0))
            break
        stated.append(Clause(text, low, begin, end, place == 0))
    return [clause for clause in stated if clause.end > clause.start]


def _pieces(low: str, sentence: Sentence) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    start = after_lead(low, sentence.start, sentence.end)
    for found in _PAUSE.finditer(low, start, sentence.end):
        pieces.append((start, found.start()))
        start = found.end()
    return [*pieces, (start, sentence.end)]


def _only_asks(low: str, pieces: list[tuple[int, int]], sentence: Sentence) -> bool:
    """Whether the first or last clause says that the others are asked, told by others, or an example."""
    head, tail = low[slice(*pieces[0])], low[slice(*pieces[-1])]
    if _TAG_ZH.match(tail) or (sentence.asks and _TAG.match(tail)) or _EXAMPLE.match(head):
        return True
    return _SO_THEY_SAY.search(low, max(sentence.start, sentence.end - 60), sentence.end) is not None


def follows(low: str, clause: Clause, other: Clause) -> bool:
    """Whether nothing that was left out stands between two clauses of a sentence."""
    at = clause.end
    while at < other.start and (pause := _PAUSE.match(low, at, other.end)):
        at = pause.end()
    return after_lead(low, at, other.end) == other.start


def after_lead(low: str, start: int, end: int) -> int:
    """Where a clause begins behind "by the way" and 对了."""
    found = _LEAD.match(low, start, end)
    return found.end() if found and found.end() < end else start


def requests(low: str, start: int, end: int) -> bool:
    """Whether a sentence asks the assistant for something, or thanks."""
    return bool(_REQUEST.match(low, after_lead(low, start, end), end))

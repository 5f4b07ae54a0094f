"""What a message decides, leaves open, or says is done, in both languages.  Pure, and linear in the message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jiyi.importance import SMALL_TALK, importance
from jiyi.periods import plain
from jiyi.rules.clauses import Sentence, after_lead, sentences
from jiyi.rules.own import BLANK, own_words
from jiyi.rules.reading import READ, stated
from jiyi.topics import Kind
from jiyi.types import Message

_LONGEST = 300  # characters of one point; a longer sentence is a text
_SHORTEST = 4
_WEIGHT = {"decisions": 0.8, "open": 0.7, "done": 0.5}
"""Importance, at least, of a point of a kind: what was decided must not get lost."""

_PIECE = re.compile(
    r"[,;](?=\s)\s*(?:(?:and|but|so|while|whereas)\s+)?|[,;](?=[^\x00-\x7f])|(?<=[\u4e00-\u9fff])[,;]|\s[-–—]+\s|—+"
    r"|\s(?:and|but|so|while|whereas)\s+(?=(?:i|we|the|our|my|it|that|this|let's|still|next)\b)"
)
_TAKE = (
    r"take(?! (?:care|a (?:look|break|walk|moment|nap|bath)|it (?:easy|slow)|notes|.{1,60}\bas an? (?:example|case)))"
)
_KEEP = r"keep(?! (?:an eye|in (?:mind|touch)|you\b|it up|up\b|\w+ing\b|at it))"
_DECIDED = re.compile(
    r"\b(?:(?:i|we|they|the team)(?:'ve| have|'d| had)? (?:just |finally |now |all |both )?"
    r"(?:decided|agreed|settled|chose|picked|opted|committed|(?:switched|moved) to)"
    rf"|(?:i|we)(?:'ll| will|'re going to| are going to|'m going to| am going to) "
    rf"(?:use|go with|stick (?:with|to)|{_TAKE}|drop|skip|{_KEEP}|build|start with|go for|move to|switch to)"
    r"|(?:i|we)(?:'re| are|'m| am) (?:going with|sticking (?:with|to)|dropping|going for)"
    rf"|let's (?:use|go with|stick (?:with|to)|drop|skip|{_KEEP}|{_TAKE}|go for|make it|do it)"
    r"|(?:our|the|my|final) (?:final )?(?:decision|choice) (?:is|was)|it(?:'s| is| was) (?:now )?(?:decided|settled)"
    r"|(?:has|have|was|were|is|are|that's|it's) (?:now |been |finally )*(?:decided|agreed|settled|chosen)"
    r"|decision:|decided:|agreed:)"
    r"|(?<!没)(?<!未)(?<!还没有)(?<!没有)(?:决定(?!不了|因素|性|权|下来了吗)|(?:敲定|商定|选定|拍板|说定|谈妥)(?!一下|吗|后|之后))"
    r"|(?<![平有]时)(?<!平时也)(?<!一直)(?<!本来)(?<![也光只])(?:就|还是|最后|最终|最后还是|统一)(?:用(?!用)|选|定|采用|做|要|改成|改为|走)(?!什么|哪)"
    r"|(?<![没未不制规肯注])(?:定了|定好(?!闹钟)|定下来|定为|定在|改用|换成|采用了?|选了|确定了|确定用|确定为|说好了?)"
    r"|[:：]?决定[:：]"
)
_OPEN = re.compile(
    r"\bto-?dos?\b|\btodo\b|\btbd\b|\bnext steps?\b|\bopen (?:question|point|issue|item)s?\b"
    r"|\b(?:is|are|remains?|stays?|still|it's) (?:still |yet )?(?:open|undecided|unclear|pending|unresolved|missing"
    r"|unknown|to be (?:decided|done|discussed|clarified))\b"
    r"|\bstill (?:need|needs|have|has|must|to do|to be|missing|not|waiting|don't|haven't|hasn't|can't|no|lacks?"
    r"|owe)\b"
    r"|(?<!everything )(?<!all )(?<!what )(?<!that )\b(?:i|we|you) (?:also |now |then |first )?(?:need|have"
    r"|got) to\b|\bneeds? to be \w+"
    r"|\bneeds? (?:a|an|more)\b"
    r"|\b(?:haven't|hasn't|have not|has not|not) (?:yet )?(?:been )?(?:decided|settled|agreed|chosen|picked|finished"
    r"|done|started|booked|ordered|fixed|figured|resolved)\b"
    r"|\b(?:isn't|aren't|not) (?:decided|settled|done|finished|clear)\b"
    r"|\b(?:haven't|hasn't)\b.{1,60}\byet\b|\bnot sure (?:yet )?(?:which|whether|how|what|when|who)\b"
    r"|\bthe (?:remaining|big|main) question (?:is|left)\b|\bquestions? left\b|\bleft to do\b|\bwaiting for\b"
    r"|\bto figure out\b|\bremains to\b"
    r"|待定|待办|待(?:确认|讨论|解决|完成|处理)|悬而未决|未决|有待"
    r"|(?:还|尚|仍)(?:没有?|未)(?!问题|关系)|还(?:要|需要?|得|差|缺|剩|在等)|(?:没|未)(?:有)?(?:想好|定|决定|确定|解决)"
    r"|(?<![不没无都能])需要(?!什么|哪|注意|[\u4e00-\u9fff]{1,8}的(?:$|部分|地方|时候|东西|事|人|内容|细节))[\u4e00-\u9fff]"
    r"|(?<!知道)(?<!清楚)(?<!明白)下一步|接下来(?:要|得|是|先)(?![\u4e00-\u9fff]{1,6}的)|(?:得|要)先|还不(?:确定|清楚|知道)"
    r"|(?:问题|难点)(?:是|在于)|等(?:着|待).{0,12}(?:回复|确认|结果|审批)|别忘了?要?"
)
_DONE = re.compile(
    r"\b(?:is|are|was|were|got|been|be|all|now|it's) (?:now |all |already |finally )*"
    r"(?:done|finished|completed?|fixed|resolved|solved|shipped|merged|booked|ordered|paid|sent|signed"
    r"|submitted|ready"
    r"|implemented|deployed|delivered|cleared|live|in place)\b"
    r"|\b(?:i|we|they|he|she)(?:'ve| have|'d)? (?:just |already |finally |now )*(?:finished|completed|fixed|resolved"
    r"|solved|shipped|merged|booked|ordered|paid|sent|signed|submitted|implemented|deployed|delivered|launched"
    r"|bought|built"
    r"|wrote|set up|hired|found|received|got back)\b"
    r"|\b(?:arrived|came (?:in|back|through))\b"
    r"|(?<!没)(?<!没有)(?<!未)(?<!还没)(?:(?:完成|解决|搞定|修好|做完|做好|写完|写好|弄好|弄完|办好|装好|订好|买好|付清|处理好|找到|收到|拿到"
    r"|部署好|提交|上线|发布|签)了|(?<![以难法待要想])(?:完成|解决|搞定|修好|做完|做好|写完|写好|弄好|办好|装好|订好|买好)$"
    r"|已经?(?:完成|解决|搞定|修好|做完|做好|写完|写好|上线|发布|提交|签|付|订|买|装|合并|部署|交))"
)
_IF = re.compile(r"(?<!sure )\bif\b|如果|要是|假如|万一")
_BOTH = re.compile(r"还没|尚未|没有|haven't|hasn't|not yet|n't ")


class Said(NamedTuple):
    """What one part of a message says about a topic.

    Attributes:
        kind: ``summary`` for what is only told.
        start, end: the characters that say so.
        importance: 0..1.
    """

    kind: Kind
    start: int
    end: int
    importance: float


def decided(message: Message) -> list[Said]:
    """The parts of a user's message in order: what they decide, leave open, say is done, or tell.

    Messages of others give nothing, and so do quotes, code, pasted and made-up texts.  A question or a doubt decides
    nothing, but may be what is open.
    """
    if message.role != "user":
        return []
    text = message.text
    if not text.strip():
        return []
    sure = stated(message)
    if len(text) <= READ:
        return list(_parts(message, text, 0, sure))
    after = len(text) - READ // 2
    first = [one for one in _parts(message, text[: READ // 2], 0, sure) if one.end < READ // 2]
    return [*first, *(one for one in _parts(message, text[after:], after, sure) if one.start > after)]


def _parts(message: Message, text: str, after: int, sure: list[tuple[int, int]]) -> Iterator[Said]:
    if not text.strip():
        return
    low = own_words(plain(text))
    for sentence in sentences(low):
        for kind, start, end in _segments(low, sentence, [(a - after, b - after) for a, b in sure]):
            end = start + len(low[start:end].rstrip(" \t,，;；:："))
            if BLANK not in low[start:end] and _SHORTEST <= end - start <= _LONGEST:
                score = importance(message.but(content=text[start:end], importance=None)).score
                if kind == "summary" and (sentence.asks or score <= SMALL_TALK):
                    continue
                yield Said(kind, start + after, end + after, round(max(score, _WEIGHT.get(kind, 0.0)), 3))


def _segments(low: str, sentence: Sentence, sure: list[tuple[int, int]]) -> Iterator[tuple[Kind, int, int]]:
    """The sentence, parted where another kind begins: what has no kind goes with what stands before it."""
    kind: Kind = "summary"
    begin = last = after_lead(low, sentence.start, sentence.end)
    at = begin
    for found in [*_PIECE.finditer(low, begin, sentence.end), None]:
        end = found.start() if found else sentence.end
        own = _kind(low, at, end, sentence, sure)
        if own != "summary" and kind not in ("summary", own):
            yield kind, begin, last
            kind, begin = own, at
        elif own != "summary":
            kind = own
        last = end
        at = found.end() if found else end
    yield kind, begin, last


def _kind(low: str, start: int, end: int, sentence: Sentence, sure: list[tuple[int, int]]) -> Kind:
    piece = low[start:end]
    opened = _OPEN.search(piece)
    if opened and _IF.search(piece, 0, opened.start()):
        opened = None
    if opened and not (sentence.asks and not _BOTH.search(piece) and "question" not in piece and "问题" not in piece):
        return "open"
    inside = sum(max(0, min(end, upto) - max(start, begin)) for begin, upto in sure)
    if sentence.asks or 2 * inside < end - start:
        return "summary"
    if _DECIDED.search(piece):
        return "decisions"
    return "done" if _DONE.search(piece) else "summary"

"""What a question is about, told by its words alone: the one who asks, or what the assistant said.  Pure.

Chats are mostly two people, and the role of a message says whose it is; so "what is my budget" wants what the user
said, and "what did you suggest" what the assistant did.  Rules for Chinese and English; what is not sure is neither.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jiyi.text import MAX_QUERY


class Asking(NamedTuple):
    """What a question is about.

    Attributes:
        personal: it asks, and speaks of the asker: ``what is my budget``, ``我的预算是多少``.
        answers: it asks for what the assistant said before: ``what did you recommend``, ``你给我推荐了哪些书``.
    """

    personal: bool
    answers: bool


_ASKS = re.compile(
    r"[?？]"
    r"|^\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|am|was|were|do|does|did|have|has|had|can|could|would"
    r"|should|will|tell me|remind me|list|name)\b"
    r"|什么|哪|谁|几[个点岁次号时天月]|多少|多[久大长高远]|怎么|怎样|为何|[吗么呢][。！.!]?\s*$|是否|有没有|是不是|什麼|怎麼",
    re.IGNORECASE,
)
_OF_THE_ASKER = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours)\b|[我咱俺]", re.IGNORECASE
)
_SAID = (
    "recommended|suggested|said|told|mentioned|advised|explained|gave|given|proposed|listed|described|answered|offered"
    "|shared"
)
_OF_THE_ASSISTANT = re.compile(
    rf"\bdid you\b(?! (?:know|remember|think))|\byou(?:['’](?:ve|d)| have| had)? (?:\w+ )?(?:{_SAID})\b"
    rf"|\b(?:have|had) you (?:\w+ )?(?:{_SAID})\b"
    r"|\byour (?:\w+ )?(?:recommendation|suggestion|advice|answer|explanation)s?\b"
    r"|(?<![和跟给對对向为同與与問问])[你您](?:的|曾经?|之前|上次|上回|刚才|刚刚|以前|昨天|那天|当时|都|还|是|怎么|如何|有没有)*"
    r"(?:给|向|跟|对|为|和)?(?:我们?)?"
    r"(?:推荐|建议|介绍|分享|说|提到|提|列|讲|告诉|解释|回答|推薦|建議|介紹|說|告訴|解釋)我?(?:了|过|的|過|什么|哪|那)"
    r"|[你您][给給][了过過]我",
    re.IGNORECASE,
)


def asking(question: str) -> Asking:
    """Reads a question; of a very long one only the beginning."""
    text = question[:MAX_QUERY]
    asks = bool(_ASKS.search(text))
    return Asking(asks and bool(_OF_THE_ASKER.search(text)), asks and bool(_OF_THE_ASSISTANT.search(text)))

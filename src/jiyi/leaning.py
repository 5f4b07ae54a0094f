"""Whether a message can be understood without the one before it.  Pure, by rules, in English and Chinese.

``Yes, the blue one`` and ``对，蓝色的那个`` say nothing alone.  A message leans on the one before it when it is very
short, when it begins with a word that points back or answers, and when it is a short answer to a question.
"""

from __future__ import annotations

import re

from jiyi.text import asks, language

FEW = {"en": 4, "zh": 6}
"""Words, of Chinese characters: what has fewer says little alone."""

SHORT = {"en": 30, "zh": 50}
"""The same for an answer to a question, and for what points back: what has more explains itself."""

_MUCH = 600
_END = 80  # characters at the end of a text that may be its question
# a text, compiled when it is first needed: 2 ms
_COUNTED = r"[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u2e80-\ud7ff\uf900-\ufaff]+"
_FRONT = r"^[\s\"'“”‘’（(*_>\-]*(?:(?:\.\.|…)|"
_ENGLISH = re.compile(
    _FRONT
    + r"(?:yes|yeah|yep|yup|no|nope|nah|sure|ok|okay|right|exactly|correct|true|absolutely|definitely|totally|indeed"
    r"|of course|maybe|perhaps|probably|not really|not yet|same|me too|neither|either|both"
    r"|it|its|it's|he|he's|she|she's|they|they're|them|him|her|his|their|that|that's|this|these|those"
    r"|and|but|or|so|because|then|also)\b)",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    _FRONT
    + r"(?:(?:是|对|没|没有|不|好|行|会|有|要)(?:[的啊呀吧了，。！,!\s]|$)|不是|没错|嗯|哦|可以|当然|也许|可能|应该是"
    r"|[他她它]|[这那](?!么)|其中|因为|所以|但是|不过|而且|还有|另外|然后|后来|也是|都[是行可]))"
)
_ASKS_CHINESE = re.compile(r"(?:吗|呢|么|什么|哪里|哪儿|哪个|怎么样|多少|几点|是不是|好不好)[。\s~～]*$")


def may_lean(text: str) -> bool:
    """Whether a message is such that the one before it may be needed: not longer than ``SHORT``."""
    return _length(text) < SHORT[language(text)]


def leans(text: str, before: str) -> bool:
    """Whether a message needs the one before it to be understood.

    Args:
        text: of the message.
        before: of the message before it in its session.
    """
    spoken, length = language(text), _length(text)
    if length >= SHORT[spoken] or not before.strip():
        return False
    return length < FEW[spoken] or points_back(text) or awaits_answer(before)


def points_back(text: str) -> bool:
    """Whether a text begins with a word that answers, goes on, or stands for something said before."""
    return bool((_CHINESE if language(text) == "zh" else _ENGLISH).match(text))


def awaits_answer(text: str) -> bool:
    """Whether a text ends in a question, in Chinese also without a mark: ``你买了哪个``."""
    end = text[-_END:].rstrip()
    return asks(text) or (not end.isascii() and bool(_ASKS_CHINESE.search(end)))


def _length(text: str) -> int:
    """Words of a text, Han characters each for one; a text of more than ``_MUCH`` characters has enough of them."""
    if len(text) > _MUCH:
        return _MUCH
    return len(text.split()) if text.isascii() else len(re.findall(_COUNTED, text))

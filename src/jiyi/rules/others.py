"""Whether a clause is about somebody else than the user."""

from __future__ import annotations

import re

from jiyi.rules.chinese import SUBJECT as CHINESE
from jiyi.rules.chinese_words import RELATIONS as CHINESE_RELATIONS
from jiyi.rules.chinese_words import SHORT
from jiyi.rules.english import SUBJECT as ENGLISH
from jiyi.rules.english_words import RELATIONS as ENGLISH_RELATIONS

PRONOUNS = frozenset(("he", "she", "they", "他", "她"))
_TOGETHER = re.compile(r"\band (?:i|me)\b|\b(?:we|us|our)\b|我们|咱|[和跟与同]我|我[和跟与同]")
_USERS = re.compile(r"^(?:the )?user's |^用户的?")
_OTHERS = re.compile(
    rf"\b(?:he|she|they|his|her|their|{'|'.join(sorted(map(re.escape, ENGLISH_RELATIONS), key=len, reverse=True))})\b"
    rf"|[他她]|{'|'.join(sorted(CHINESE_RELATIONS, key=len, reverse=True))}|[妈爸爷奶哥姐弟妹]"
)


def somebody_else(low: str) -> str:
    """The relation or pronoun that a clause in small letters is about; "" for the user, for both, and for a thing."""
    if _TOGETHER.search(low):
        return ""
    found = [match for match in (ENGLISH.search(f"{low} "), CHINESE.search(low)) if match]
    if not found:
        return ""
    groups = min(found, key=lambda match: match.start()).groupdict()
    short = groups.get("short")
    who = SHORT[short] if short else groups["rel"] or groups.get("new") or groups["pro"] or ""
    return "" if who in ("it", "它") else who


def tells_of_others(low: str) -> bool:
    """Whether a text in small letters that a model wrote is about somebody else: "the user's sister", 用户的妹妹."""
    mine = _USERS.sub(lambda found: "my " if found[0].isascii() else "我", low, count=1)
    return bool(_OTHERS.match(mine) or somebody_else(mine))

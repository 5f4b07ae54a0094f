"""Whether a sentence that has two names states a relation of them, or that somebody says, wants or imagines it.  Pure.

A model takes "My boss said that Norr bought Kestrel", "Norr wants to buy Kestrel" and "Norr's owner bought Kestrel" for
what is so of Norr.  Tables of words, as for the direction.
"""

from __future__ import annotations

import re

from jiyi.relation_types import RELATIONS
from jiyi.strategies.entities_direction import says
from jiyi.text import flat

_NEAR = 400  # characters beside a name that are looked at
_REPORTS = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|tells?|told|thinks?|thought|believe[sd]?|claim(?:s|ed)?|insist(?:s|ed)|mention(?:s|ed)"
    r"|announce[sd]|reports? that|reported that|joke[sd]|write[s]? that|wrote that|suggest(?:s|ed)"
    r"|recommend(?:s|ed)|knows? that|swears?|swore)\b"
    r"|说|讲(?!座)|告诉|觉得|认为|声称|宣称|透露|提到(?!的)|建议|推荐|吐槽"
)
_OF_THE_USER = re.compile(r"(?:\b(?:i|we|i've|i have|i already|as i|like i)|[我咱]们?|我[\u3400-\u9fff]{1,3})\s*$")
_UNSURE = re.compile(
    r"\b(?:hear[ds]?|according to|rumou?rs?|suppos\w+|assum(?:e|es|ed|ing)|guess(?:es|ed)?|wonder(?:s|ed)?"
    r"|dream(?:s|ed|t)?"
    r"|hop(?:e|es|ed|ing)|wish(?:es|ed)?|fear(?:s|ed)?|doubt(?:s|ed|ful)?|deny|denie[sd]|imagine[sd]?"
    r"|pretend(?:s|ed|ing)?|(?:not|isn't|n't) true"
    r"|false|lie|myth|asked (?:if|whether|me)|used to think|thought that|want(?:s|ed)? [a-z]+ to"
    r"|in (?:the|a|this|that|my|her|his) (?:movie|film|book|novel|story|game|show|series|dream|play|joke"
    r"|example|article|news))\b"
    r"|听说|听|据|传闻|传说|猜|怀疑|希望|梦|谣言|以为|假装|电影|小说|游戏|剧里|故事|否认|不是真"
)
_NOT_YET = re.compile(
    r"\b(?:(?:want|plan|hope|fail|threaten|intend|prefer|offer|wish|pretend|refuse|decline|promise|agree"
    r"|attempt)(?:s|e?d|n?ed|ning)?"
    r"|plann(?:ed|ing)|hoping|tr(?:y|ies|ied|ying)|appl(?:y|ies|ied|ying)|dreams?|about|going|asked|likely"
    r"|supposed|expected|ready|unable) to\b"
    r"|\b(?:almost|nearly|hardly|barely|would|could|might|may|should|will|won't|consider(?:s|ed|ing)?"
    r"|thinking (?:of|about)|dreams? of)\b"
    r"|想|打算|计划|准备|希望|差一?点|几乎|险些|假装|否认|拒绝|试图|尝试|考虑|即将|将要|快要|有意|未能"
)
_OWN = re.compile(r"(?:['’]s?\s+|的)(?=[\w\u3400-\u9fff])")
_COPULA = re.compile(r"\b(?:is|was|are|were|has been)\b|[是叫为用有：:]|(?<=[\u3400-\u9fff])在")
_NAMED = re.compile(r"(?:叫[做作]?|名[叫为])$")
_NOUN = re.compile(r"\s*(?:[a-z0-9-]+(?: [a-z0-9-]+)?|[\u3400-\u9fff]{1,3})")
_OTHER = re.compile(
    r"(?:,|;|\b(?:and|but|while|whereas|then))\s+(?:[A-Z][\w-]+|[Hh]e|[Ss]he|[Tt]hey|I|[Mm]y \w+"
    r"|[Ii]t)\s+(?=[a-z])|[，；]"
)


def is_framed(relation: str, words: str, before: str, between: str, after: str) -> bool:
    """Whether the words say less than that the relation holds between the two names.

    Args:
        relation: a name of ``relation_types.RELATIONS``, or the model's words.
        words: the model's words for it: they are no frame of themselves.
        before, between, after: the words of the sentence before, between and behind the names.
    """
    between = between[-_NEAR:]
    low, own = flat(between), flat(words)
    if (
        _is_reported(flat(before[-_NEAR:]))
        or _found(_REPORTS, low, own)
        or _found(_UNSURE, low, own)
        or _found(_NOT_YET, low, own)
    ):
        return True
    return (
        _is_of_what_it_has(relation, low, own)
        or _ends_before(relation, low, flat(after[:_NEAR]))
        or _is_of_another(relation, between)
    )


def _is_reported(before: str) -> bool:
    if _UNSURE.search(before):
        return True
    return any(not _OF_THE_USER.search(before[: one.start()]) for one in _REPORTS.finditer(before))


def _found(pattern: re.Pattern[str], low: str, own: str) -> bool:
    return any(one[0] not in own for one in pattern.finditer(low))


def _is_of_what_it_has(relation: str, between: str, own: str) -> bool:
    """As in "Norr's owner bought …": what is said is said of the owner."""
    owned = _OWN.match(between)
    if owned is None:
        return False
    rest = between[owned.end() :]
    copula = _COPULA.search(rest)
    noun = rest[: copula.start()] if copula else (found[0] if (found := _NOUN.match(rest)) else rest)
    left = rest[len(noun) :].strip(" ,，:：是叫为")
    return bool(left) and bool(noun) and not says(relation, noun) and not (own and own in noun)


def _ends_before(relation: str, between: str, after: str) -> bool:
    """As in "… bought Kestrel's team": not Kestrel; but 叫红隼的团队 is the team of that name."""
    owned, known = _OWN.match(after), RELATIONS.get(relation)
    if owned is None or known is None or known.values == "one" or _NAMED.search(between):
        return False
    return not says(relation, after[owned.end() : owned.end() + 24])


def _is_of_another(relation: str, between: str) -> bool:
    """As in "Ann works at Alder and Bob works at …": the second one is Bob's."""
    for other in _OTHER.finditer(between):
        if says(relation, between[: other.start()]) and says(relation, between[other.end() :]):
            return True
    return False

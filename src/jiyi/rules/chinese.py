"""Chinese clauses: who it is about, then what the words say of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_phrases import phrases
from jiyi.rules.chinese_verbs import RULES, TRIGGERS, Rule
from jiyi.rules.chinese_words import RELATIONS, SHORT
from jiyi.rules.found import Clause, Found, Talk

_REL = "|".join(sorted(RELATIONS, key=len, reverse=True))
_SUBJECT = re.compile(
    rf"(?P<of>我们?家?的?|咱们?家?的?|俺)?(?:的)?(?P<rel>{_REL})|(?:我"
    r"|咱)们?家?(?P<short>[妈爸爷奶哥姐弟妹娘儿])(?![们])|(?P<me>我|咱|俺|本人)"
    rf"|(?P<you>你|您)|(?P<pro>他|她|它)"
)
_SAID_BY = re.compile(
    r"(?:说|觉得|认为|以为|问|告诉|让|叫|劝|建议|推荐|要求|希望|想让|听|梦见|相信|声称|表示|提醒)(?:过"
    r"|了|我们?|道)?"
)
_NEGATION = re.compile(
    r"(?P<n>不再|再也不|已经不|早就不|不太|不怎么|不是很|不大|不|没有?|别|戒)(?:想|能|敢|爱|会|在|怎么"
    r"|再|大|太|用|经常|常)?$"
)
_PARTICLES = "了啦啊呀哦吧呢嘛的哈呗～~！! "
_VALUE_END = re.compile(
    r"[，。；！？,;!?:：（）()\n]|(?:因为|所以|但是?|不过|而且|然后|并且|之后|以后|的时候|时候)"
    r"|\s(?=[\u4e00-\u9fff]{4})"
)


def chinese(clause: Clause, talk: Talk) -> list[Found]:
    """What a clause states, in order; an empty list for nothing that the rules know."""
    if not TRIGGERS.search(clause.low, clause.start, clause.end):
        _subject(clause, talk)
        return []
    found = list(phrases(clause))
    if found and found[0].ends and not found[0].value:
        return found
    who = _subject(clause, talk)
    if who:
        found += _stated(clause, who)
    return found


def _subject(clause: Clause, talk: Talk) -> str:
    """Whom the clause is about; "" for the assistant and for what others say."""
    low = clause.low
    found = _SUBJECT.search(low, clause.start, clause.end)
    if found is None:
        return talk.about or "user"
    if _SAID_BY.search(low, clause.start, found.start()):
        return ""
    if found["you"]:
        return ""
    if found["pro"]:
        talk.about = talk.third
        return talk.third
    if found["me"]:
        talk.about = "user"
        return "user"
    who = SHORT[found["short"]] if found["short"] else found["rel"]
    if RELATIONS.get(who) in ("friend", "pet") and not found["of"] and found.start() > clause.start + 3:
        return talk.about or "user"
    before = low[found.start() - 1] if found.start() > clause.start else ""
    if before in "和跟给对为把被让叫陪带找向替比送" and before:
        mine = _SUBJECT.search(low, clause.start, found.start())
        return "user" if mine is None or mine["me"] else ""
    talk.about = talk.third = who
    if low.startswith(("说", "觉得", "认为", "让我", "问", "建议", "劝"), found.end()):
        return who if not low.startswith("让我", found.end()) else ""
    return who


def _stated(clause: Clause, who: str) -> Iterator[Found]:
    low = clause.low
    taken: set[str] = set()
    for rule in RULES:
        if rule.attribute in taken and not rule.also:
            continue
        if not rule.trigger.search(low, clause.start, clause.end):
            continue
        found = rule.pattern.search(low, clause.start, clause.end)
        if found is None or (rule.mine and who != "user"):
            continue
        one = _read(clause, rule, found, who)
        if one:
            taken.add(rule.attribute)
            yield one


def _read(clause: Clause, rule: Rule, found: re.Match[str], who: str) -> Found | None:
    low = clause.low
    group = next((name for name in rule.pattern.groupindex if found[name] is not None), "")
    start, end = found.span(group) if group else (found.end(), clause.end)
    value = cut(clause, start, end)
    if not value and not rule.bare:
        return None
    negation = rule.negates and _NEGATION.search(low, max(clause.start, found.start() - 5), found.start())
    over = bool(
        negation and (negation["n"] in ("不再", "再也不", "已经不", "早就不") or "了" in low[end - 1 : clause.end])
    )
    if rule.stops:
        return Found(rule.attribute, value, who, ends=True, importance=rule.importance)
    if over:
        return Found(rule.attribute, value, who, ends=True, importance=rule.importance)
    if negation:
        attribute = rule.negative or rule.attribute
        return Found(attribute, value, who, negated=attribute not in ("dislikes",), importance=None)
    return Found(rule.attribute, value, who, rule.negated, False, rule.importance, rule.begins)


def cut(clause: Clause, start: int, end: int) -> str:
    """The value from ``start`` on, without what only fills."""
    stop = _VALUE_END.search(clause.low, start, end)
    said = clause.said(start, stop.start() if stop else end)
    while len(said) > 1 and said[-1] in _PARTICLES:
        said = said[:-1]
    for filler in ("一下", "了", "过", "的是", "是", "：", ":"):
        if said.startswith(filler) and len(said) > len(filler):
            said = said[len(filler) :]
    return said[:60].strip(' “”"「」『』')

"""Chinese clauses: who it is about, then what the words say of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_phrases import phrases
from jiyi.rules.chinese_states import BEARER, STATES
from jiyi.rules.chinese_values import ONLY_WHEN, Rule, cut
from jiyi.rules.chinese_verbs import VERBS
from jiyi.rules.chinese_words import RELATIONS, SHORT
from jiyi.rules.found import Clause, Found, Talk

_REL = "|".join(sorted(RELATIONS, key=len, reverse=True))
SUBJECT = re.compile(
    r"(?P<of>(?:我|咱|俺)们?家?的?(?:一?[个位名])?(?:好|老|新|大学|小学|高中|公司|最好的"
    rf"|新来的|那个)?)?(?P<rel>{_REL})"
    r"|新来的(?P<new>领导|老板|同事|老师|经理)"
    r"|[我咱]们?家?(?P<short>[妈爸爷奶哥姐弟妹娘儿])(?![们])|(?P<me>[我咱俺]|本人)|(?P<you>[你您])|(?P<pro>[他她它])"
)
_SAID_BY = re.compile(
    r"[说讲问叫劝听]|觉得|认为|以为|告诉|让|建议|推荐|要求|希望|梦见|相信|声称|表示|提醒|主要讲述|讲述"
)
_NEGATION = re.compile(
    r"(?P<n>不再|再也不|已经不|早就不|不太|不怎么|不是很|不大|不|没有?|别|戒)(?:想|能|敢|爱|会"
    r"|是|在|怎么|再|大|太|用|经常|常)?$"
)
_NOT_TO = re.compile(r"(?:不|没有?|並不|并不|從不|从不)(?:是|会)?$")
_NOT_ALLERGIC = re.compile(r"不(?:再|会|是|太|很|怎么)*过敏")
_NOT_YET = re.compile(r"(?:想|要|打算|准备|会|能|别|舍得)$")
_SAYS = ("说", "觉得", "认为", "让我", "问", "建议", "劝", "表示", "希望", "想让", "推荐", "告诉")
_OVER = ("不再", "再也不", "已经不", "早就不")
_WITH = "和跟给对为把被让叫陪带找向替比送与同"
_RULES = STATES + VERBS
_BY_KEY: dict[str, frozenset[int]] = {
    key: frozenset(place for place, rule in enumerate(_RULES) if key in rule.keys)
    for key in {key for rule in _RULES for key in rule.keys}
}
_KEYS = frozenset(_BY_KEY)


def chinese(clause: Clause, talk: Talk) -> list[Found]:
    """What a clause states, in order; an empty list for nothing that the rules know."""
    who = _subject(clause, talk)
    found = list(phrases(clause, who))
    if found and found[0].ends:
        return found
    if who is not None:
        found += _stated(clause, who)
    return found


def _subject(clause: Clause, talk: Talk) -> str | None:
    """Whom the clause is about; "" where it does not say, None for the assistant and for what others say."""
    low = clause.low
    found = SUBJECT.search(low, clause.start, clause.end)
    if found is None:
        return talk.about
    if found["you"] or _SAID_BY.search(low, clause.start, found.start()):
        return None
    if found["pro"]:
        talk.about = talk.third
        return talk.third or None
    if found["me"]:
        talk.about = "user"
        return "user"
    who = SHORT[found["short"]] if found["short"] else found["rel"] or found["new"]
    if RELATIONS.get(who) == "pet" and not found["of"]:
        return talk.about
    bare = RELATIONS.get(who) in ("friend", "pet") and not found["of"] and not found["new"]
    if bare and not ONLY_WHEN.fullmatch(low, clause.start, found.start()):
        return talk.about
    if found.start() > clause.start and low[found.start() - 1] in _WITH:
        mine = SUBJECT.search(low, clause.start, found.start())
        return talk.about if mine is None else "user" if mine["me"] else None
    talk.about = talk.third = who
    return None if low.startswith(_SAYS, found.end()) else who


def _stated(clause: Clause, who: str) -> Iterator[Found]:
    low = clause.low
    places = set[int]()
    for key in _KEYS.intersection(low[clause.start : clause.end]):
        places |= _BY_KEY[key]
    taken: set[str] = set()
    for place in sorted(places):
        rule = _RULES[place]
        if (rule.attribute in taken and not rule.also) or (rule.mine and who not in ("user", "")):
            continue
        found = rule.pattern.search(low, clause.start, clause.end)
        if found is None:
            continue
        nobody = not who and not rule.bare_subject
        if nobody and not ONLY_WHEN.fullmatch(low, clause.start, found.start()):
            continue
        if one := _read(clause, rule, found, who or "user"):
            taken.add(rule.attribute)
            yield one


def _read(clause: Clause, rule: Rule, found: re.Match[str], who: str) -> Found | None:
    low = clause.low
    group = next((name for name in rule.pattern.groupindex if found[name] is not None), "")
    start, end = found.span(group) if group else (found.end(), clause.end)
    value = cut(clause, start, end)
    if not value and not rule.bare:
        return None
    if rule.attribute == "name" and who == "user" and (bearer := BEARER.match(found[0])):
        if bearer["pro"]:
            return None
        who = bearer["who"]  # "I have a sister who is called…", in one clause
    one = Found(rule.attribute, value, who, rule.negated, rule.stops, rule.importance, rule.begins)
    if rule.stops and _NOT_YET.search(low, max(clause.start, found.start() - 4), found.start()):
        return None
    if rule.negates and (negation := _NEGATION.search(low, max(clause.start, found.start() - 5), found.start())):
        if negation["n"] in _OVER or "了" in low[end - 1 : clause.end]:
            return one._replace(ends=True)
        return one._replace(negated=True)
    if rule.attribute == "allergy" and (
        _NOT_ALLERGIC.search(found[0]) or _NOT_TO.search(low, clause.start, found.start())
    ):
        over = any(low.find(word, clause.start, clause.end) >= 0 for word in _OVER)
        return one._replace(ends=True) if over else one._replace(negated=True)
    return one

"""What a Chinese clause says of how named things relate: active, passive, inverse and possessive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from jiyi.rules.chinese_bodies import place_like
from jiyi.rules.chinese_lines import OTHER, SURE, THIRD, USER, WEAK, Line
from jiyi.rules.chinese_name_words import HAN, ROLE
from jiyi.rules.chinese_persons import nameable
from jiyi.rules.chinese_ties import ANIMAL, NOUNS, OWN_WORD, PERSON, PLACE, VERBS, Noun, Verb
from jiyi.rules.found import Link, Name, Same

Said = Name | Same | Link

_H = f"[{HAN}]"
_SIGN = f"[{SURE}{WEAK}{USER}]"
_AND = "(?:、|和|与|跟|及|以及|还有)"
_LIST = f"{_SIGN}(?:{_AND}{_SIGN}){{0,8}}"
_BARE = f"{_H}{{2,6}}?"
_LEAD = "(?:那|而|但是?|所以|因为|而且|不过|并且?|然后|嗯|对了|记住|还|另外|此外|也)*"
_MID = (
    "[也还就都刚已便却正才]*(?P<past>曾经?|以前|之前|过去|原先|原来|从前)?(?:是)??(?P<neg>不再"
    "|再也不|再也没有?|已?不|没有?|并不|并没有?|并未|未|从不|从未|从没)?[也还就都刚已]*"
)
_END = r"(?P<tone>(?:了|过|吧|啊|呢|哦|呀|啦|的|来着|哈)*)(?=$|[,!~…。]|并(?!购)|然后|之后|以后)"
_A, _B = f"(?P<a>{_LIST})", f"(?P<b>{_LIST})"
_ONE_A, _ONE_B = f"(?P<a>{_SIGN})", f"(?P<b>{_SIGN})"
_A_THING = (
    f"(?:(?:一[本部首篇个款套家种张]|[本部首篇个款套家])(?:{_H}{{0,4}}?(?:小说|书|歌|电影|文章"
    "|散文集?|诗集|工具|框架|公司|软件"
    "|系统|平台|游戏|项目|应用|专辑|库))?(?:名?叫|名为)?)?"
)
_THINGS = "项目|框架|公司|软件|工具|平台|系统|小说|书|歌|电影|游戏|产品|应用|网站|库|专辑|小程序|公众号|品牌"
_COUNT = "(?:一[位名个家只款条间]|了)?"
_MOD = (
    "(?P<mod>前|前任|现任|新|老|旧|亲|大|小|第一任|唯一|主要|最大的?|最好的?|最重要的?|联合|原|主"
    "|首席|直属|直接|贴身|多年的?|长期|一个|一名|一位|其中一[个家位]|全资|控股|核心|以前的?|之前的?"
    "|最早的?|真正的?|那只|这只)*"
)
_IS = (
    "(?:就)?(?P<is>是|叫做?|名叫|名字叫|取名叫?|名为|为|:|用的?都?是?|采用的?是?|使用的?是?|选的?是"
    "|换成了?|改成了?|改用了?|变成了?|不是)"
)
_IS_IN = "(?:就)?(?P<is>在|位于|设在|是|坐落于|坐落在|不在|不是)"


class Form(NamedTuple):
    """One way to say a verb or noun, as an expression over the signs of a clause."""

    pattern: str
    tie: Verb | Noun


def _forms_of(verb: Verb) -> Iterator[Form]:
    a = f"(?P<a>{_LIST}|{_BARE})" if "a" in verb.bare else _A
    b = f"(?P<b>{_LIST}|{_H}{{2,8}})" if "b" in verb.bare else _B
    ways = [word for word in _split(verb.words) if "{b}" in word]
    plain = "|".join(word for word in _split(verb.words) if "{b}" not in word).replace("{n}", _SIGN)
    for way in ways:
        one = a if way[:3] != "(?:" or "和" not in way[:8] else _ONE_A
        yield Form((f"^{_LEAD}{one}{_MID}(?P<verb>{way.replace('{b}', b)}){_END}"), verb)
    if plain:
        yield Form((f"^{_LEAD}{a}{_MID}(?P<verb>{plain})(?:了|过|着)?{_A_THING}{b}{_END}"), verb)
    if verb.relation == "supplies" and verb.passive:  # 青鸾项目的传感器由恒信电子供应
        yield Form((f"^{_LEAD}{_B}的{_H}{{1,8}}?[都全]?(?:是)?由{a}[来]?(?P<verb>{plain}|提供)的?{_END}"), verb)
    if verb.passive:
        yield Form(
            (f"^{_LEAD}(?P<b>{_LIST}|{_BARE})是{_A}(?P<verb>{plain})的{_H}{{0,4}}?(?:{_THINGS})(?=$|[!~…。])"),
            verb,
        )
        yield Form((f"^{_LEAD}{_B}{_MID}(?:被|遭到?|由){a}(?:[来也还就都]*)(?:所|给)?(?P<verb>{plain}){_END}"), verb)
        yield Form(
            (f"^{_LEAD}{_B}是(?:由)?{a}(?:[来也还就都]|用{_SIGN}|在.{{1,6}}?)*(?P<verb>{plain})(?:出来)?的?{_END}"),
            verb,
        )
        yield Form((f"^{_LEAD}{_A}{_MID}(?:把|将){_B}(?P<verb>{plain})(?:下来)?{_END}"), verb)
        yield Form((f"(?:^|(?<=[是在和,]))(?P<verb>{plain})(?:了|过)?{_B}的{_ONE_A}"), verb)
        yield Form((f"(?:^|(?<=[是在看读用玩买到过了叫]))(?P<a>[{SURE}{USER}])(?P<verb>{plain})的{_ONE_B}"), verb)


def _split(words: str) -> list[str]:
    """The alternatives of an expression, those within brackets kept together."""
    parts, depth = [""], 0
    for char in words:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _forms_for(noun: Noun) -> Iterator[Form]:
    a = f"(?P<a>{_LIST}|{_BARE})" if "a" in noun.bare else _A
    b = f"(?P<b>{_LIST}|{_BARE})" if "b" in noun.bare else _B
    word = f"{_MOD}(?P<noun>{noun.words})"
    of = "(?:的|家的?|这边的?)?"
    is_ = _IS_IN if PLACE in noun.owned else _IS
    yield Form((f"^{_LEAD}{a}{of}{word}{_MID}{is_}{_COUNT}{b}{_END}"), noun)
    yield Form((f"^{_LEAD}{b}{_MID}(?P<is>是|就是|不是|成为了?|担任了?){_A}{of}{word}{_END}"), noun)
    yield Form(
        (
            f"^{_LEAD}{a}(?:旗下|下面|名下)?[还也]?有了?(?:[一二两三几\\d]+[个家位名只条款])?{word},?(?P<is>名"
            f"字叫|名叫|叫做?|名为|是|:){b}{_END}"
        ),
        noun,
    )
    if not noun.relation:
        yield Form(
            (
                f"(?P<a>[{SURE}{WEAK}]),?(?P<noun>{noun.words}|又叫|也叫|又称|也称|人称)(?P<is>叫做?|是|为"
                f"|做)?(?P<b>[{SURE}{WEAK}])"
            ),
            noun,
        )
        return
    yield Form((f"(?P<a>[{SURE}{WEAK}{USER}])(?:的|家的?){word}(?P<is>)(?P<b>[{SURE}{WEAK}])"), noun)
    if noun.user:
        yield Form((f"(?P<a>{USER}){word}(?P<is>)(?P<b>{SURE})"), noun)
    if noun.relation == "pen_name":
        yield Form(
            (
                f"^{_LEAD}{_ONE_A}[^,{SURE}{WEAK}{USER}{OTHER}{THIRD}]{{1,16}},(?:我?的)?(?P<noun>{noun.words})"
                f"(?P<is>是|叫做?|为){b}{_END}"
            ),
            noun,
        )
        yield Form((f"^{_LEAD}(?P<b>{SURE})(?:这个)?的?(?P<noun>{noun.words})(?P<is>是){_ONE_A}的$"), noun)
        yield Form(
            (f"^{_LEAD}{a}(?:写作|写书|发表|创作)[^,]{{0,4}}?用的(?P<noun>{noun.words})(?P<is>是|叫){b}{_END}"),
            noun,
        )
        yield Form((f"(?P<noun>{noun.words})(?P<is>是|叫|为)?(?P<b>{SURE})的(?P<a>{SURE})"), noun)
        yield Form((f"(?P<a>{SURE}),?(?P<noun>{noun.words})(?P<is>是|叫|为)?(?P<b>{SURE})"), noun)
        yield Form(
            (
                f"^{_LEAD}{_ONE_A}{_MID}(?:[用以])(?P<is>)(?P<b>{SURE})(?:这个|作为?|为|做"
                f"|当)(?:了)?(?:自己的)?(?P<noun>{noun.words})"
            ),
            noun,
        )
        yield Form(
            (f"(?:^|,){_LEAD}{_ONE_A}{_MID}(?:[用以])(?:这个)?(?P<noun>{noun.words})(?P<is>)(?P<b>{SURE})"),
            noun,
        )
        yield Form(
            (f"^{_LEAD}{_ONE_A}.{{0,6}}?[起取有用](?:了)?(?:一)?个(?P<noun>{noun.words}),?(?P<is>叫做?|名叫|是|为){b}"),
            noun,
        )


# -- read ------------------------------------------------------------------------------------------------------------


def ties(line: Line, *, nouns: bool = False) -> Iterator[Said]:
    """The relations of a clause, only those of ``nouns`` (the backend of, the boss of) where asked for."""
    present = set(line.signs)
    if not present & {SURE, WEAK, USER}:
        return
    by_key = _by_key()
    yielded = set[tuple[object, ...]]()
    for place in sorted({place for key in present & by_key.keys() for place in by_key[key]}):
        if nouns and place >= len(NOUNS):
            return
        for form in _forms()[place]:
            for found in _compiled(form.pattern).finditer(line.signs):
                for one in _made(line, form, found):
                    key = _key(one)
                    if key not in yielded:
                        yielded.add(key)
                        yield one


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a clause first has words of it: all of them take a third of a second."""
    return re.compile(pattern)


@cache
def _forms() -> tuple[tuple[Form, ...], ...]:
    return tuple(tuple(_forms_of(tie) if isinstance(tie, Verb) else _forms_for(tie)) for tie in (*NOUNS, *VERBS))


@cache
def _by_key() -> dict[str, frozenset[int]]:
    """Character -> the nouns and verbs that cannot stand in a clause without it, by place; each has one a way."""
    found: dict[str, set[int]] = {}
    for place, tie in enumerate((*NOUNS, *VERBS)):
        for word in _split(tie.words):
            for key in _keys(word):
                found.setdefault(key, set()).add(place)
        if isinstance(tie, Noun) and not tie.relation:
            found.setdefault("叫", set()).add(place)
            found.setdefault("称", set()).add(place)
    return {key: frozenset(places) for key, places in found.items()}


_GROUP = re.compile(r"\((?:[^()]|\([^()]*\))*\)[?*]?")
_MUST = re.compile(f"[{HAN}a-z](?![?*])")


def _keys(word: str) -> set[str]:
    """A character that stands in all that a way to say something matches; several of which one does."""
    found = _MUST.search(_GROUP.sub(" ", word.replace("{b}", " ").replace("{n}", " ")))
    return {found[0]} if found else set(re.findall(f"[{HAN}a-z]", word))


def _key(one: Said) -> tuple[object, ...]:
    if isinstance(one, Link):
        return (one.head[:2], one.tail[:2])
    if isinstance(one, Same):
        return (one.first[:2], one.second[:2], "")
    return (one.start, one.end, one.role)


def _made(line: Line, form: Form, found: re.Match[str]) -> Iterator[Said]:
    tie = form.tie
    left, right = (tie.head, tie.tail) if isinstance(tie, Verb) else (tie.owner, tie.owned)
    if (
        isinstance(tie, Noun)
        and tie.kind in _LIVING
        and tie.user
        and not _given(line, found, "b")
        and "叫" not in (found["is"] or "")
    ):
        return
    first = _ends(line, found, "a", left, user=tie.user)
    second = _ends(line, found, "b", right, user=isinstance(tie, Noun) and tie.user)
    if not first or not second or _of_something(found, tie):
        return
    if found.re.groupindex.get("is") and found["is"] in ("不是", "不在"):
        negated, ends = True, False
    else:
        negated, ends = _denied(found)
    for one in first:
        for other in second:
            if (one.start, one.end) == (other.start, other.end) or not (
                _given(line, found, "a") or _given(line, found, "b") or tie.relation in _BOTH_BARE
            ):
                continue
            if isinstance(tie, Noun):
                yield from _of_noun(line, tie, found, (one, other), negated=negated, ends=ends)
            else:
                head, tail = (other, one) if tie.turned else (one, other)
                yield Link(
                    head, tie.relation, tail, _verb_said(found, tie), negated, ends or tie.ends, tie.begins and not ends
                )


def _of_something(found: re.Match[str], tie: Verb | Noun) -> bool:
    """Whether 的 at its end makes the clause speak of something that belongs to the name: 这个笔名是陈默的."""
    tone = found["tone"] if "tone" in found.re.groupindex else ""
    return "的" in (tone or "") and (isinstance(tie, Noun) or "是" not in found[0])


_LIVING = (PERSON, ANIMAL)
_BOTH_BARE = frozenset(["pen_name"])
"""Relations that are said of nothing but names."""


def _of_noun(
    line: Line, noun: Noun, found: re.Match[str], ends_: tuple[Name, Name], *, negated: bool, ends: bool
) -> Iterator[Said]:
    owner, owned = ends_
    former = (
        found["mod"] in ("前", "前任", "原", "以前的", "之前的")
        if found.re.groupindex.get("mod") and found["mod"]
        else False
    )
    if not noun.relation:
        if not negated and not ends:
            yield Same(owner, owned)
        return
    if noun.kind and not owned.type and not owned.user:
        owned = owned._replace(type=noun.kind)
    named_so = noun.relation == "pen_name"  # what somebody is called, not who they are to the user
    if owner.user and noun.kind == PERSON and not (named_so or owned.user or negated or any(owned.role)):
        owned = owned._replace(role=_role(line, found))
    relation = found["noun"] if noun.relation == OWN_WORD else noun.relation
    head, tail = (owned, owner) if noun.turned else (owner, owned)
    begins = (found["is"] or "")[:1] in "换改变" if found["is"] else False
    yield Link(head, relation, tail, found["noun"], negated, ends or former, begins)


def _role(line: Line, found: re.Match[str]) -> tuple[int, int]:
    """The words from 我 to the noun."""
    start, end = line.span(found.start("a"), found.end("noun"))
    return (start, end) if end - start <= 12 and found.start("a") < found.start("noun") else (0, 0)


def _verb_said(found: re.Match[str], verb: Verb) -> str:
    said = found["verb"]
    return re.sub(f"{_SIGN}(?:{_AND}{_SIGN})*", "…", said) if re.search(_SIGN, said) else said


def _denied(found: re.Match[str]) -> tuple[bool, bool]:
    """Whether it says that something is not so, and that it is no longer so."""
    groups = found.re.groupindex
    neg = found["neg"] if "neg" in groups else None
    tone = found["tone"] if "tone" in groups else ""
    if "past" in groups and found["past"] and not neg:
        return False, True
    if not neg:
        return False, False
    if neg in ("不再", "再也不", "再也没", "再也没有", "已不") or (
        neg in ("不", "没", "没有") and "了" in (tone or "")
    ):
        return False, True
    return True, False


def _given(line: Line, found: re.Match[str], group: str) -> bool:
    """Whether an end is more than a word that nothing marks."""
    return re.search(_SIGN, found[group]) is not None


def _ends(line: Line, found: re.Match[str], group: str, types: frozenset[str], *, user: bool) -> list[Name]:
    start, end = found.span(group)
    said = line.signs[start:end]
    if not re.search(_SIGN, said):
        return [] if group == "a" and _NO_SUBJECT.search(said) else _bare(line, start, end, types)
    names: list[Name] = []
    for at in range(start, end):
        name = line.names.get(at)
        if name is None:
            continue
        if name.user:
            if not user or not types & {PERSON, ""}:
                return []
        elif name.type and name.type not in types or not name.type and "" not in types and PLACE in types:
            return []
        names.append(name)
    return names


_NO_SUBJECT = re.compile(
    "[夜手空钱时假班间期内中后前里外上下天日年月周晚早午余学完力心意然地得便费段阵次遍步趟起边块遂速于末底初头来去做写开搞弄建用]$"
    "|^(?:自|利用|花|熬|抽|趁|顺|随|亲|连|业余|空闲|闲|用|按|照|凭|靠|刚|先|曾|又|再|也|还|都|就|才|便|则|却|已|正|总|共|只|仅|光|单)"
)
"""Words that stand before a verb and are nobody: 业余做了一个…, 熬夜写了…."""


def _bare(line: Line, start: int, end: int, types: frozenset[str]) -> list[Name]:
    said = line.signs[start:end]
    span = line.span(start, end)
    if span[1] - span[0] != end - start or re.search(f"[{THIRD}{OTHER}]", said):
        return []
    if re.fullmatch(f"{_H}{{2,6}}(?:主管|总监|经理|负责人|总裁|总经理|主任|部长)", said) and PERSON in types:
        return [Name(*span, PERSON)]
    if not nameable(said) or (types == frozenset((PLACE,)) and not place_like(said)):
        return []
    return [Name(*span)]


# -- what something is -----------------------------------------------------------------------------------------------

_TRAIT = re.compile(
    rf"^{_LEAD}(?P<a>[{SURE}{WEAK}])[也还就都]*(?:是|作为)(?:一[位名个家款种只部本座支门项]|(?:我们"
    rf"|我)的?|[{OTHER}{USER}](?:的)?)?(?P<n>[{HAN}a-z0-9]{{2,14}}?)(?:[了吧啊呢哦]*)(?=$|[!~。])"
)
_BESIDE = re.compile(rf"(?:^|(?<=,))(?P<a>{SURE}),(?:[{OTHER}{USER}]的?|一[位名个家款])?(?P<n>{_H}{{2,10}})(?:,|$)")
_NO_TRAIT = re.compile(
    r"^(?:很|最|非常|特别|比较|真|因为|为了|在|由|从|否|不|没|想|要|会|能|可以|用|跟|和|对|这|那|什么"
    r"|谁|哪|怎|个|被|让|给|来|去|专门|我|你|他|她|它|自己|一直|当年|当时|第一次|今天|昨天|明天|有)"
    r"|[我你他她它吗呢么啊]|(?:的|了|好|多|远|近|贵|难|忙|大|小|新|旧|对|错|样|事|时候|时间|原因|意思"
    r"|问题|问题|关键|重点|办法|选择|感觉|话|候|天|年|月|日|次|件|点|人)$|[说想觉会能要让把被又]"
)


_COMPANY = re.compile("(?:公司|企业|集团|工厂|机构|供应商|客户|方|商)$")


def traits(line: Line) -> Iterator[Name]:
    """Names with what the clause says they are: MGB是保险方."""
    found = _TRAIT.match(line.signs)
    if found and not _NO_TRAIT.search(found["n"]) and (found["a"] == SURE or _COMPANY.search(found["n"])):
        name = line.names.get(found.start("a"))
        span = line.span(*found.span("n"))
        if name and span[1] - span[0] == len(found["n"]):
            yield name._replace(traits=(("", span),))


def besides(line: Line) -> Iterator[tuple[Name, tuple[int, int]]]:
    """Names with what stands behind a comma for them: 陈默，我们的首席工程师，…; and the signs of it."""
    for found in _BESIDE.finditer(line.signs):
        name = line.names.get(found.start("a"))
        if name and re.search(f"(?:{ROLE}|方|公司|平台|项目)$", found["n"]) and not _NO_TRAIT.search(found["n"]):
            yield name._replace(traits=(("", line.span(*found.span("n"))),)), (found.end("a"), found.end("n"))

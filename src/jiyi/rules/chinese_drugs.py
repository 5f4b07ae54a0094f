"""Medicines in Chinese, by how their names end and by the verb before, and who takes or prescribes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jiyi.rules.chinese_name_words import FUNCTION, HAN
from jiyi.rules.chinese_persons import H, matches
from jiyi.rules.found import Link, Name, Span, Stretch

_SURE = (
    "地平|双胍|西林|霉素|沙坦|普利|洛尔|他汀|拉唑|替丁|洛芬|列汀|列净|列酮|列美脲|列齐特|列喹酮|头孢[一-鿿]{1,2}"
    "|阿司匹林|胰岛素|乙酰氨基酚|氯雷他定|替利嗪|唑仑|西泮|西汀|舍曲林|普仑|沙班|格雷|华法林|泼尼松|松龙|米松"
    "|替尼|单抗|司他韦|甲状腺素|优甲乐|褪黑素|孟鲁司特|硝酸甘油|秋水仙碱|别嘌醇|曲马多|卡马西平|氯氮平|奥氮平"
    "|(?:缓释|控释|肠溶|分散|含|咀嚼)片|(?:胶囊|口服液|冲剂|滴眼液|颗粒)"
)
"""Endings that only medicines have."""
_ALSO = "平|胍|林|素|酮|唑|芬|片|丸|嗪|汀|韦|钠"
"""Endings that tell where the verb is one that is said of medicines."""
_NONE = re.compile(
    "维生素|抗生素|[性雌孕]?激素$|[毒色元因要]素$|^(?:一|这|那|几|各|中|西|止痛|止疼|消炎|退烧|感冒|安眠|减肥|口香|保健"
    "|营养|进口|国产)(?:种|药|些)?(?:片|丸|胶囊|颗粒|冲剂|口服液)|[肉薯麦鱼面豆切图照]片|药片$|[肉鱼]丸"
)
_SOME = (
    r"(?:(?:[一二两三四半几]|\d+(?:\.\d)?) ?"
    "(?:片|粒|颗|盒|瓶|支|针|点|些|毫克|mg|单位|种|天|次|周|个月|年|回|顿)(?:的)?)?"
)
_PLAIN = f"(?:(?!片|粒|[{FUNCTION}吃服停换改给用打饭前后早晚天])(?:{H}))"
_ENDS = (
    f"(?=$|[^{HAN}]|[了吗吧呢的和与跟及、已也都一两三很每来降治控之后时以并混注片胶钙钠缓肠分颗等还就效停过不没有早晚半饭]"
    "|是|可|能|会|要|对)"
)
_NAMED = re.compile(
    rf"(?:吃|服用?|用|开具?|停用?|停掉|停服|换成?|改成?|打|注射|和|跟|与|、|还有|把)(?:了|着|过|上|点|些|的是?|完)*"
    rf" ?{_SOME}(?P<name>{_PLAIN}{{0,6}}?(?:{_SURE}))(?![{HAN}]?[药类]){_ENDS}"
    r"|(?:服用|停用|停服|(?:医生|大夫|主任|医师|教授)[^,，。]{0,8}?开(?:了|的|具)*)(?:了|着|过)*"
    rf" ?{_SOME}(?P<also>{_PLAIN}{{1,5}}?(?:{_ALSO}))(?=$|[^{HAN}]|[和与跟了吗吧已后每])"
)

_KIN = (
    "妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|老公|老婆|丈夫|妻子|爱人|先生|太太|媳妇|儿子|女儿|孩子|哥哥?|姐姐?"
    "|弟弟?|妹妹?|男朋友|女朋友|公公|婆婆|岳父|岳母"
)
_DOCTOR = "(?:主治|家庭|私人)?(?:医生|大夫|医师)"
_WHEN = (
    "(?:今[天早晚年]|昨[天晚]|前天|上(?:个?月|周|个?星期)|这(?:个月|周)|本周|去年|最近|现在|目前|已经?|早就|后来|刚刚?|都|也|还"
    "|就|又|一直|正|每[天晚早日]|天天|长期|坚持|按时|开始|改|早[上晚]|晚上|饭[前后]|睡前|要|得|常年|终于|新)*"
)
_LASTS = "(?:在|一直|每[天晚早日]|天天|长期|坚持|按时|开始|改|目前|现在|常年)"
_EAT = "(?:吃|服用|口服|服|注射|打|用)着?"
_TAKES = re.compile(f"(?=.*{_LASTS}){_WHEN}在?{_WHEN}{_EAT}{_SOME}|{_WHEN}(?:服用|口服)着?{_SOME}")
_NOT = re.compile(f"{_WHEN}(?P<no>不再|不用再|再也不|不|没有?再|没有?在|从不|从来不)(?:吃|服用|用)(?:过)?{_SOME}")
_STOPS = re.compile(f"{_WHEN}(?:停用|停掉|停服|停吃|停止服用|停止使用|停|断)(?:掉)?了?{_SOME}")
_PUTS = re.compile(f"{_WHEN}把")
_STOPPED = re.compile("(?:给|都)?(?:停|停用|停掉|断|戒)了")
_GIVES = re.compile(
    rf"{_WHEN}(?:[给为帮](?:我们?|他|她|您)?(?:的)?(?:{_KIN})?)?{_WHEN}(?:开具?|开的?是?|处方)(?:了|的|过)?{_SOME}"
)
_WHO = re.compile(
    rf"(?:那|而|但是?|所以|因为|其实|另外|对了)*(?P<a>[我咱俺](?:们?家)?的?(?:{_KIN}|{_DOCTOR})|[我俺]|本人)?"
)
_CLAUSE = re.compile("[,，;；。:：!！\n]")
_FORM = "(?:[钙钠]|缓释|肠溶|分散|控释)?(?:片|胶囊)?"
_LIST = re.compile(f"{_FORM} ?(?:、|,|，|和|与|跟|及|以及|还有) ?")
_BEHIND = re.compile("(?:的|类|之类|以外|过敏)")
_STATED = re.compile("在|了|再|改")
"""What a clause without a subject has where it is no order: 在吃, 停用了, 不再吃."""
_SAYING = re.compile("[说问让叫劝]|告诉|建议|听|推荐|嘱咐")


def drugs(stretch: Stretch) -> Iterator[Name]:
    """The medicines of a stretch that somebody is said to take, to stop or to prescribe."""
    for found in matches(_NAMED, stretch):
        group = "name" if found["name"] else "also"
        if not _NONE.search(found[group]) and len(found[group]) > 1:
            yield Name(*found.span(group), "product")


def taken(stretch: Stretch, names: Sequence[Name]) -> Iterator[Link | Name]:
    """Who takes a medicine, no longer takes it, or has prescribed it; ``names`` in order."""
    low = stretch.low
    before: Link | None = None
    for place, drug in enumerate(names):
        if drug.type != "product":
            before = None
            continue
        last = names[place - 1] if place else None
        link = None
        if before and last and _LIST.fullmatch(low, last.end, drug.start):
            link = before._replace(tail=drug)
        elif not _BEHIND.match(low, drug.end, stretch.end) or low[drug.start - 1] == "的":
            link = _link(stretch, names[:place], drug)
        if link:
            yield link
            if not link.head.user:
                yield link.head
        before = link


def _link(stretch: Stretch, others: Sequence[Name], drug: Name) -> Link | None:
    low = stretch.low
    start = max((one.end() for one in _CLAUSE.finditer(low, stretch.start, drug.start)), default=stretch.start)
    head, at = _head(low, start, others, drug)
    says = _says(low[at : drug.start].strip(), low[drug.end : stretch.end])
    if says is None:
        return None
    words, negated, ends, said = says
    if head is None:
        stated = words == "takes" and not negated and at == start and _STATED.search(low, start, drug.start)
        head = _unsaid(stretch, start, others, drug) if stated else None
    if head is None or (words == "prescribed" and (head.user or _is_kin(low, head))):
        return None
    if words == "takes" and not head.user and low[head.start : head.end].endswith(("医生", "大夫", "医师", "主任")):
        return None
    return Link(head, words, drug, said, negated, ends)


def _head(low: str, start: int, others: Sequence[Name], drug: Name) -> tuple[Name | None, int]:
    """Who the clause begins with, and where it goes on."""
    person = next((one for one in others if start <= one.start < drug.start and one.type == "person"), None)
    found = _WHO.match(low, start, drug.start)
    if person and found and (person.start <= found.end() or low[start : person.start] in _roles(low, person)):
        return person, person.end
    if found and found["a"]:
        here = found.span("a")
        user = found["a"] in ("我", "俺", "本人")
        return Name(*here, "" if user else "person", user=user), here[1]
    return None, start if found is None or found.end() == start else found.end()


def _roles(low: str, person: Name) -> tuple[str, ...]:
    return (low[slice(*person.role)],) if any(person.role) else ()


def _is_kin(low: str, head: Name) -> bool:
    return re.fullmatch(f".*(?:{_KIN})", low[head.start : head.end]) is not None


def _unsaid(stretch: Stretch, start: int, others: Sequence[Name], drug: Name) -> Name | None:
    """Who a clause without a subject is about: whom the sentence began with, else the user."""
    low = stretch.low
    if start == stretch.start or not low[stretch.start : start].strip(" ,，"):
        return Name(start, drug.start, user=True)
    first = _WHO.match(low, stretch.start, start)
    named = any(one.type == "person" for one in others)
    if first is None or not first["a"] or named or _SAYING.search(low, stretch.start, start):
        return None
    here: Span = first.span("a")
    rest = low[here[1] : start]
    if re.search(f"[你他她它]|{_KIN}|{_DOCTOR}", rest):
        return None
    user = first["a"] in ("我", "俺", "本人")
    return Name(*here, "" if user else "person", user=user)


def _says(between: str, behind: str) -> tuple[str, bool, bool, str] | None:
    """The relation, whether it is denied, whether it is over, and the words for it."""
    if _STOPS.fullmatch(between) or (_PUTS.fullmatch(between) and _STOPPED.match(behind)):
        return "takes", False, True, "停用"
    if found := _NOT.fullmatch(between):
        over = "再" in found["no"] or (found["no"] == "不" and behind.startswith("了"))
        return "takes", not over, over, found["no"] + "吃"
    if _TAKES.fullmatch(between):
        return "takes", False, False, between
    if _GIVES.fullmatch(between):
        return "prescribed", False, False, "开"
    return None

"""Names of organisations and places in Chinese: by what they end in, and words before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_name_words import FUNCTION, HAN, ROLE, STRONG, WEAK
from jiyi.rules.chinese_no_names import COMMON, GENERIC, NO_LATIN, PLACES
from jiyi.rules.chinese_persons import FOLLOWS, LEFT, H, matches, nameable, person_like
from jiyi.rules.chinese_words import OCCUPATIONS
from jiyi.rules.found import Name, Stretch

_ORG = re.compile(rf"(?:(?:{WEAK})*(?:{STRONG}))+|(?:{WEAK})+(?!{STRONG})")
_ORG_CUT = re.compile(
    r".*(?:[,，。;；:：、!！?？()（）\s\"“”「」『』《》了着过]|(?<!目)的|(?<![存现])在|去|到|来|从|给"
    r"|跟|(?<![平饱温暖总协])和|与|及|或|是|被|把|让|将|向|找|叫(?:做)?|名为|入职|加入|收购|投资|创办|创立"
    r"|成立|全称|简称|全名|原名|子公司|母公司|属于|位于|控股"
    r"|(?<!自)由|(?<!专)为|(?<![公国没])有|比|像|往|进|当|用|对|就职于|任职于|供职于|毕业于|就读于"
    r"|考上|考进|对比|联系|拜访|参观|打电话|通知|这|那|某|每|个|家|所|间|我们?|你们?|他们?|她们?"
    r"|[一二两三几][家所间个趟次下份]|下|最近|如今|回|(?<!海)上(?!海)|送|陪|跑|看|参加|报名|决定|选择"
    r"|办理|使用|申请|(?<!学)会|要|说|想|年|月|日|号|天|前|后|上午|下午|晚上|早上)"
)
_ORG_NOT_BEFORE = re.compile(
    r"(?:的?(?:内部|股份|卡|家|业务员)|[感化园业界学圈员力城卡长面件分署门型版类级史物者师迷费税品性院"
    r"])|(?:公司|平台|行业|产业|领域|市场)"
)
_PLACE = re.compile(
    rf"(?:{LEFT})(?P<known>{'|'.join(sorted(PLACES, key=len, reverse=True))})(?P<more>(?:(?:(?![{FUNCTION}"
    rf"一老几具各条座旧新]){H}){{0,4}}?(?:省|市|自治区|区|县|镇|村|街道|大道|路|街|巷))*)(?=$"
    rf"|[^{HAN}]|的|和|与|出差|玩|旅[游行]|市|工作|上班|读|念|上学|生活|定居|住|待|开会|参加|办|做|开"
    r"|有|是|那|这|人$|了|过|看|考|买|当|找|就|也|很|比|最|去|来|到|回|飞|见|租|设)"
)
_AT_PLACE = re.compile(
    r"(?P<verb>住在|搬到|搬去|搬回|来自|定居在?|位于|坐落于|坐落在|总部在|总部设在|总部位于|出生于"
    rf"|出生在|老家在|老家是|出差去|设在)了?(?P<name>(?![{FUNCTION}一二三几两家公]){H}{{2,8}}?)(?=$"
    rf"|[^{HAN}\w]|的|工作|上班|读书|生活|出差|[,，])"
)
_ORG_BODY = re.compile(f"[{HAN}a-z0-9·&-]+")
_LOCAL = re.compile(f"{H}{{2,4}}?(?:省|市|区|县|镇)")
_BORDER = re.compile(FOLLOWS)
_WORKS = re.compile("(?:工作|上班|任职|就职|实习|打工|任教)")
_SORT = re.compile("|".join(sorted(map(re.escape, (word for word in GENERIC if len(word) > 1)), key=len, reverse=True)))
_VERBAL = re.compile(
    "协调|处理|返回|根据|乘坐|备考|回头|思考|搬运|致电|预约|参考|回忆|怀念|告别|联系|选择|讨论|咨询"
    "|注意|查收|喜欢|关于|开设|已经|突然|需要|正在|准备|打算|计划|送|陪|跑|看|忙|好多|很多|许多|原定"
    "|步行|查询|提交|成功|回归|离开|经过|路过|考虑|研究|孩子|女儿|儿子|[昨今当]晚|[上下中]午|刚|再"
    "|又|先|能|可|多|知道|强度|玩|开|样"
)
_SPOT = re.compile(f"[{HAN}]{{2,10}}(?:省|市|区|县|镇|村|路|街|巷|街道|大道|小区|花园|新村)(?:\\d+[号弄栋])?")
_NO_SPOT = re.compile("[城镇村街楼房店园屋层区里上下中]$|[一老]")


def organisations(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_ORG, stretch):
        if name := organisation(stretch, found, sure=True):
            yield name


def _no_body(body: str) -> bool:
    """Whether the words before an ending name nothing: 互联网公司, 附近的银行, 我丈夫公司."""
    return (
        body in GENERIC
        or body in COMMON
        or body.endswith(("型", "式", "性", "级", "类", "化", "业", "多", "某", "新", "的"))
        or re.fullmatch(f"(?:{WEAK})+", body) is not None
        or any(
            (body.startswith(word) or body.endswith(word)) and len(body) - len(word) < 2
            for word in GENERIC
            if len(word) > 1
        )
        or any(body[:at] in GENERIC and body[at:] in GENERIC for at in range(1, len(body)))
        or re.search(f"(?:{ROLE})$", body) is not None
        or person_like(body)
    )


def _plain_body(body: str) -> bool:
    return not any(char in FUNCTION for char in body.replace("协和", "")) and not _VERBAL.search(body)


def organisation(stretch: Stretch, found: re.Match[str], *, sure: bool) -> Name | None:
    """The organisation that an ending closes; one of which the ending is a word of its own only where not ``sure``."""
    low = stretch.low
    first = max(stretch.start, found.start() - 12)
    window = low[first : found.start()]
    cut = _ORG_CUT.match(window)
    start = first + (len(cut[0]) if cut else 0)
    body = low[start : found.start()]
    strong = re.search(f"(?:{STRONG})$", found[0]) is not None
    if sure and not strong:
        return None
    if len(body) < 2 or (len(window) == 12 and not cut) or not _ORG_BODY.fullmatch(body) or _no_body(body):
        return None
    if strong:
        local = next((place for place in PLACES if body.startswith(place)), "") or _LOCAL.match(body)
        if _WORKS.match(low, found.end(), stretch.end):
            sure_end = low[start - 1] in "在去到进回" and not _SORT.search(body)
        else:
            sure_end = _BORDER.match(low, found.end(), stretch.end) is not None
        if not local and (len(body) > 5 or not sure_end or not _plain_body(body)):
            return None
        if (
            local
            and (
                body[len(local if isinstance(local, str) else local[0]) :] in GENERIC - {"第一", "人民", "农商", "商业"}
            )
            and len(body) > 2
            and body not in PLACES
        ):
            return None
    elif len(body) > 5 or any(char in FUNCTION for char in body):
        return None
    behind = low[found.end() : min(stretch.end, found.end() + 4)]
    if _ORG_NOT_BEFORE.match(behind):
        return None
    return Name(start, found.end(), "organisation")


def weak_organisations(stretch: Stretch) -> Iterator[Name]:
    """What is an organisation where the place in the sentence says so: 蓝湾物流, but also 扫地机器人."""
    for found in matches(_ORG, stretch):
        if re.search(f"(?:{STRONG})$", found[0]) is None and (name := organisation(stretch, found, sure=False)):
            yield name


def places(stretch: Stretch) -> Iterator[Name]:
    for pattern in (_PLACE, _AT_PLACE):
        for found in matches(pattern, stretch):
            if pattern is _PLACE:
                yield Name(found.start("known"), found.end("more"), "place")
            elif is_place(found["name"], led=found["verb"] != "来自"):
                yield Name(*found.span("name"), "place")


def place_like(said: str) -> bool:
    """Whether the words behind 住在 and 位于 name a place: no 公司附近 and 学校宿舍."""
    return not re.search(
        "附近|隔壁|旁边|对面|里面|外面|楼|宿舍|公寓$|酒店|宾馆|民宿|学校|公司|单位|医院|父母|老家|乡下"
        "|农村|城市|市区|市中心|郊区|海边|山上|山里|地方|家|哪|那|这|国外|外地|国内|同一|一起|自己|别人"
        "|东边|西边|南边|北边|城[东西南北]|中心$|边$",
        said,
    )


def organisation_in(text: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The organisation that a value such as an employer names; None for 一家小公司 and 互联网公司."""
    start, end = span
    said = text[start:end]
    low = said.lower()
    if re.search("[a-z]", low):
        return span if re.fullmatch(r"[\w .&+-]{2,40}", said) and low not in NO_LATIN and not low[0].isdigit() else None
    if re.match("(?:做|当)", text[end : end + 1]) and not re.search(
        f"^.{{1,8}}?(?:{OCCUPATIONS})", text[end : end + 12]
    ):
        return None  # 在医院做了检查
    last = max(_ORG.finditer(low), key=lambda found: found.end(), default=None)
    if last is None:
        return span if nameable(low) and len(low) <= 5 else None
    body = low[: last.start()]
    if last.end() != len(low) or len(body) < 2 or body in GENERIC or re.fullmatch(f"(?:{WEAK})+", body):
        return None
    return span if not any(char in "的了在是有和与" for char in body) else None


def is_place(said: str, *, led: bool) -> bool:
    """Whether a value is the name of a place; ``led`` by words such as 住在 also one that nothing else marks."""
    if not place_like(said):
        return False
    if any(said.startswith(place) for place in PLACES):
        return len(said) <= 12 and not any(char in FUNCTION or char == "一" for char in said)
    if _SPOT.fullmatch(said):
        return not any(char in FUNCTION or char in "一老旧新" for char in said[:2]) and not any(
            char in "的了看写" for char in said
        )
    return led and len(said) <= 4 and nameable(said) and not _NO_SPOT.search(said)

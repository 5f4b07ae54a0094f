"""Names of people in Chinese: surnames, titles, nicknames, and words that announce them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_name_words import (
    COMPOUND,
    FUNCTION,
    GIVEN,
    HAN,
    LONG_TITLES,
    NOUN_ENDS,
    ROLE,
    SURNAME,
    SURNAMES,
    THING_ENDS,
    TITLES,
    TWICE,
)
from jiyi.rules.chinese_no_names import COMMON, GENERIC, PLACES
from jiyi.rules.found import Name, Stretch

H = f"[{HAN}]"
_BEFORE = "找跟和与给对问向约见叫让请把被由是在从到的了及同带陪去来说为比像听想有会将过替用于至往"
LEFT = f"(?<![{HAN}a-z0-9·])|(?<=[{_BEFORE}])"
FOLLOWS = (
    rf"(?=$|[^{HAN}a-z·]|是|在|说|讲|的|和|与|跟|也|都|很|去|来|要|会|想|给|对|把|被|让|叫|从|到|已"
    r"|刚|今[天年晚早]|明天|昨[天晚]|后天|上[周个次]|下[周个次午]"
    r"|这[周次个]|现在|最近|喜欢|住|负责|做|写|用|有|没|不|又|再|还|一[起直样]|先|约|请|带"
    r"|发[来给起布现]|打[来电算]|提[到议醒出]|告诉|问|帮|介绍|推荐|送|买|教|觉得"
    r"|建议|回[来复家]|过来|家|等|能|可|就|才|将|创[办立建]|发起|开发|担任|任职|离职|辞职|加入|入职"
    r"|搬|生[日病]|考|当|病|爱|拿|找|看|听|吃|喝|走|跑|带|陪|约|聊|见|表示|认为|以|借|收|接|换"
    r"|开[始车会了]|走|站|坐|辞|毕业|退休|结婚|怀孕|出生|出差|出国|今天|过生日|强[烈调]|预[约订]"
    r"|同[意步]|特[别意]|专门|主动|按|沟通|联系|交[流给代换]|检查|确认|一致|出[差去门]|那[边里]"
    r"|这[边里]|两|三|跟进|分享|对接|参加|一|各|每|常|总|正|突然|终于|果然|其实|今后|嫁|娶|收购|投资"
    r"|离开|批准|设计|发明|编[写剧]|出版|主持|主管|领导|带领|牵头|养了|跳槽|升[职任了]|晋升"
    r"|调[到去任]|笔名|艺名|曾|就职|供职|来自|属于|隶属|旗下|工作|上班|实习|任教)"
)
_GIVEN = f"[{GIVEN}]"
_ANY_GIVEN = f"(?![{FUNCTION}])[{HAN}]"
_FULL = f"{SURNAME}{_ANY_GIVEN}(?:{_GIVEN})??"
_TITLED = f"(?:[小老]?{SURNAME}(?:{TITLES})|{SURNAME}{_GIVEN}{{1,2}}(?=(?:{LONG_TITLES})))"
_NICK = (
    f"(?:小(?:[{SURNAMES}]|{_GIVEN})|老[{SURNAMES}]|阿(?:{_GIVEN}|[{SURNAMES}]|宝|黄|花|福|旺)"
    f"|(?P<twice>[{TWICE}])(?P=twice)|(?!小|大|一){_GIVEN}{{1,2}}(?:哥|姐|叔|姨))"
)
_PART = f"(?![{FUNCTION}为因而])[{HAN}]"
_FIRM = (
    f"(?:{SURNAME}{_GIVEN}{{2}}|{SURNAME}(?:{_ANY_GIVEN}){{2}}(?![{HAN}])"
    f"|{SURNAME}{_GIVEN}(?!{_GIVEN})|[小老][{SURNAMES}](?![子儿们时学])"
    f"|小{_GIVEN}(?![子儿们时学])|阿{_GIVEN})"
)
"""What is a name behind a word such as 同事, whatever follows."""
FOREIGN = f"(?!短信|发送|微信)(?:{_PART}){{1,6}}(?:·(?:{_PART}){{1,6}})*·(?:{_PART}){{1,5}}?{FOLLOWS}"
_ROLED = re.compile(
    r"(?P<role>(?:我们?家?的?|咱们?家?的?)?(?:[大小]学|高中|初中|公司|部门|店里?的?|书店|医院"
    rf"|学校)?(?:{ROLE})|我们?家?[妈爸爷奶哥姐弟妹])(?:的|叫|是)??"
    rf"(?P<name>{FOREIGN}|{_TITLED}|(?:{_FULL}|{_NICK}){FOLLOWS}|{_FIRM})"
)
_OF_PART = re.compile(
    rf"(?P<role>(?:(?!{'|'.join('我你他她它的了在是和')}){H}){{1,6}}(?:部|组|团队|店|班|公司|医院"
    rf"|学校|大学|科))的(?P<name>{FOREIGN}|{_TITLED}|(?:{_FULL}|{_NICK}){FOLLOWS}|{_FIRM})"
)
_PEN = re.compile(
    rf"(?:^|[,，。;])[\"“「『']?(?P<d>{H}{{2,6}}?)[\"”」』']?(?:这个|这一)(?:笔名|艺名|化名|网名)是|"
    rf"(?:笔名|艺名|化名|网名|花名)(?:就)?(?:是|叫做?|为|:)?[\"“「『']?(?P<a>(?![是叫为在来的]){H}{{2,"
    rf"6}}?)[\"”」』']?(?=$|[^{HAN}]|的|在|写|发表|和|创作|出版|连载|,)"
    rf"|(?:用|以)[\"“「『']?(?P<b>{H}{{2,6}}?)[\"”」』']?(?:这个|作|作为|为|做|当)(?:了)?(?:他的|她的"
    r"|自己的)?(?:笔名|艺名|化名)"
    rf"|(?:^|[,，。;])[\"“「『']?(?P<c>{H}{{2,6}}?)[\"”」』']?(?:就)?是{H}{{1,8}}?的(?:笔名|艺名|化名)"
)
_SUBJECT = re.compile(
    r"(?:^|(?<=[,，;；:：、 ]))(?:(?:今天|昨天|前天|上周|昨晚|最近|后来|去年|今年|刚才|早上|晚上|下午"
    r"|上午|中午|周末|其实|而且|不过|然后|但是?|所以|和|跟|与|陪|带|找|给|约了?|问了?|见了?|听|叫)*)"
    rf"(?P<name>(?:{COMPOUND}|[{SURNAMES}]){_GIVEN}{{1,2}}?|{_NICK}){FOLLOWS}"
)
_AMID = re.compile(
    r"(?:(?<=[和跟与给找约带陪问向让请被由是娶])|(?<=嫁给了)|(?<=娶了)|(?<=认识了)|(?<=遇到了)"
    rf"|(?<=见了))(?P<name>(?:{COMPOUND}|[{SURNAMES}]){_GIVEN}{{1,2}}?"
    rf"|小[{SURNAMES}]|老[{SURNAMES}]){FOLLOWS}"
)
_AUTHOR = re.compile(
    r"(?:作者|创始人|发起人|负责人|ceo|董事长|总裁|老板|导演|主演|歌手|作家|首席执行官"
    rf"|首席工程师)(?:是|叫|为|:)(?P<name>{FOREIGN}|{_FULL}|{_NICK}){FOLLOWS}"
)
_OWNER = re.compile(
    rf"(?:(?:^|(?<=[,;。是叫为]))(?P<a>{SURNAME}{_GIVEN}{{1,2}})的(?:{ROLE}|笔名|艺名|化名|网名|英文名"
    r"|外号|后端|前端|公司|团队|项目|小说|新书|书|作品|文章)"
    rf"|(?:笔名|艺名|化名|网名)(?:是|叫|为)?{H}{{2,6}}?的(?P<b>{SURNAME}{_GIVEN}{{1,2}}?)(?:(?!{_GIVEN}"
    rf")|{FOLLOWS}))"
)
_IM = re.compile(rf"我(?:叫|是|就是|名叫)(?P<name>{SURNAME}(?:{_ANY_GIVEN}){{1,2}})(?=$|[^{HAN}])")
_FOREIGN_RE = re.compile(rf"(?:(?<![{HAN}])|(?<=[{_BEFORE}读看爱])|(?<=喜欢)|(?<=作[者家])){FOREIGN}")
_TITLED_RE = re.compile(rf"(?:{LEFT}){_TITLED}(?![{HAN}]{{0,1}}(?:们))(?!是谁)")
_TITLE_TRAP = re.compile(
    "(?:关于|对于|时|常|应|向|任|解|单|柴|全|万|安|方|高|成|管)(?:总|哥|姐|工|董|叔|伯|姨|爷|婶|嫂)"
    "|老(?:总|师|板)|小(?:姐|哥)|全工|施工|包工|成工|卫工"
)
_NAME_LIKE = re.compile(f"[{HAN}]{{2,6}}")


_NOT_ME = re.compile(f"(?:{ROLE}|[人家族党派粉迷])$")
_PLACES = tuple(PLACES)


def nameable(said: str) -> bool:
    """Whether Han characters that nothing marks may be a name: no common word, no sort of thing, no grammar in it."""
    return (
        _NAME_LIKE.fullmatch(said) is not None
        and said not in COMMON
        and said not in GENERIC
        and not any(char in FUNCTION for char in said)
        and said[-1] not in NOUN_ENDS
        and not THING_ENDS.search(said)
        and not said.startswith(("一", "两", "几", "某", "每", "新的", "老的", "本", "该", "各", "全", "所", "另"))
        and not re.fullmatch(ROLE, said)
    )


def person_like(said: str) -> bool:
    """Whether a word is built like the name of a person: 林薇, 小王, 阿强, 王总."""
    return (
        said not in COMMON and re.fullmatch(f"{SURNAME}{_GIVEN}{{1,2}}|{_TITLED}|{_NICK}|{FOREIGN}", said) is not None
    )


def matches(pattern: re.Pattern[str], stretch: Stretch) -> Iterator[re.Match[str]]:
    """Where an expression stands in a stretch."""
    return pattern.finditer(stretch.low, stretch.start, stretch.end)


def group(found: re.Match[str], *groups: str) -> tuple[int, int]:
    """Where the one of several groups stands that matched."""
    name = next((name for name in groups if found[name] is not None), groups[0])
    return found.span(name)


def pen_names(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_PEN, stretch):
        start, end = group(found, "a", "b", "c", "d")
        yield Name(start, end, "person")


def foreign(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_FOREIGN_RE, stretch):
        yield Name(*found.span(), "person")


_NOBODY = re.compile("(?:公司|团队|组)$")


def with_role(stretch: Stretch) -> Iterator[Name]:
    for pattern in (_ROLED, _OF_PART):
        for found in matches(pattern, stretch):
            said = found["name"]
            behind = stretch.low[found.start("name") - 1]
            if behind in "叫是" and _NOBODY.search(found["role"]):
                continue  # 我们公司叫云帆仪器
            if said in COMMON or re.fullmatch(ROLE, said) or _is_verbal(said) or (said[0] == "傅" and behind == "师"):
                continue
            yield Name(*found.span("name"), "person", found.span("role"))


def _is_verbal(said: str) -> bool:
    return said[0] in "常应时向关解别连管支祝" and not re.fullmatch(f"{SURNAME}{_GIVEN}{{1,2}}|{_TITLED}", said)


def of_the_user(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_IM, stretch):
        if found["name"] not in COMMON and not _NOT_ME.search(found["name"]) and not found["name"].startswith(_PLACES):
            yield Name(*found.span("name"), "person")


def owners(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_OWNER, stretch):
        start, end = group(found, "a", "b")
        if stretch.low[start:end] not in COMMON:
            yield Name(start, end, "person")


def authors(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_AUTHOR, stretch):
        if found["name"] not in COMMON:
            yield Name(*found.span("name"), "person")


def titled(stretch: Stretch) -> Iterator[Name]:
    for found in matches(_TITLED_RE, stretch):
        said = found[0]
        if said[:2] in ("家长", "金姐") or _TITLE_TRAP.match(said) or said in COMMON:
            continue
        yield Name(*found.span(), "person")


def subjects(stretch: Stretch) -> Iterator[Name]:
    for pattern in (_SUBJECT, _AMID):
        for found in matches(pattern, stretch):
            said = found["name"]
            if (
                said in COMMON
                or said in PLACES
                or _is_verbal(said)
                or any(said.startswith(word) for word in COMMON if len(word) == 2)
            ):
                continue
            yield Name(*found.span("name"), "person")

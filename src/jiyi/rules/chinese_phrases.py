"""Chinese phrases that say something wherever they stand in a clause: sums, numbers, orders, dates to keep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.chinese_values import ONLY_WHEN
from jiyi.rules.chinese_words import NUMBER
from jiyi.rules.found import Clause, Found

_CALL = re.compile(
    r"(?:可以|请|就|都|以后|大家|朋友们?|你|您|^)(?:都|就)?叫我(?!去|来|不|别|怎么|起|的|做|把|给|先"
    r"|快|回|们|帮|一|在|他|她|注意|多|少|再|如|到|什么|很|非常|好)(?P<v>[^，。；！？\n]{1,8}?)(?:就好"
    r"|就行|就可以|好了|即可|吧|啦|哦|$)"
)
_MONEY = (
    r"(?:[$￥¥€£]\s?\d[\d,.]*\d?(?:万|千|亿|k)?|\d[\d,.]*\s?(?:万|千|百|亿|k)?多?\s?(?:元|块钱?|圆"
    r"|美元|美金|人民币|欧元|英镑|日元|港币|刀|rmb|usd)|[零一二两三四五六七八九十百千万亿半]+多?(?:元(?!素|旦|宵)"
    r"|块钱|美元|欧元|英镑)|[一二两三四五六七八九][十百千万]+[零一二三四五六七八九十百千]*块"
    r"|(?:\d[\d,.]*|[一二两三四五六七八九十百几]+)万(?!一|分|能|里)(?:[一二三四五六七八九](?![个位名本只天]))?)"
)
_SUM = re.compile(_MONEY)
_BUDGET = re.compile(
    r"预算(?:上限)?(?:只|就|也|大概|大约|差不多|总共|一共|是|在|为|控制在|不超过|最多|有|定在|不能超过"
    rf"|：|:|\s)*(?P<v>{_MONEY}|\d[\d,.]*\d|{NUMBER})(?:以内|左右|以下)?"
    r"|(?:最多|不超过|不能超过|别超过|不要超过|不想超过|上限是?|控制在|顶多)(?:只)?(?:能|想|花|付|出"
    rf"|是)*(?P<w>{_MONEY}|\d{{3,}}[\d,.]*)|(?P<x>{_MONEY})(?:以内|以下|之内|封顶|为限)"
)
_PRICE = re.compile(
    r"(?:房租|租金|工资|月薪|年薪|总价|价格|单价|房贷|月供|学费|押金|费用|收入|薪水|一个月要?|每月"
    r"|每年|一小时|定金|尾款|首付|存款)(?:是|要|为|大概|大约|涨到了?|一共|总共|每个?月|一个月|：|:"
    rf"|\s)*(?P<v>{_MONEY}"
    r"|\d[\d,.]*\d(?!\d*[号日点个次天月年]))"
)
_IDENTIFIER = re.compile(
    r"(?:密码|口令|验证码|编号|单号|订单号?|快递|手机号?|手机|电话号?|号码|邮箱|微信号?|qq|车牌号?"
    r"|门牌号?|房号|房间号?|柜子|储物柜|柜号|卡号|账号|工号|学号|护照号?|身份证号?|航班号?|wifi|无线网"
    r"|发票号?|合同号|会员号|座位|车位|车停在|安排的|邮编|站台|鞋码|尺码)"
    r"[^，。；！？\n]{0,8}?(?:是|为|叫|在|：|:|=|\s)+\s*(?P<v>[a-z0-9#+][\w@.#+-]*(?:号|房|室|码)?"
    r"|[\u4e00-\u9fff]?[a-z][\w·-]{4,})"
)
_CODE = re.compile(
    r"(?<![\w.@/-])(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w|[a-z]{1,6}-\d{2,}[\w-]*|[a-z]{1,4}\d{4,}"
    r"|1[3-9]\d{9}|[京沪粤浙苏川渝津冀晋辽吉黑皖闽赣鲁豫鄂湘桂琼贵云陕甘青蒙宁新藏][a-z]·?[a-z0-9]{5})(?![\w@])",
    re.ASCII,
)
_ADDRESS = re.compile(
    r"(?P<mine>我们?家?的?(?:新|旧|老|现在的|家庭|收货)?|家庭|收货)?(?:地址|住址)(?:是|为|在"
    r"|改成了?|换成了?|：|:|\s)+(?P<v>[^，。；！？\n]{3,40})"
)
_NUMBERED = re.compile(r"(?:穿|停在|柜子|住在|发票|房间|柜|坐在|车位)[^，。；！？\n]{0,6}?(?P<v>\d+(?:号|码|房|室))")
_TASK = re.compile(
    r"(?:提醒我|别忘了?|不要忘(?:记|了)?|别让我忘了?|(?<!还)(?<!都)(?<!不)(?<!你)(?<!我)(?<!只)记得(?:要"
    r"|提醒我)?|要记得|帮我记一?下|待办[：:]?|别忘记)(?P<v>(?!我(?!们?要)|是|吗|你|您|了|的|那"
    r"|这)[^，。；！？\n]{2,40})"
)
_RULE = re.compile(
    r"^(?:请|麻烦|以后|今后|从现在起|从今以后|从今天起|你|您|千万|绝对|一定|所以|记住|都|再|也"
    r"|永远)*(?P<v>(?:(?<![特分区告个级派])别(?!人|的|说|忘|担心|客气|急|闹|处|墅|名|样|让我忘|生气"
    r"|难过|怕|慌)|不要(?!担心|紧张|着急|客气|脸|怕|慌|忘|太难|了|紧)|不许|不准|不得|禁止|严禁|切勿|勿"
    r"|务必|一定要|必须|千万(?!富|家)|绝不|永远不要|(?:一直|始终|总是|每次都?)(?=用|以|按)|不能(?=在|给|用|放|加|打"
    r"|发))[^，。；！？\n]{2,40})"
    r"|(?P<w>.{1,16}?(?:以前|之前|以后|时候|时|前|后|里)(?:千万|请|都)?(?:别|不要|不许|不准|禁止)(?!忘"
    r"|担心)[^，。；！？\n]{2,30})"
)
_RULE_OF_ME = re.compile(r"^我们?(?:家|公司|这里|团队)?(?:规定|要求|的规矩是|的原则是)(?P<v>[^，。；！？\n]{2,40})")
_DEADLINE = re.compile(
    r"截止|截至|到期|最晚|最迟|ddl|deadline|期限|有效期|(?:之前|以前|前)(?:必须|要|得|务必|就得)?(?:交"
    r"|提交|完成|做完|上线|付清|还清|发货|搞定)"
)
_WHEN = re.compile(
    r"[今明后昨前]天|大后天|[今明昨]晚|[下这本上]个?(?:周|星期|礼拜|月)|周[一二三四五六日天末]"
    r"|星期[一二三四五六日天]|礼拜[一二三四五六日天]|\d{1,2}[日号]|[一二三四五六七八九十]+[日号]"
    r"|(?:\d{1,2}|[一二三四五六七八九十]+)月|[月年]底|明年|后年|"
    r"\d{1,2}[:：]\d\d|\d{1,2}点|[一二两三四五六七八九十]+点|[天周月年]后|中秋|国庆|春节|元旦|五一"
    r"|端午|清明|除夕|圣诞"
)
_MEETING = re.compile(
    r"预约|约在|约了|约好|约我|面试|开会|会议|例会|航班|飞机|飞(?=[\u4e00-\u9fff])|火车|高铁|动车|看牙"
    r"|牙医|看医生|复诊|复查|体检|手术|考试|婚礼|聚会|聚餐|演唱会|比赛|搬家|出差|上课|看病|签约|答辩"
    r"|讲座|彩排|演出|约会|家长会|汇报|路演|展会|打疫苗|面谈|取车|去取|去拿|报到|开学|门票|入住|团建"
    r"|发布会|过来|来家"
)
_BOOKED = re.compile(
    r"(?:订|预订|预定|预约|买|抢到|定)(?:好)?了(?P<v>[^，。；！？\n]{0,16}?(?:票|酒店|民宿|餐厅|位子?"
    r"|房间?|机票|座|场地|课|车|套餐|团|行程)[^，。；！？\n]{0,8})"
)
_DECIDED = re.compile(
    r"(?:决定|选定|敲定|确定|商定|说好|定下来|定名为|就定|最后选(?:择)?了?|最终选(?:择)?了?|选择了)(?:了|是|要"
    r"|好)?(?P<v>(?!权|性|因素|不了)[^，。；！？\n]{2,30})|^(?:那|那么|好|行)?就(?P<w>(?:去|选|用|买"
    r"|订|定|吃|做|叫|约)(?!是|算|可以|好了)[^，。；！？\n]{1,24}?)吧?$"
)
_FORGET = re.compile(
    r"把(?P<v>[^，。；！？\n]{1,40}?)(?:都|全|给|这件事|的事情?|从记忆里)*(?:忘掉|忘了|忘记|删掉|删除"
    r"|删了|抹掉|抹去|清除|清掉)|(?:请|你|帮我|麻烦)*(?:忘掉|忘记|删掉|删除|抹掉"
    r"|清除)(?!了)(?P<w>[^，。；！？\n]{1,40})|^(?P<x>[^，。；！？\n我]{1,20})(?:忘掉|忘了)吧"
)


_FORGOTTEN = {
    "地址": "home",
    "住址": "home",
    "家": "home",
    "公司": "employer",
    "单位": "employer",
    "工作": "employer",
    "名字": "name",
    "电话": "identifier",
    "号码": "identifier",
    "手机号": "identifier",
    "邮箱": "identifier",
    "密码": "identifier",
    "生日": "birthday",
    "预算": "budget",
    "计划": "plan",
    "预约": "appointment",
}
_OWN = re.compile(
    r"^(?:我们?|咱们?)?(?:之前|以前|上次|刚才)?(?:说|提|讲|告诉你)?(?:过|到)?的?(?:关于)?(?:那个|这个"
    r"|旧|老|原来的?|以前的?)*"
)
_LABELS = re.compile(f"(?:旧|老)?({'|'.join(_FORGOTTEN)})(?:是|为|：|:)?")


def phrases(clause: Clause, who: str | None) -> Iterator[Found]:
    """What set phrases of a clause say.

    Args:
        clause: where.
        who: whom it is about; "" where it does not say, None for the assistant and for what others say, of which only
            orders and names count.
    """
    piece = clause.low[clause.start : clause.end]
    if forgotten := _forgotten(clause, piece):
        yield forgotten
        return
    if "叫我" in piece and (found := _CALL.search(piece)):
        yield Found("name", _value(clause, found))
    yield from _orders(clause, piece)
    if who is None:
        return
    for one in (*_chosen(clause, piece, sure=bool(who)), *_numbers(clause, piece), *_kept(clause, piece)):
        yield one._replace(subject=who) if who else one


def _kept(clause: Clause, piece: str) -> Iterator[Found]:
    """What must be done, or is fixed, for a time."""
    if _WHEN.search(piece):
        if _DEADLINE.search(piece):
            yield Found("deadline", clause.said(clause.start, clause.end))
        elif _MEETING.search(piece):
            yield Found("appointment", clause.said(clause.start, clause.end))


def _forgotten(clause: Clause, piece: str) -> Found | None:
    """What is to be forgotten: "把我的旧地址忘掉", not "别忘了"."""
    if not _OBLIVION.search(piece) or piece.startswith(("别忘", "不要忘", "我忘", "千万别忘")):
        return None
    found = _FORGET.search(piece)
    if found is None or _NOT_THAT.search(piece[: found.start()]):
        return None
    value = _OWN.sub("", _value(clause, found))
    label = _LABELS.match(value)
    return Found(_FORGOTTEN[label[1]] if label else "", value[label.end() :] if label else value, ends=True)


_OBLIVION = re.compile("[忘删抹]|清[除掉]")
_NOT_THAT = re.compile("别|不要|我(?:都|又|差点|老|总)?$")


def _value(clause: Clause, found: re.Match[str]) -> str:
    for name in ("v", "w", "x"):
        if name in found.re.groupindex and found[name] is not None:
            return clause.said(clause.start + found.start(name), clause.start + found.end(name))
    return clause.said(clause.start, clause.end)


def _orders(clause: Clause, piece: str) -> Iterator[Found]:
    if ("记" in piece or "忘" in piece or "提醒" in piece or "待办" in piece) and (found := _TASK.search(piece)):
        yield Found("task", _value(clause, found), importance=0.9)
    elif found := _RULE.search(piece) or _RULE_OF_ME.search(piece):
        yield Found("rule", _value(clause, found))


def _chosen(clause: Clause, piece: str, *, sure: bool) -> Iterator[Found]:
    """What was decided or booked; where nobody is named, only with nothing but a time before it."""
    for attribute, pattern in (("decision", _DECIDED), ("appointment", _BOOKED)):
        if (found := pattern.search(piece)) and (sure or ONLY_WHEN.fullmatch(piece, 0, found.start())):
            yield Found(attribute, _value(clause, found))
            return


def _numbers(clause: Clause, piece: str) -> Iterator[Found]:
    if ("地址" in piece or "住址" in piece) and (found := _ADDRESS.search(piece)):
        yield Found("home" if found["mine"] else "identifier", _value(clause, found))
        return
    if found := _BUDGET.search(piece):
        yield Found("budget", _value(clause, found))
        return
    if (found := _PRICE.search(piece)) or (found := _SUM.search(piece)):
        yield Found(
            "budget" if "预算" in piece or "最多" in piece else "amount",
            _value(clause, found)
            if found.re is _PRICE
            else clause.said(clause.start + found.start(), clause.start + found.end()),
        )
        return
    for pattern in (_CODE, _IDENTIFIER, _NUMBERED):
        if found := pattern.search(piece):
            yield Found("identifier", _value(clause, found))
            return

"""The Chinese words of time, and the expression that finds what can stand alone.

Words that are often part of another word (周, 月, 后天) count only where their neighbours allow it.
"""

from __future__ import annotations

import re

from jiyi.periods.spans import Unit

_DIGIT = "〇零一二三四五六七八九"
VALUE = {char: max(0, place - 1) for place, char in enumerate(_DIGIT)} | {"两": 2, "俩": 2}
_N12 = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_ONES = "[一二三四五六七八九]"
_N31 = rf"(?:3[01]|[12]\d|0?[1-9]|三十一?|二十{_ONES}?|廿{_ONES}?|十{_ONES}?|{_ONES})"
COUNT = r"(?:\d{1,3}|几|好几|数|十几|半|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
UNIT = r"(?:年|个?月|个?(?:周|星期|礼拜)|[天日]|个?(?:小时|钟头)|个?季度)"
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_YEAR = (
    r"(?:(?P<y>(?:19|20)\d\d|[一二][九〇零][〇零一二三四五六七八九]{2}|(?<![\d.])\d\d(?=\ ?年\ ?\d{1,2}\ ?月))\ ?年度?"
    r"|(?P<ry>大前年|(?<![之以天年月目])前年|去年|今年|本年|(?<![说声证表聪])明年|(?<![之以])后年)"
    r"|(?<![\d.几数零一二三四五六七八九十百千万好半第])(?P<yn>\d{1,2}|[一二两三四五六七八九十])\ ?年(?:之|以)?前)的?\ ?"
)
DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
PARTS = {
    "凌晨": (0, 6), "清晨": (5, 9), "清早": (5, 9), "早晨": (5, 11), "早上": (5, 11), "一早": (5, 11), "早": (5, 11),
    "上午": (6, 12), "中午": (11, 14), "下午": (12, 18), "傍晚": (16, 20), "晚上": (17, 30), "晚间": (17, 30),
    "夜里": (18, 30), "深夜": (21, 30), "半夜": (21, 30), "夜晚": (17, 30), "晚": (17, 30), "夜": (18, 30),
}  # fmt: skip
LONG_PART = "(?:" + "|".join(word for word in PARTS if len(word) > 1) + ")"
WEEK = "(?:周|星期|礼拜)"
WEEKDAYS = "一二三四五六日"
SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
FEASTS = {
    "大年初一": "spring", "春节": "spring", "除夕": "eve", "大年三十": "eve", "元宵节": "lantern", "元宵": "lantern",
    "端午节": "boat", "端午": "boat", "中秋节": "moon", "中秋": "moon", "清明节": "qingming", "国庆节": "national",
    "国庆": "national", "十一假期": "national", "元旦": "new year", "五一节": "may day", "五一假期": "may day",
    "劳动节": "may day", "情人节": "valentine", "妇女节": "women", "三八节": "women", "儿童节": "children",
    "教师节": "teachers", "万圣节": "halloween", "感恩节": "thanksgiving",
    "平安夜": "christmas eve", "圣诞节": "christmas", "圣诞": "christmas", "双十一": "singles", "双11": "singles",
    "母亲节": "mother", "父亲节": "father", "复活节": "easter",
}  # fmt: skip
WITH_YEAR = {
    "过年": "spring", "五一": "may day", "十一": "national", "清明": "qingming", "新年": "new year", "六一": "children",
    "跨年": "new year's eve",
}  # fmt: skip
_FEAST = "(?:" + "|".join(sorted(FEASTS | WITH_YEAR, key=len, reverse=True)) + ")(?!月)"
_RELATIVE = "(?P<{}>上上|下下|(?<![早晚马路身以网线楼车船床山天世手零地脚乡书会])[上下]|这|本)一?个?"
_NOT_WEEK = "(?![期围边长转折身密全到岁刊报年杰]|而复)"
_WD = (
    r"(?:[二三四五六](?!次|天|个|场|节|顿|篇|本|部|遍|件|名|人)|一(?![起直共些个下样次会块边同定旦致般切向])"
    r"|天(?!气)|日(?![程报常子记均历志期]))"
)
_TO = r"(?:到|至|[-~—])\ ?"

ATOM = re.compile(
    rf"""
    (?=[\d{_DIGIT}十廿两几好数半俩大前去今本明后上下这春夏秋冬第q暑寒除元端中国劳情妇儿教万感平圣双母父复过新清跨周星礼最近昨不年月])(?:
    (?P<iso>(?<![0-9a-z_./-])(?P<iy>(?:19|20)\d\d)(?P<sep>[-/.])(?P<im>1[0-2]|0?[1-9])(?P=sep)
        (?P<id>3[01]|[12]\d|0?[1-9])(?![\da-su-z./-]))
    |(?P<years>(?<![\d.])(?P<ya>(?:19|20)\d\d)年?{_TO}(?P<yb>(?:19|20)\d\d)年)
    |(?:{_YEAR})?(?:
        (?P<date>(?<![\d.第每个逢这两几正腊上下])(?<!每年)(?<!\d[-~到至、])
            (?:(?P<m0>{_N12})\ ?月?份?(?:{_TO}|、)|(?P<m1>[一二三四五六七八])(?={_ONES}月))?(?P<m>{_N12})\ ?月
            (?![亮饼龄薪租供嫂球息票经子均活费天光])(?:份(?!额|量))?
            (?:的?\ ?(?:(?P<d0>{_N31})\ ?[日号]?{_TO})?(?P<d>{_N31})\ ?[日号](?:{_TO}(?P<d1>{_N31})[日号])?)?)
        |(?P<feast>(?P<f>{_FEAST})(?!游|老|树|帽|袜|歌|卡)(?:假期|期间|长假|小长假)?)
        |(?P<yearly>(?<![早晚])(?P<half>[上下])半年|第?(?P<q>[1-4一二三四])季度|q(?P<q1>[1-4])|(?P<vac>暑假|寒假)
            |(?P<s>[春夏秋冬])(?:天|季)?(?!节|晚|游|联|花))
        |(?P<year>(?(y)|(?(ry)|(?!)))(?!代)(?P<today>今[天日])?)
    )
    |(?P<month>{_RELATIVE.format("rm")}月(?![亮饼光球台])份?(?:的?\ ?(?P<rd>{_N31})[日号])?)
    |(?P<week>{_RELATIVE.format("rw")}{WEEK}(?:(?P<wd>{_WD})(?:{_TO}{WEEK}?(?P<wd2>{_WD}))?|(?P<we>末))?{_NOT_WEEK})
    |(?P<bare>(?<![每逢到至和、~\-\d一两二三四五六七八九十几半整])(?<!每个)(?<!个)
        (?:周(?P<b0>{_WD})(?=$|[\s。、,.?!;:)”’」》"的早晚上下中凌我你他她它们去说聊是有要会能跟在那还做吃看见开不就可])
        |(?<!黑色)(?:星期|礼拜)(?P<b1>{_WD}))(?![到至和、~-]))
    |(?P<weekend>(?<![每逢两一])(?<![每过逢一]个)(?<!双休)周末(?!愉快|快乐))
    |(?P<ago>(?<![\d.几数一二三四五六七八九十百千万好半第])(?P<c>{COUNT})\ ?(?P<ch>个半)?(?P<u>{UNIT})(?P<more>多|半)?
        (?:之前|以前|前(?![后面夕往])))
    |(?P<past>(?P<pw>最近|(?<![了续花用长达将接])近|过去|这|(?<![之以年天月])前)的?\ ?(?P<pc>{COUNT})
            \ ?(?P<pu>年|个月|个?{WEEK}|天|个?小时)(?!级|半?[之以]?前)(?:以?来|内|里|间)?
        |(?P<while>前一?阵子?|前段时间|前段日子|前些天|前些日子|前不久|不久前|这阵子|这段时间))
    |(?P<day>(?P<dd>大前|(?<![之以目天年月日周先面眼当跟提生大])前|昨|今|(?<![声证聪透文黎])明|大后
        |(?<![之以然今最天日年月周午背先大])后)[天日](?!气|文|空|生|才|花|使|性|培|努|失|形|然|头条|方舟)
        (?P<dp>{LONG_PART}|[早晚夜](?!饭|餐|点|安|班|会|期|市|场|宵))?)
    |(?P<eve>(?P<ed>今|昨|(?:(?<=[我你他她们在是])|(?<![\u4e00-\u9fff]))前|(?<![声证聪透文黎])明)(?P<ep>[早晚夜儿])(?!期|年|到|退|点|辈)上?)
    |(?P<recent>(?<!离)(?<![离距]我)(?<![离距]家)最近(?!的|邻|点|处|一次|距|路)|近来|近期|近日)
    |(?P<edge>(?<![\d一二三四五六七八九十几半数个上下本这每去今明前后年那])(?P<eu>[年月])(?P<ee>初(?![一二三四五六七八九十])|底|末(?!班)))
    )""",
    re.VERBOSE,
)


def number_of(word: str) -> int:
    """A number below a thousand in digits or characters."""
    if word.isdecimal():
        return int(word)
    word = word.replace("廿", "二十")
    if "十" in word:
        tens, _, ones = word.partition("十")
        return 10 * VALUE.get(tens, 1) + VALUE.get(ones, 0)
    return VALUE[word]


def counted(word: str) -> tuple[float, float]:
    """Most and least that a number word means."""
    if word == "半":
        return 0.5, 0.5
    if word in ("几", "数", "好几"):
        return (9.0, 3.0) if word == "好几" else (6.0, 2.0)
    if word == "十几":
        return 19.0, 11.0
    number = number_of(word)
    return number, number


def unit_of(word: str) -> tuple[Unit, int]:
    word = word.removeprefix("个")
    if word == "季度":
        return "month", 3
    units: dict[str, Unit] = {"年": "year", "月": "month", "天": "day", "日": "day", "小时": "hour", "钟头": "hour"}
    return units.get(word, "week"), 1


def weekday_of(word: str) -> int:
    return WEEKDAYS.index("日" if word == "天" else word)

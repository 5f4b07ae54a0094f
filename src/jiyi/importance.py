"""How much a message matters later, by rules, in Chinese and English: pure, without a model, in microseconds.

A message is looked through for signals: something to be remembered, a prohibition, a commitment, a preference, a
number, a date, a name… Each signal counts once, however often it occurs, and takes its weight of what is still missing
to 1: two signals of .4 give .4 + .6 × .4 = .64.  So the parts add up to the score, no sum needs a limit, and one strong
signal outweighs several weak ones.

The weights follow what it costs to have forgotten the message: a person asked to remember it (.7); an allergy or
"never" may harm (.55); a promise or deadline is held against the bot (.4); preferences, amounts, names and times are
what people ask for later (.25 to .3); that something was denied, or that a person speaks of their own life, is a weaker
hint (.1, .15).  Length adds at most .25: who says more, says more of use, but a long text is not important because it
is long.  They were set by these reasons and checked on conversations with marked evidence, not fitted to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from jiyi.types import Message

WEIGHTS: Mapping[str, float] = {
    "remember": 0.7,
    "prohibition": 0.55,
    "commitment": 0.4,
    "preference": 0.3,
    "identity": 0.3,
    "amount": 0.3,
    "date": 0.3,
    "id": 0.3,
    "name": 0.25,
    "number": 0.15,
    "negation": 0.1,
    "life": 0.15,
}
"""Signal -> part of what is missing to 1 that it takes; the strongest first."""

SMALL_TALK = 0.02
"""A message that only greets, thanks or agrees: just above one that says nothing."""

_LENGTH = 0.25  # at most, for messages of _FULL words (a word: about two Han characters)
_FULL = 30
_QUESTION = 0.5  # what a message loses when all its sentences ask
_SAID_BY_OTHERS = 0.5  # assistant and tool: the memory is the user's.  A promise binds whoever gives it
_LOOKED_AT = 4_000  # characters at the beginning, and at the end, of a very long message

_LATIN = {
    "prohibition": "never allergic allergy allergies intolerant forbidden prohibited vegan vegetarian",
    "commitment": "promise promised must deadline due reminder schedule scheduled appointment agreed decided plan "
    "planning plans booked todo i'll we'll",
    "preference": "like likes love loves hate hates prefer prefers preferred favorite favourite favorites favourites "
    "enjoy enjoys dislike dislikes fan passionate passion wish want wants hobby hobbies",
    "date": "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december today tomorrow yesterday tonight week weekend month year ago birthday "
    "anniversary since",
    "negation": "not no nobody nothing none neither without don't doesn't didn't can't cannot won't isn't aren't "
    "wasn't haven't hasn't shouldn't wouldn't",
    "life": "my mine i've i'm we've wife husband daughter son mother father mom dad sister brother kids niece nephew "
    "boss colleague job moved married divorced diagnosed hired fired pregnant graduated",
    "number": "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand "
    "million dozen twice",
}
_LATIN_PHRASES = {
    "remember": "remember that|remember this|remember my|remember the|remember i|please remember|remember to|"
    "keep in mind|don't forget|do not forget|make a note|note that|for the record|"
    "remind me to|remind me about|remind me on|remind me at",
    "prohibition": "do not ever|under no circumstances|must not|mustn't|not allowed|"
    "don't eat|can't eat|cannot eat|do not eat|don't drink|can't drink",
    "commitment": "i will|we will|i am going to|i'm going to|we're going to|i need to|i have to|we need to|we have to|"
    "by the end of|no later than|let's go with",
    "preference": "can't stand|interested in|would rather|a fan of|dream of|looking for",
    "identity": "my name is|call me|i was born|i live in|i work as|i work at|i work for|years old|my address|my phone|"
    "my email|my number",
    "date": "last night|next time|this morning|this evening|recently started",
}
_HAN = {
    "remember": "记住|记下|记一下|记得要|请记|别忘|不要忘|牢记|备忘|提醒我|记好",
    "prohibition": "千万|绝对不|绝不|禁止|不准|不许|不得|严禁|过敏|忌口|忌讳|不能吃|不吃|吃素|素食|切勿|从不|"
    "不要|别放|别加|别给|别让|别打|别发|别用|别告诉",
    "commitment": "我会|答应|保证|承诺|一定会|必须|务必|截止|到期|待办|约好|说好|约定|决定|打算|我计划|计划在|计划去|"
    "准备去|预约|我来负责|我得",
    "preference": "喜欢|讨厌|爱吃|爱喝|偏好|最爱|不爱|更想|喜好|爱好|想要|希望|习惯|感兴趣|热爱|受不了|梦想|宁愿",
    "identity": "我叫|我的名字|我姓|住在|我的生日|出生|老家|从事|地址|电话|手机号|邮箱|毕业于|岁了",
    "date": "今天|明天|后天|昨天|前天|今晚|昨晚|上周|下周|这周|周末|星期|礼拜|上个月|下个月|去年|明年|今年|月底|年底|"
    "生日|纪念日|小时候|周一|周二|周三|周四|周五|周六|周日|除夕|春节",
    "negation": "不能|不是|没有|不想|不会|不用|别再|并非|未能|不再|没能|从未|不行",
    "life": "我的|我们家|妈妈|爸爸|父亲|母亲|妻子|老婆|丈夫|老公|女儿|儿子|姐姐|哥哥|弟弟|妹妹|孩子|男友|女友|"
    "男朋友|女朋友|同事|老板|朋友|结婚|离婚|怀孕|辞职|升职|搬家|毕业|住院|手术|失业|我最近|我在",
    "name": "《|「|先生|女士|老师|经理|医生|教授|公司|大学|医院",
}
_KIND_OF_WORD = {word: kind for kind, words in _LATIN.items() for word in words.split()}
_KNOWN_WORDS = frozenset(_KIND_OF_WORD)
_PHRASES = tuple((kind, f" {one} ") for kind, several in _LATIN_PHRASES.items() for one in several.split("|"))
_HAN_PHRASES = tuple((kind, one) for kind, several in _HAN.items() for one in several.split("|"))

# what looks like a signal, and is another thing: looking back, sayings, politeness, comfort
_NOT_MEANT = re.compile(
    r"\b(?:(?:do you|did you|don't|can't|i|i'll always|to) remember|never (?:been|had|seen|forget|forgot|thought|knew|"
    r"know|heard|tried|realized|mind)|i(?:'ll| will) (?:try|keep|think|consider|definitely|do my best|check|be here|"
    r"let you know|help|never|always)|don't (?:worry|know|think|have|mind|get me wrong))\b|"
    "没记住|还记得|记不记得|我会.{0,2}(?:考虑|尽|努力|试|继续|的|好好|一直|帮|虚心|注意|加油)|不要(?:担心|紧张|着急|害怕|客气)"
)
_FORBIDS = re.compile(r"(?:^|[.!;,:\n] *)(?:please |but |and )?(?:do not|don't|never) [a-z]")

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_HAN_CHAR = re.compile("[\u4e00-\u9fff]")
_DIGITS = (
    (
        "amount",
        re.compile(
            r"[$€£¥￥]\s?\d|\d[\d,.]*\s?(?:%|％|k\b|usd|rmb|dollars?|bucks|euros?|pounds?|yuan|kg|km|cm|lbs?|miles?|hours?"
            r"|minutes?|days?|weeks?|months?|years?|people|guests|元|块|万|亿|岁|公斤|千克|斤|公里|米|平|小时|分钟|天|"
            r"个月|年|人|份|杯|次|折|套|台)"
        ),
    ),
    (
        "date",
        re.compile(
            r"\d{1,2}[:：]\d\d|\d{4}\s?[-/.年]\s?\d{1,2}|\d{1,2}\s?月|\d{1,2}\s?[日号]|\b(?:19|20)\d\d\b|\d\s?[ap]m\b|"
            r"\d\s?点|\d(?:st|nd|rd|th)\b"
        ),
    ),
    ("id", re.compile(r"[a-z]{1,6}[-#]?\d{2,}|\d{2,}-\d{2,}|\d{6,}|#\s?\d")),
)
_ADDRESS = re.compile(r"\w@\w+\.|://\w")
_HAN_NUMBER = re.compile(
    "[二两三四五六七八九十百千万半几]+(?:百|千|万|元|块|岁|年|个|天|周|小时|分钟|斤|公斤|号|点|折|次|名|位|人|月)"
)
_NAME = re.compile(  # within a sentence, and nobody who is only greeted or thanked
    r"(?<=[a-z] )(?<![Hh]ey )(?<![Hh]i )(?<!hanks )(?<!ello )(?!Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|January|February)"
    r"[A-Z][a-z]+"
)
_SENTENCE = re.compile(r"[.!。！\n](?=\s|$|[\u3000-\uffff])|[?？]+|吗(?![?？])")

_SMALL_WORDS = frozenset(
    word
    for line in (
        "ok okay k yes yeah yep yup no nope sure fine great good nice cool awesome wow hi hello hey bye goodbye thanks",
        "thank you thx ty so much very really please welcome you're morning afternoon evening night haha hahaha lol",
        "hmm oh ah i see got it alright right perfect sounds well there a lot that's that is it's me too all done how",
    )
    for word in line.split()
)
_SMALL_HAN = re.compile(  # no part of it can be read in two ways, so it stays linear
    r"(?:好的?|嗯|哦|噢|啊|呀|哈|嘿|嘻|是的?|对的?|行|可以|谢谢?|多谢|感谢|你们?|您|不客气|不用谢|没事|没关系|再见|拜|"
    r"早上?|晚上?|中午|下午|安|明白|知道|了解?|收到|吧|呢|吗|哒|呵|辛苦|太|真|非常|不错|棒|哇|在|\W|_)*+"
)


@dataclass(frozen=True, slots=True)
class Rating:
    """How important a message is, and why.

    Attributes:
        score: 0..1.
        parts: signal -> its part of the score; they add up to it.
    """

    score: float
    parts: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def why(self) -> str:
        """The parts in words, the largest first, for the reader of an explanation."""
        return ", ".join(f"{name} {part:.2f}" for name, part in sorted(self.parts.items(), key=lambda p: (-p[1], p[0])))


def importance(message: Message) -> Rating:
    """Rates one message by what it says and who says it.

    ``pinned`` gives 1, and an ``importance`` that was given is taken as it is.  Messages without words give 0.
    """
    if message.pinned:
        return Rating(1.0, {"pinned": 1.0})
    if message.importance is not None:
        return Rating(message.importance, {"given": message.importance})
    text = message.text
    if len(text) > 2 * _LOOKED_AT:
        text = f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    if not text.strip():
        return Rating(0.0)
    lower = _NOT_MEANT.sub(" ", text.lower().replace("\u2019", "'"))
    words = _WORD.findall(lower)
    han = 0 if lower.isascii() else len(_HAN_CHAR.findall(lower))
    found = _signals(text, lower, words, han=han > 0)
    if message.role != "user":
        found.discard("remember")  # advice, or what was asked for before
    elif message.kind == "statement":  # stored by ``remember``
        found.add("remember")
    if not found - {"negation"} and _is_small_talk(lower, words):
        return Rating(SMALL_TALK, {"small talk": SMALL_TALK})
    weights = {kind: weight for kind, weight in WEIGHTS.items() if kind in found}
    weights["length"] = _LENGTH * min(1.0, (len(words) + han / 2) / _FULL)
    asks = _QUESTION * _asking(lower) if message.kind == "message" else 0.0
    others = 1.0 if message.role == "user" else _SAID_BY_OTHERS
    parts: dict[str, float] = {}
    missing = 1.0
    for kind, weight in weights.items():
        part = missing * weight * (1 - asks) * (1.0 if kind == "commitment" else others)
        parts[kind] = part
        missing -= part
    return Rating(1 - missing, parts)


def signals(text: str) -> set[str]:
    """The kinds of signal in a text, of those that ``WEIGHTS`` lists."""
    lower = _NOT_MEANT.sub(" ", text.lower().replace("\u2019", "'"))
    return _signals(text, lower, _WORD.findall(lower), han=not lower.isascii() and bool(_HAN_CHAR.search(lower)))


def _signals(text: str, lower: str, words: list[str], *, han: bool) -> set[str]:
    """The kinds of signal in a text.  One set operation for words and ``in`` for phrases beat a regex of them all."""
    found = {_KIND_OF_WORD[word] for word in _KNOWN_WORDS.intersection(words)}
    if words:
        line = f" {' '.join(words)} "
        found.update([kind for kind, phrase in _PHRASES if phrase in line])
        if _NAME.search(text):
            found.add("name")
        if _FORBIDS.search(lower):
            found.add("prohibition")
    if han:
        found.update([kind for kind, phrase in _HAN_PHRASES if phrase in lower])
        if _HAN_NUMBER.search(lower):
            found.add("amount")
    if any(map(str.isdigit, lower)):
        found.add("number")
        found.update([kind for kind, pattern in _DIGITS if pattern.search(lower)])
    if ("@" in lower or "://" in lower) and _ADDRESS.search(lower):
        found.add("id")
    return found


def _asking(lower: str) -> float:
    """The part of the sentences that ask, 0..1."""
    ends: list[str] = _SENTENCE.findall(lower)
    asking = sum(end[0] in "?？吗" for end in ends)
    open_end = lower.rstrip()[-1:] not in ".!。！?？吗"
    return asking / max(1, len(ends) + open_end)


def _is_small_talk(lower: str, words: list[str]) -> bool:
    """Whether nothing is said but a greeting, thanks, a sound or agreement."""
    if len(lower) > 80 or not _SMALL_WORDS.issuperset(words):
        return False
    return bool(_SMALL_HAN.fullmatch(_WORD.sub(" ", lower)))

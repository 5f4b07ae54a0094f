"""Whether the words beside two names say that they are one thing's.  Pure.

Two names in a sentence with "called", "or" and "I am" mostly are not: "Tom called Bob", "Ann or Beth", "I'm with Beth",
我是小王的老师.  So nothing may stand between them but words that tie names together.
"""

from __future__ import annotations

import re

from jiyi.text import flat

_NEAR = 80  # characters beside a name that are looked at
_TIE = re.compile(
    r"\b(?:a\.?k\.?a\b\.?|known (?:as|by)|also (?:called|named)|(?:is|are|was|were|be|been|'s|’s|often"
    r"|just) (?:called|named)"
    r"|call(?:s|ed)? (?:him|her|it|them)|nicknamed?|goe?s? by|short(?:ened)? (?:for|to)|stands? for|abbreviat\w+"
    r"|(?:nick|full |real |short |first |last |other |former |old |maiden |pet )name|initials|acronym"
    r"|the same (?:as|\w+ as)|(?<=whose )name|(?<=under the )name|(?<=by the )name"
    r"|(?:everybody|everyone|people|friends|colleagues|we|they|all) calls?)\b"
    r"|简称|又名|又称|也叫|又叫|也称|别名|别称|昵称|全称|缩写|英文名|中文名|真名|原名|本名|小名|外号|绰号|俗称|人称|[名就]?叫[做作]?|名为|称为|即|就是"
)
_OR = re.compile(r"\s*[,(（，]\s*(?:or|或)(?: simply| just| rather)?\s*[\"'“‘]?")
_FILL = frozenset(
    word
    for line in (
        "is are was were be been s it he she we they i you my our his her its their that which who whom whose what the",
        "a an and people everybody everyone friends colleagues family all usually often mostly just always sometimes",
        "simply here for of as by to name names also has have had under in short now then",
        "以 下 的 也 又 被 我 们 大 家 都 常 其 它 他 她 是 为 做",
        "作 在 里 平 时 有 一 般 通 可 统 人 这 那 个 名 字 称 之 朋 友 同 事",
    )
    for word in line.split()
)
_BRACKET = re.compile(r"\s*[(（\[【]\s*")
_CLOSES = re.compile(r"[\"'”’」』\s]*[)）\]】,，;；、]")
_WORD = re.compile(r"[^\W\u3400-\u9fff_]+|[\u3400-\u9fff]")
_QUOTES = " \"'“”‘’「」『』《》:：,，"
_NAMED_BEFORE = re.compile(
    r"(?:\b(?:calls?|called|nicknamed?|short for|(?:abbreviation|acronym|(?:nick|short |full "
    r"|other )?name) (?:of|for))"
    r"(?: the| my| our)?|(?:简称|全称|缩写|别名|外号|小名|昵称)[：:是为]?|[管把])[\s\"'“‘「]*$"
)
_ONE = re.compile(
    r"\s*(?:are |is |mean |refer to )?(?:all |both |really |actually |in fact )*(?:the same\b|one (?:person"
    r"|company|thing|and the same)\b)"
    r"|(?:其实|都|指的?)*是(?:同一|一个|一家|一回)"
)
_JOINED = re.compile(r"\s*(?:and|&|is|[和跟与同、]|其实|就|是)*\s*")
_IS_SHORT = re.compile(r"\s*的(?:简称|全称|缩写|别名|外号|小名|昵称|英文名|中文名|本名|真名)")
_MINE = re.compile(
    r"(?:\b(?:i am|i['’]?m|my (?:full |real |first |nick)?name(?: is|['’]s)|calls? me|called me|go by"
    r"|known (?:as|by)|also (?:called|named)"
    r"|nicknamed|call myself|(?:introduce|introduced) myself as|nickname(?: is)?|username is|my name)"
    r"|叫我|我[是叫姓]|(?:名字|昵称|小名|外号|绰号|全名|本名|真名|网名)[是叫为]?|我的?名叫|也叫|又叫|叫[做作])"
    r"(?: also| really| actually| just| usually)?[\s,:：，\"'“‘「]*(?:(?:dr|mr|ms|mrs|prof)\b\.? ?)?$"
)
_GOES_ON = re.compile(r"['’]s?\s+\w|[\"'”]?[\u3400-\u9fff]")
_ENDS = re.compile(r"[\"'”]?[也还和就现今以很是呢啊哦呀啦]")


def are_one(before: str, between: str, after: str) -> bool:
    """Whether the words before, between and behind two names say that they are one thing's."""
    if len(between) > _NEAR:
        return False
    low = flat(between)
    if opened := _BRACKET.match(between):
        inside = flat(between[opened.end() :])
        if not inside.strip(_QUOTES) or _TIE.search(inside):
            return _only_ties(inside) and bool(_CLOSES.match(after))
    if low.strip(_QUOTES) in ("", "is", "是", "叫", "as", "为") and _NAMED_BEFORE.search(flat(before[-_NEAR:])):
        return True
    if _JOINED.fullmatch(low) and (_ONE.match(after.lower()) or _IS_SHORT.match(after)):
        return True
    if _OR.fullmatch(between):
        return bool(_CLOSES.match(after))
    if low.endswith("叫") and _goes_on(after):  # "calls him over"
        return False
    return bool(_TIE.search(low)) and _only_ties(low)


def is_users(before: str, after: str) -> bool:
    """Whether the words around a name say that it is the user's: "I'm …", "call me …", 我叫…."""
    return bool(_MINE.search(f"{flat(before[-_NEAR:])} ")) and not _goes_on(after)


def _goes_on(after: str) -> bool:
    """Whether a name does not end there, or is called to do something: "Beth's teacher", 小王来吃饭, 北京人."""
    return bool(_GOES_ON.match(after.lower())) and not _ENDS.match(after)


def _only_ties(low: str) -> bool:
    """Whether a text has nothing but words that tie two names."""
    return all(word in _FILL for word in _WORD.findall(_TIE.sub(" ", low)))

"""Which words of a message are the user's own statements: quotes, code, pasted texts and stories are blanked out."""

from __future__ import annotations

import re

from jiyi.quoting import HEADER

BLANK = "\ufffc"
"""Stands for each character that is not the user's own; no rule has it."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_LINES = re.compile(r"^(?:[ \t]*(?:>|\||#!|\$ |>>>).*|(?: {4}|\t)\S.*|[^\n\t]*\t[^\n]*)$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*•·●○+]|\d{1,2}[.)、．]|[(（]\d{1,2}[)）]|[a-z][.)]|[①-⑳])[ \t]*\S.*$", re.MULTILINE)
_MINE = re.compile(r"\b(?:i|i'm|my|me|we|our|i've|i'll)\b|[我咱]")
_QUOTE = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”]{1,800}”|「[^」]{1,800}」|『[^』]{1,800}』"
    r"|(?<!\w)'[^'\n]{12,400}'(?!\w)|`[^`\n]{1,400}`"
)
_NAMELIKE = 24  # characters of a quote that may be a name or title: it stays
_SENTENCE_LIKE = re.compile(
    r"[.,!?。，！？;；]|\b(?:i|i'm|you|he|she|we|they|is|are|was|my)\b|[我你您他她]|(?:\S+\s+){4}"
)
_HEADERS = tuple(header[:-1].lower() for header in HEADER.values())
_AFTER_MEMORY = re.compile(r"\n[ \t]*\n(?!\s*\[)")

# a text that is handed over to be worked on: all that follows
_PASTED = re.compile(
    r"\b(?:translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|polish|edit|correct|analy[sz]e|review|explain"
    r"|shorten|improve|convert|fix|check)\b[^:\n]{0,80}(?::|\n)"
    r"|\b(?:here(?:'s| is| are)|this is|below is) (?:the|an?|my|our|his|her) (?:\w+ ){0,3}?(?:e-?mail"
    r"|mail|letter|article"
    r"|text|message|draft|essay|passage|document|transcript|post|review|log|poem|story|lyrics|code|paragraph|report"
    r"|speech|notes)\b[^\n:]{0,40}(?::|\n)"
    r"|^(?:subject|from|sent|betreff|主题|发件人|收件人)\s?: ?\S"
    r"|^dear (?:\w+[ ,.]?){1,4},?$|^(?:forwarded message|begin forwarded|-+ ?original message)"
    r"|(?:翻译|润色|改写|总结|概括|缩写|校对|修改|分析|解释|检查|优化|续写|扩写)[^：:\n]{0,30}(?:[：:]|\n)"
    r"|(?:以下|下面|这)(?:是|为)[^：:\n]{0,20}(?:邮件|文章|信|内容|文字|原文|短文|材料|报告|消息|通知"
    r"|代码|稿子|段落|歌词|作文)"
    r"[^：:\n]{0,10}(?:[：:]|\n)|(?:邮件|文章|原文|内容|通知|消息)(?:如下|全文)[：:\n]|^尊敬的[^\n]{1,20}[：:]",
    re.MULTILINE,
)
# made up, from here on
_FICTION = re.compile(
    r"\b(?:write|tell|compose|generate|create|make up|continue|draft)\b[^.!?\n]{0,40}\b(?:story|stories|poem|haiku|song"
    r"|lyrics|script|dialogue|novel|fiction|fan ?fic\w*|limerick|monologue|scene|fairy ?tale|screenplay|rap|sketch)\b"
    r"|\b(?:pretend|imagine|role-?play\w*|let's play|let's say|suppose|say that|act as|acting as|hypothetically"
    r"|play the role|in character|you are (?:now )?(?:a|an|my|the)|you're (?:now )?(?:a|an|my|the)"
    r"|from the perspective of"
    r"|in (?:this|the|my) (?:story|game|scenario|novel|dream|book)|my character|for the sake of argument)\b"
    # 我写悬疑小说 says what somebody does; 写个故事 and 我写了一部小说 begin one
    r"|(?:[编讲作创续]|(?<![我他她])写|写(?=了?[一两几个篇首部段点]))[^。！？\n]{0,14}(?:故事|诗|歌词|小说|剧本|童话|台词|段子|作文|对联|情书|日记|文案|独白|寓言|相声)"
    r"|扮演|假装|角色扮演|想象一?下|想象你|假设|假想|你现在是|你是一[个名位只]|设定[是为：:]"
    r"|以[^，。\n]{1,12}的(?:口吻|身份|语气|视角)"
    r"|(?:在|这个|我的)(?:故事|游戏|小说|梦)(?:里|中)|剧情|梦见|梦到"
)
_JOKE = re.compile(
    r"(?:^|\s)/s\b|\b(?:just kidding|jk|i'm kidding|i was kidding|only joking|just joking|i'm joking|not really lol"
    r"|yeah,? right|as if|sarcasm|sarcastically)\b|开玩笑|逗你的|反话|说笑|才怪|骗你的|玩笑话|讽刺"
)


_JOKES = (
    "/s",
    "kidding",
    "jk",
    "joking",
    "yeah right",
    "yeah, right",
    "as if",
    "sarcas",
    "玩笑",
    "逗你",
    "反话",
    "说笑",
    "才怪",
    "骗你",
    "讽刺",
)
_QUOTES = frozenset("\"“「『`'")
_TAG = re.compile(r"\[[^\]\n]{1,20}\]")
_TOLD = re.compile(r"\[[^\]\n]{0,40}(?:接收|收到|来自|received|inbox|from:)[^\]\n]{0,40}\]")


def own_words(low: str) -> str:
    """The plain text with all that is not the user's own statement blanked, character by character."""
    if (_any(low, _JOKES) and _JOKE.search(low)) or (low[0] == "[" and _TOLD.match(low)):
        return BLANK * len(low)
    for header in _HEADERS:
        if (at := low.find(header)) >= 0:
            after = _AFTER_MEMORY.search(low, at + len(header))
            low = _blanked(low, at, after.start() if after else len(low))
    if low[0] == "[" and (tag := _TAG.match(low)):
        low = _blanked(low, 0, tag.end())
    lines = "\n" in low
    if "```" in low or "~~~" in low:
        low = _CODE.sub(_blank, low)
    if _QUOTES.intersection(low):
        low = _QUOTE.sub(_quote, low)
    if found := _FICTION.search(low):
        low = _blanked(low, found.start(), len(low))
    if (lines or ":" in low) and (found := _PASTED.search(low)):
        low = _blanked(low, low.rfind("\n", 0, found.start()) + 1, len(low))
    if lines or low[0] in ">|-*•·#$ \t":
        low = _ITEM.sub(_item, _LINES.sub(_blank, low))
    return low


def _any(low: str, words: tuple[str, ...]) -> bool:
    return any(word in low for word in words)


def _blanked(low: str, start: int, end: int) -> str:
    return low[:start] + BLANK * (end - start) + low[end:]


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found[0])


def _quote(found: re.Match[str]) -> str:
    """A quoted sentence is somebody's words; a name or title in quotes stays."""
    inside = found[0][1:-1]
    if len(inside) <= _NAMELIKE and not _SENTENCE_LIKE.search(inside):
        return found[0]
    return BLANK * len(found[0])


def _item(found: re.Match[str]) -> str:
    """A line of a list is kept where it speaks of the user."""
    return found[0] if _MINE.search(found[0]) else BLANK * len(found[0])

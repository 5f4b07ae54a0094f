"""Names in a text: what is written with a capital within a sentence, and what Chinese words announce as a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.grounding.plain import HAN

_CAPITAL = re.compile(r"(?<![A-Za-z0-9'_@#/.-])[A-Z\u00c0-\u00de][A-Za-z\u00c0-\u017f]*(?:['-][A-Za-z\u00c0-\u017f]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n\r。！？：；]|(?:^|\n)\s*[-*•\d.)]+)[\s\"'(\[*_-]*$")
_NEXT = re.compile(r"\s+([A-Za-z']+)")

_NO_NAME_WORDS = (
    "i i'm i'd i've i'll ok okay tv pm am user users assistant ai mr mrs ms dr the a an and or but if of to in on at "
    "for from with by as is are was were be not no yes this that these those it its he she his her they their we our "
    "you your my me him them who what when where why how there here then also too so mon tue wed thu fri sat sun"
)
_NO_NAMES = frozenset(_NO_NAME_WORDS.split(" "))

_STARTER_WORDS = (
    "all any both each every everyone everything some someone something nothing nobody none one two three many most "
    "few several other others another such while since because after before during until about around over under "
    "between although though despite unlike like per via according currently now today tomorrow yesterday recently "
    "usually sometimes often always never once twice again still already soon later maybe perhaps please thanks only "
    "just even budget deadline birthday meeting appointment flight hotel trip plan plans project work job home house "
    "family friend friends mother father mom dad mum sister brother wife husband son daughter child children kid kids "
    "partner boss team colleague coworker dog cat pet car phone email address name age rent salary price cost total "
    "dinner lunch breakfast food coffee tea milk water school class course exam book movie music party wedding gift "
    "doctor medicine allergy diet weight height health blood back pain sleep people person customer client order "
    "delivery parcel package password code number account card money data server report contract invoice release "
    "version monday tuesday wednesday thursday friday saturday sunday"
)
_STARTERS = frozenset(_STARTER_WORDS.split(" "))
"""Words that often begin a sentence and are no names."""

_VERB_WORDS = (
    "is was has had will would can cannot can't does doesn't did didn't isn't wasn't and said says lives lived likes "
    "loves hates works worked wants wanted needs moved moves bought got plans prefers called calls met knows studies "
    "teaches owns drives runs plays eats drinks speaks visited came went goes thinks asked told"
)
_VERBS = frozenset(_VERB_WORDS.split(" "))
"""Words behind a name that stands first."""

_NAMED = re.compile(
    rf"(?:名叫|叫做|叫作|名字叫做?|名字是|名字为|(?<!大)(?<!尖)(?<!喊)叫)[“\"'「]?([{HAN}]{{2,4}}?)"
    rf"(?=[“”\"'「」，。,.;；!！?？、\s)）]|$|的|和|与|在|是|今年|现在|\d|[一二三四五六七八九十]岁|很|也|住|喜欢)"
    rf"|(?<![{HAN}])(?:[小老阿][{HAN}])(?=[是在的说要想有住和与喜今也，,。])"
    rf"|([{HAN}])(?=先生|女士|老师|医生|教授|经理|阿姨|叔叔|师傅|总监)"
    rf"|(?:住在|搬到|搬去|搬回|来自|定居在?|出生在|出生于|就职于|任职于|供职于|毕业于|就读于)([{HAN}]{{2}})"
)
_NOT_NAMED = re.compile(r"什么|我|你|他|她|外卖|车|停|人|医生|老师|自己|一起|这里|那里|哪|家|同一|附近")


def names(text: str) -> Iterator[tuple[str, int, int]]:
    """Names in small letters, and where they stand; of place names in Han the first two characters."""
    for found in _CAPITAL.finditer(text):
        name, start = found[0], found.start()
        end = found.end()
        if name.lower().endswith("'s"):
            name, end = name[:-2], end - 2
        if name.lower() in _NO_NAMES or (len(name) == 1 and not text[end : end + 1].isdigit()):
            continue
        if _starts(text, start) and not _is_name(text, name, end):
            continue
        yield name.lower(), start, end
    for found in _NAMED.finditer(text):
        group = next((at for at in (1, 2, 3) if found[at]), 0)
        if not _NOT_NAMED.match(found[group]):
            yield found[group], found.start(group), found.end(group)


def _starts(text: str, at: int) -> bool:
    """Whether a sentence begins there, where every word has a capital."""
    return bool(_SENTENCE_START.search(text[max(0, at - 12) : at])) if at else True


def _is_name(text: str, name: str, end: int) -> bool:
    """Whether a word at the start of a sentence is a name: another capital or a verb stands behind it."""
    if name.lower() in _STARTERS or name.lower().endswith("ing"):
        return False
    if not name.isupper() and text[end : end + 2].lower() == "'s":
        return True
    behind = _NEXT.match(text, end)
    return behind is not None and (
        behind[1] in _VERBS or (behind[1][0].isupper() and behind[1].lower() not in _NO_NAMES)
    )

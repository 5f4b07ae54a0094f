"""Secrets out of what is written: cards, identity numbers, bank accounts, keys and passwords.

Pure.  A number goes only when its form and its check digits agree, so that order numbers, times and hashes stay; a
password goes only where somebody says that it is one.  In its place stands a mark that says what was there,
``[redacted: card]``, in a Chinese text ``[已隐去：银行卡号]``; a second pass finds nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from jiyi.checkdigits import iban_end, is_brand, is_id_number, luhn
from jiyi.errors import InvalidInput
from jiyi.ports import Redactor
from jiyi.text import language
from jiyi.types import JSON, Message, Part

KINDS: Mapping[str, str] = {
    "private_key": "私钥",
    "key": "密钥",
    "password": "密码",
    "id_number": "身份证号",
    "ssn": "社会安全号",
    "iban": "银行账号",
    "card": "银行卡号",
    "phone": "电话号码",
}
"""Kind -> its name in a Chinese mark, in the order in which they are looked for."""

USUAL = tuple(kind for kind in KINDS if kind != "phone")
"""The kinds that ``redact=True`` means.  Phone numbers are asked for by name: most memories should keep them."""

# Han may stand on both sides of what is found
_FREE = "(?<![0-9A-Za-z_])"
_ALONE = "(?<![0-9A-Za-z_.#+/-])"  # a number of its own: not the rest of a decimal, path, reference or phone number
_END = "(?![0-9A-Za-z_])"
_GAP = "[ \u00a0\u3000-]"

# -- keys and passwords ----------------------------------------------------------------------------------------------

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_KEY_FORMS = (
    r"sk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic, DashScope, DeepSeek and others
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",  # Amazon
    r"LTAI[A-Za-z0-9]{12,26}",  # Alibaba Cloud
    r"AKID[A-Za-z0-9]{32}",  # Tencent Cloud
    r"AIza[0-9A-Za-z_-]{35}",  # Google
    r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",  # JSON Web Token
)
_KEY = re.compile(f"{_FREE}(?<!-)(?:{'|'.join(_KEY_FORMS)})")
_STATED_KEY = re.compile(
    r"(?:\bBearer\s{1,3}|(?:(?<![A-Za-z0-9])(?:(?:api|secret|access)[_ -]?key|(?:(?:access|auth|api)[_ -]?)?token"
    r"|secret)|密钥|令牌)"
    r"[\"']?\s{0,3}(?:(?:is|是|为)?\s{0,3}[=:：]|is|是|为)\s{0,3}[\"'“‘「]?)(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"(?<![A-Za-z0-9])(?:password|passwd|pwd|passcode|pass ?phrase)[\"']?\s{0,3}"
    r"(?P<sign>(?:is|was)\s{0,3}[:：]|is|was|=|:|：)\s{0,3}"
    r"(?:[\"'“‘](?P<quoted>(?:\\.|[^\"'“”‘’\n\[\\]){1,128})(?=[\"'”’])|[\"'“‘]?(?P<secret>[^\s\"'“”‘’，。；、\[]{3,128}))",
    re.IGNORECASE,
)
_PASSWORD_HAN = re.compile(
    r"(?:密码|口令)[\"']?\s{0,3}(?:(?:就?是|为|(?:改|设|设置)[成为])\s?[:：]?|[:：=])\s{0,3}[\"'“”‘「]?"
    r"(?P<secret>[!-Z\\^-~]{3,128}|[0-9]{3,32})"
)
_WATCHWORD = re.compile(r"(?:口令|暗号)\s?(?:(?:就?是|为)\s?[:：]?|[:：])\s?[“「]?(?P<secret>[\u4e00-\u9fff]{2,12})")
_PIN = re.compile(
    r"(?:\b(?:pin(?: code| number)?|cv[vc]2?)|安全码|验证码)[\"']?\s{0,3}"
    r"(?:(?:is|was|是|为)?\s{0,3}[=:：]|is|was|是|为)?\s{0,3}(?P<secret>[0-9]{3,8})(?![0-9])",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"://[^\s/:@\"']{0,64}:(?P<secret>[^\s/@\"'\[]{1,128})@")

# what follows "the password is" without being one
_NO_PASSWORD = frozenset(
    word
    for line in (
        "wrong incorrect required not too the a an invalid expired missing weak strong safe secret same different my",
        "your his her their our being still now correct protected encrypted hashed reset changed lost forgotten",
        "case-sensitive empty on in at what something never always only also very really no set stored and or for to",
        "ok okay fine right good bad long short unknown optional needed valid it this that there here so as of with",
        "by just already saved known shared public private hidden enough stolen leaked unsafe null none true false",
    )
    for word in line.split()
)
_QUOTES = re.compile(r"[\"'“”‘’\n\[\\]")
_PASSWORD_MARK = re.compile(r"\[redacted: password\]|\[已隐去：密码\]")
_ASKED = re.compile("[什么多少几错对不忘没吗呢哪谁]")

# -- numbers ---------------------------------------------------------------------------------------------------------

_ID_NUMBER = re.compile(
    f"{_ALONE}[1-8][0-9]{{5}}{_GAP}?(?:18|19|20)[0-9]{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    f"{_GAP}?[0-9]{{3}}[0-9Xx]{_END}"
)
_SSN = re.compile(
    r"(?<![\w.#+/-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])"
    r"|\b(?:SSN|social security (?:number|no\.?))\s{0,3}(?:is|[:：=])?\s{0,3}"
    r"(?P<secret>[0-9]{3} ?[0-9]{2} ?[0-9]{4})(?![\w-])",
    re.IGNORECASE,
)
_IBAN = re.compile(f"{_FREE}[A-Z]{{2}}[0-9]{{2}}(?: ?[A-Z0-9]{{1,4}}){{3,8}}")
_CARD = re.compile(
    f"{_ALONE}(?:[0-9]{{14,19}}"
    f"|[0-9]{{4}}(?P<gap>{_GAP})[0-9]{{4}}(?P=gap)[0-9]{{4}}(?P=gap)[0-9]{{4}}(?:(?P=gap)[0-9]{{1,3}})?"
    f"|[0-9]{{4}}{_GAP}[0-9]{{6}}{_GAP}[0-9]{{4,5}}){_END}(?![.-][0-9])"
)
_PHONE = re.compile(
    r"(?<![0-9A-Za-z_.#/-])(?:(?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}"
    r"|\+[1-9][0-9]{0,2}(?:[ -]?\(?[0-9]{1,4}\)?){2,5}|(?:\([0-9]{3}\) ?|[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4})"
    r"(?![0-9A-Za-z_-])"
)
# what says that the number behind it is another one
_REFERENCE = re.compile(
    r"(?:order|tracking|invoice|ticket|parcel|shipment|reference|isbn|imei|serial|transaction|订单|运单|快递|单号|流水|"
    r"编号|发票|物流|书号|序列)[_ ]?(?:no\.?|number|id|code|号码?|单号|编号)?\s?(?:is|[:：#=是为])?\s?$",
    re.IGNORECASE,
)
_CARD_SAID = re.compile(r"(?:card(?:[_ ]?(?:number|no\.?))?|卡号?)\s?(?:is|[:：=是为])?\s?$", re.IGNORECASE)
_WIDE = {0xFF10 + digit: str(digit) for digit in range(10)} | {ord("Ｘ"): "X", ord("ｘ"): "x"}


def _plain(text: str) -> str:
    """Full-width digits as plain ones, character by character, so that places stay the same."""
    return text if text.isascii() else text.translate(_WIDE)


def _digits(found: re.Match[str]) -> str:
    return re.sub("[^0-9Xx]", "", found[0])


def _before(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - 24) : found.start()]


def _is_card(found: re.Match[str]) -> bool:
    digits, before = _digits(found), _before(found)
    if not luhn(digits) or _REFERENCE.search(before):
        return False
    return is_brand(digits) or (len(digits) >= 16 and bool(_CARD_SAID.search(before)))


def _is_password(found: re.Match[str]) -> bool:
    secret = (found["quoted"] or found["secret"]).rstrip(".,;:!?)]}>").lower()
    if secret in _NO_PASSWORD or not secret.strip("*•x.<>{}$_"):
        return False
    if found["sign"].lower() not in ("is", "was") or found["quoted"]:
        return True
    return not (secret.isalpha() and secret.endswith(("ed", "ing", "able")))


# -- from a text to the places of its secrets ------------------------------------------------------------------------

_Spans = Iterable[tuple[int, int]]
_Find = Callable[[str], _Spans]


def _matches(pattern: re.Pattern[str], check: Callable[[re.Match[str]], bool] = bool) -> _Find:
    """Finds what the pattern's group ``secret`` holds, or the whole match where it has none or it took no part."""
    named = "secret" in pattern.groupindex

    def find(text: str) -> _Spans:
        for found in pattern.finditer(_plain(text)):
            if check(found):
                yield found.span("secret" if named and found["secret"] is not None else 0)

    return find


def _passwords(text: str) -> _Spans:
    """Stated passwords, without the punctuation of the sentence behind them."""
    for found in _PASSWORD.finditer(text):
        if _is_password(found) and found["quoted"]:
            yield found.span("quoted")
        elif _is_password(found):
            start, secret = found.start("secret"), found["secret"]
            yield start, start + len(secret.rstrip(".,;)]}") or secret)


def _ibans(text: str) -> _Spans:
    for found in _IBAN.finditer(text):
        if end := iban_end(found[0]):
            yield found.start(), found.start() + end


def _has_digit(found: re.Match[str]) -> bool:
    return any(char in "0123456789" for char in found[0])


_FINDERS: Mapping[str, tuple[_Find, ...]] = {
    "private_key": (_matches(_PRIVATE_KEY),),
    "key": (_matches(_KEY, _has_digit), _matches(_STATED_KEY, _has_digit)),
    "password": (
        _passwords,
        _matches(_PASSWORD_HAN),
        _matches(_WATCHWORD, lambda found: not _ASKED.search(found["secret"])),
        _matches(_PIN),
        _matches(_IN_ADDRESS),
    ),
    "id_number": (_matches(_ID_NUMBER, lambda found: is_id_number(_digits(found))),),
    "ssn": (_matches(_SSN, lambda found: not _REFERENCE.search(_before(found))),),
    "iban": (_ibans,),
    "card": (_matches(_CARD, _is_card),),
    "phone": (_matches(_PHONE, lambda found: 8 <= len(_digits(found)) <= 15),),
}


class Rules:
    """The built-in ``Redactor``."""

    def __init__(self, kinds: Iterable[str] = USUAL) -> None:
        """Sets what is looked for.

        Raises:
            InvalidInput: a kind that is not one of ``KINDS``.
        """
        wanted = list(kinds)
        for kind in wanted:
            if kind not in KINDS:
                raise InvalidInput("redact", f"unknown kind {kind!r}; there are {', '.join(KINDS)}")
        self.kinds = tuple(kind for kind in KINDS if kind in wanted)

    def redact(self, text: str) -> tuple[str, Mapping[str, int]]:
        """See ``Redactor.redact``."""
        found: dict[str, int] = {}
        spoken = language(text)
        before = None
        while text != before:  # a mark may part what looked like one word before
            before = text
            for kind in self.kinds:
                mark = f"[已隐去：{KINDS[kind]}]" if spoken == "zh" else f"[redacted: {kind.replace('_', ' ')}]"
                for find in _FINDERS[kind]:
                    text, count = _marked(text, find(text), mark)
                    if count:
                        found[kind] = found.get(kind, 0) + count
        return text, found


def _marked(text: str, spans: _Spans, mark: str) -> tuple[str, int]:
    """The text with the mark in the place of each span, and how many there were."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += (text[done:start], mark)
        done = end
    return ("".join((*pieces, text[done:])) if pieces else text), len(pieces) // 2


def redactor(spec: bool | str | Iterable[str] | Redactor | None) -> Redactor | None:
    """What the option or setting ``redact`` means.

    Args:
        spec: False, None, ``""`` or ``off`` for none; True or ``on`` for the usual kinds; kinds as a list, or as a text
            with commas between them; or an instance.  A text may also say true or false.

    Raises:
        InvalidInput: an unknown kind, or something else.
    """
    word = spec.strip().lower() if isinstance(spec, str) else spec
    if word is None or word is False or word in ("", "off", "false", "no", "0"):
        return None
    if word is True or word in ("on", "true", "yes", "1"):
        return Rules()
    if isinstance(spec, str):
        return Rules(part.strip() for part in spec.split(","))
    if isinstance(spec, Iterable):
        return Rules(spec)
    if isinstance(spec, bool) or not callable(getattr(spec, "redact", None)):
        raise InvalidInput("redact", f"must be True, a list of kinds or have a method redact, not {spec!r}")
    return spec


# -- messages --------------------------------------------------------------------------------------------------------


def redacted(message: Message, by: Redactor) -> Message:
    """The message without its secrets: text, parts' text, name, and the arguments of tool calls.

    What was found is in ``metadata["redacted"]``, as kind and count.  A message without secrets is given back as it is.
    """
    found: Counter[str] = Counter()

    def clean(text: str) -> str:
        cleaned, counts = by.redact(text)
        found.update(counts)
        return cleaned

    def part(value: Part) -> Part:
        text = value.get("text")
        return {**value, "text": clean(text)} if isinstance(text, str) else value

    content = message.content
    if content is not None:
        content = clean(content) if isinstance(content, str) else tuple(map(part, content))
    name = clean(message.name) if message.name else message.name
    calls = tuple(cast("Part", _inside(call, clean)) for call in message.tool_calls)
    if not found:
        return message
    metadata = {**message.metadata, "redacted": dict(found)}
    return message.but(content=content, name=name, tool_calls=calls, metadata=metadata, digest="")


def redacted_value(value: JSON, by: Redactor) -> JSON:
    """The same for what a program keeps; the name of a field says what its value is."""
    return _inside(value, lambda text: by.redact(text)[0])


def _inside(value: JSON, clean: Callable[[str], str], key: str = "") -> JSON:
    """Everything in the arguments of a call; the key says what a value is: ``{"password": "…"}``."""
    if isinstance(value, Mapping):
        return {name: item if name in ("id", "type") else _inside(item, clean, name) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_inside(item, clean, key) for item in value]
    if isinstance(value, str):
        written = value
        if isinstance(parsed := _parsed(value), (dict, list)):  # as clients send arguments: JSON, to be JSON afterwards
            cleaned = _inside(parsed, clean, key)
            return value if cleaned == parsed else json.dumps(cleaned, ensure_ascii=False)
    elif isinstance(value, int) and not isinstance(value, bool):
        written = json.dumps(value)
    else:
        return value
    named = f"{key}: " if key else ""
    cleaned = clean(named + written)
    if cleaned == named + written and (not key or not isinstance(value, str)):
        return value
    cleaned = cleaned.removeprefix(named)
    if key and cleaned == written:  # a password of several words, or with quotes in it
        quoted = clean(f'{key}: "{_QUOTES.sub("x", written)[:128]}"')
        mark = _PASSWORD_MARK.match(quoted, len(key) + 3)
    else:
        mark = _PASSWORD_MARK.match(cleaned) if key else None
    return mark[0] if mark else cleaned  # the whole value is the password


def _parsed(text: str) -> JSON:
    """The JSON that a text is; None when it is none."""
    try:
        return cast("JSON", json.loads(text)) if text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None

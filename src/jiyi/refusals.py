"""What a model's server answers when it does not answer: from status and body to one of our errors.  Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from jiyi.errors import ContextOverflow, ModelError, ModelRejected, ModelUnavailable
from jiyi.providers import Address

# The wordings are those of OpenAI, Azure, vLLM, llama.cpp, Ollama, LM Studio, DashScope, DeepSeek, Moonshot, Zhipu,
# SiliconFlow and OpenRouter; codes and messages are searched alike.
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length"
    r"|maximum context length|available context size|maximum model length"
    r"|exceed\w*[\w' ]{0,24}(?:context|token limit|max_seq_len)"
    r"|(?:prompt|input)[\w ]{0,24} too long|prompt_tokens.{0,40}max_seq_len|longer than the maximum"
    r"|range of input length|context the overflows|overflows? .{0,20}context"
    r"|input token count.{0,40}exceeds|(?:prompt|输入|上下文).{0,12}(?:超长|过长|超出|超过)",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ]quota|insufficient[_ ](?:account[_ ])?balance|balance is (?:not enough|insufficient)"
    r"|exceeded_current_quota|arrear|not in good standing|account is in good standing|insufficient credits"
    r"|余额不足|欠费|额度不足",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|data_?inspection_?failed|content_policy|content exists risk|inappropriate content"
    r"|content management policy|sensitive_words|敏感|不安全",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|invalid_model|model_not_supported|not a valid model"
    r"|model\b[^.]{0,120}?(?:not (?:be )?(?:found|exist|supported|available|loaded)|does ?n[o']t exist|is unknown)"
    r"|(?:not found the|unknown|no such|invalid) model|no model.{0,20} loaded|try pulling|模型.{0,20}不存在",
    re.IGNORECASE,
)
_LONGEST = 300
"""Characters of the server's own words in our message."""

_OPTIONAL = re.compile(r"response_format|json_schema|stream_options|max_completion_tokens", re.IGNORECASE)
"""Fields of ours that some servers refuse by name."""


class Refused(ModelRejected):
    """The server refuses this request, not who asks: another one may be answered.

    Attributes:
        said: the server's words, when it may take the request without an optional field; None when what is asked is
            refused.
    """

    def __init__(self, message: str, said: str | None) -> None:
        super().__init__(message)
        self.said = said


class Unreachable(ModelUnavailable):
    """No connection to the server came about."""


def explain(address: Address, status: int, body: object, *, retry_after: float | None = None) -> ModelError:
    """The error that an answer of a server means.

    Args:
        address: whom we asked.
        status: of HTTP; 0 for an error that came inside a stream without a status of its own.
        body: decoded JSON, or text.
        retry_after: seconds, where the server said so.
    """
    raw = said(body)
    status = status or _status(body)
    kind = kind_of(status, raw)
    words = scrub(raw, address.key)
    message = f"{address.name}: {_sentence(kind, address, status, retry_after)}"
    message += f" The server says: {words}" if words else ""
    if kind in ("busy", "down"):
        return ModelUnavailable(message, retry_after=retry_after)
    if kind in ("filter", "refused"):
        return Refused(message, None if kind == "filter" else raw)
    return ContextOverflow(message) if kind == "overflow" else ModelRejected(message)


def kind_of(status: int, raw: str) -> str:
    """What an answer is about; the words decide before the status, which servers use in their own ways."""
    if status == 401:
        return "key"
    if status in (400, 422) and _OPTIONAL.search(raw) and not _OVERFLOW.search(raw):
        return "refused"
    if status not in (403, 429) and (status == 413 or _OVERFLOW.search(raw)):
        return "overflow"
    if status == 402 or _QUOTA.search(raw):
        return "quota"
    if status != 429:
        if _FILTER.search(raw):
            return "filter"
        if _NO_MODEL.search(raw) and not _is_page(raw):
            return "model"
    return _BY_STATUS.get(status, "down" if status >= 500 else "refused")


_BY_STATUS: Mapping[int, str] = {
    0: "down",
    403: "key",
    404: "address",
    405: "address",
    408: "down",
    409: "down",
    425: "down",
    429: "busy",
    501: "unable",
}


def _sentence(kind: str, address: Address, status: int, retry_after: float | None) -> str:
    pull = f"; get it with `ollama pull {address.model}`" if address.provider == "ollama" else ""
    state = f" ({status})" if status else ""
    when = f"in {retry_after:.0f} seconds" if retry_after else "in a while"
    return {
        "address": wrong_address(address),
        "busy": f"too many requests; try again {when}.",
        "down": f"the server has a problem{state}; try again later.",
        "filter": "the server's content filter refuses the request.",
        "key": f"the server refuses the key{state}; {address.key_advice}.",
        "model": f"the server at {address.host} has no model {address.model!r}{pull}.",
        "overflow": "the request is longer than the model takes; lower max_tokens.",
        "quota": "the account has no credit left, or its quota is used up.",
        "unable": f"the server cannot do this{state}; start it otherwise, or use another.",
        "refused": f"the server refuses the request{state}.",
    }[kind]


def wrong_address(address: Address) -> str:
    """Advice for an answer that is not one of this protocol."""
    ending = "" if re.search(r"/v\d+$", address.base_url) else ", which usually ends in /v1"
    return f"{address.base_url} does not answer like an OpenAI-compatible server; check the address{ending}."


def said(body: object) -> str:
    """Code, type and message of an error's body, on one line; as much of any other text."""
    if isinstance(body, Mapping):
        fields = cast("Mapping[str, object]", body)
        inner = fields.get("error")
        if isinstance(inner, (Mapping, str)):
            return said(cast("object", inner))
        keys = ("code", "type", "message", "detail", "msg", "error_msg")
        words = [str(value) for key in keys if (value := fields.get(key)) and not isinstance(value, Mapping)]
        return " ".join(" ".join(words).split())
    if isinstance(body, str):
        text = body if len(body) < 20_000 else body[:20_000]
        if _is_page(text):
            title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
            text = f"<html> {title[1] if title else ''}"
        return " ".join(text.split())
    return ""


def scrub(text: str, key: str) -> str:
    """The text without the key, and no longer than a message may quote."""
    if key:
        text = text.replace(key, "…")
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _status(body: object) -> int:
    """The status that an error inside a stream has in its ``code``; 0 without one."""
    if isinstance(body, Mapping):
        fields = cast("Mapping[str, object]", body)
        inner = fields.get("error")
        code = cast("Mapping[str, object]", inner).get("code") if isinstance(inner, Mapping) else fields.get("code")
        if isinstance(code, (int, str)) and re.fullmatch(r"[45]\d\d", str(code)):
            return int(code)
    return 0


def _is_page(text: str) -> bool:
    return re.match(r"\s*<(?:!doctype|html|head|body|\?xml)", text, re.IGNORECASE) is not None


__all__ = ["Refused", "Unreachable", "explain", "said", "scrub", "wrong_address"]

"""What an exception of a model's library means: one of our errors, without a key in it.  Pure.

Libraries are told apart by the names of their exceptions and by the status that these carry, so that none is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from jiyi.errors import ContextOverflow, JiyiError, MissingDependency, ModelError, ModelRejected, ModelUnavailable
from jiyi.refusals import kind_of, scrub

_STATUS: Mapping[str, int] = {
    "ContextOverflowError": 413,
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelInvalidRequestError": 400,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
    "ModelConnectionError": 503,
    "ModelTimeoutError": 503,
    "APIConnectionError": 503,
    "TransportError": 503,
    "ConnectionError": 503,
    "TimeoutError": 503,
    "OSError": 503,
    "NotImplementedError": 400,
    "TypeError": 400,
    "ValueError": 400,
}
"""Exceptions of LangChain, of the clients of OpenAI and others, of httpx and of Python; the first one of an exception's
line of classes counts."""

_KEY = re.compile(r"\b(?:sk|gsk|pk|rk|hf|xai|AIza)[-_]?[A-Za-z0-9*][-_A-Za-z0-9*]{10,}")

_SAID: Mapping[str, str] = {
    "busy": "too many requests; try again in a while.",
    "down": "the model cannot be reached, or has a problem; try again later.",
    "filter": "a content filter refuses the request.",
    "key": "the key is refused; check the variable that holds it.",
    "model": "there is no such model; check its name.",
    "address": "there is no such model or address; check the name.",
    "overflow": "the request is longer than the model takes; lower max_tokens.",
    "quota": "the account has no credit left, or its quota is used up.",
    "unable": "the server cannot do this; use another.",
    "refused": "the request is refused.",
}


def meant(name: str, error: Exception, secrets: Iterable[str] = ()) -> JiyiError:
    """Our error for an exception that a model's library raised.

    Args:
        name: the model's.
        error: what was raised; one of ours is given back.
        secrets: keys that must not be quoted; what looks like one is not quoted either.
    """
    if isinstance(error, JiyiError):
        return error
    if isinstance(error, ImportError):
        return MissingDependency(f"{name}: {error}")
    names = [kind.__name__ for kind in type(error).__mro__]
    known = next((_STATUS[one] for one in names if one in _STATUS), None)
    status = 413 if "ContextOverflowError" in names else _status(error) or known
    words = _quoted(error, secrets)
    if status is None:
        return ModelError(f"{name}: {type(error).__name__}: {words}")
    kind = kind_of(status, str(error))
    message = f"{name}: {_SAID[kind]} {type(error).__name__}: {words}"
    if kind in ("busy", "down"):
        return ModelUnavailable(message, retry_after=_retry_after(error))
    return ContextOverflow(message) if kind == "overflow" else ModelRejected(message)


def _status(error: Exception) -> int | None:
    given: Any = error
    for holder in (given, getattr(given, "response", None)):
        for field in ("status_code", "status", "code"):
            if isinstance(value := getattr(holder, field, None), int) and 400 <= value < 600:
                return value
    return None


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    said = str(cast("Mapping[str, object]", headers).get("retry-after", ""))
    return float(said) if re.fullmatch(r"\d+(?:\.\d+)?", said) else None


def _quoted(error: Exception, secrets: Iterable[str]) -> str:
    text = " ".join(str(error).split())
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return scrub(_KEY.sub("…", text), "")


__all__ = ["meant"]

"""Files embedded in content parts: a reference is kept in their place, and a model is told of it in words.  Pure."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

from jiyi.types import JSON

_MEDIA = re.compile(r"(?:input_|output_)?(?:(?:image|audio|video)\w*|file|document|text-plain)")  # types of parts
_BASE64_FIELDS = ("data", "file_data", "b64_json", "base64")
_TYPE_FIELDS = ("mime_type", "media_type")  # of a media part, beside its base64 field
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_DATA_URL = re.compile(r"data:([^,;\s]+/[^,;\s]+(?:;[^,;\s]+)*);base64,(.+)", re.DOTALL)
_ONE_ALPHABET = {ord("-"): "+", ord("_"): "/", ord("\n"): None, ord("\r"): None}  # of URLs and of mail
_REFERENCE = re.compile(r"embedded:(.+);(\d+);sha256=[0-9a-f]{64}", re.DOTALL)


def without_files(value: JSON, *, media: bool = False) -> JSON:
    """Replaces embedded files by a reference to their digest; everything else stays word for word.

    Embedded are valid base64 data URLs, and the base64 fields of media parts (``media``: value is inside of one).
    """
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str):
            media = kind != "text" and (media or bool(_MEDIA.fullmatch(kind)))
        media_type = _media_type(value) if media else ""
        return {key: item if key == "text" else _field(key, item, media_type) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_files(item, media=media) for item in value]
    if isinstance(value, str) and (url := _DATA_URL.fullmatch(value)):
        return _embedded(url[1], url[2]) or value
    return value


def _media_type(part: Mapping[str, JSON]) -> str:
    said = next((said for field in _TYPE_FIELDS if isinstance(said := part.get(field), str)), "")
    return said if _MEDIA_TYPE.fullmatch(said) else "application/octet-stream"


def _field(key: str, value: JSON, media_type: str) -> JSON:
    """One field of a part; ``media_type`` is "" outside of media."""
    if media_type and key in _BASE64_FIELDS and isinstance(value, str) and not value.startswith("data:"):
        return _embedded(media_type, value) or value
    return without_files(value, media=bool(media_type))


def _embedded(media_type: str, payload: str) -> str:
    """What stands for a file in base64; "" when it is no base64."""
    try:
        raw = base64.b64decode(payload.translate(_ONE_ALPHABET), validate=True)
    except ValueError:
        return ""
    return embedded(media_type, raw) if raw else ""


def embedded(media_type: str, raw: bytes) -> str:
    """``embedded:<media type>;<bytes>;sha256=<hex>``: what stands for a file that was embedded, without its bytes."""
    return f"embedded:{media_type};{len(raw)};sha256={hashlib.sha256(raw).hexdigest()}"


def in_words(value: JSON) -> JSON:
    """Parts as a model can take them: one whose file is not kept becomes a text that says what was there."""
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and _MEDIA.fullmatch(kind) and (told := _told(value)):
            return {"type": "text", "text": told}
        return {key: in_words(item) for key, item in value.items()}
    return [in_words(item) for item in value] if isinstance(value, (list, tuple)) else value


def _told(value: JSON) -> str:
    """``[image/png, 2000 B]`` for the first reference in it, "" where there is none: the same in all languages."""
    if isinstance(value, str):
        found = _REFERENCE.fullmatch(value)
        return f"[{found[1]}, {found[2]} B]" if found else ""
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return next((told for item in items if (told := _told(item))), "")


__all__ = ["embedded", "in_words", "without_files"]

"""What a file of JSON holds, with line numbers; and times as people write them.  Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from hashlib import blake2b
from typing import BinaryIO, TypeAlias, cast
from zoneinfo import ZoneInfo

from jiyi.errors import InvalidInput

Object: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that cannot be stored."""

    line: int
    what: str


def zone(name: str) -> tzinfo:
    """A time zone by its name (``Asia/Shanghai``) or distance (``+08:00``).

    Raises:
        InvalidInput: there is no such zone.
    """
    if name[:1] in ("+", "-"):
        try:
            hours, _, minutes = name[1:].partition(":")
            offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
            return timezone(-offset if name[0] == "-" else offset)
        except ValueError:
            pass
    elif name.upper() in ("UTC", "Z"):
        return UTC
    else:
        try:
            return ZoneInfo(name)
        except (OSError, ValueError, LookupError):  # odd names end in file errors
            pass
    raise InvalidInput("timezone", f"{name!r} is no time zone; give one such as Asia/Shanghai, UTC or +08:00")


def moment(field: str, value: object, default_zone: tzinfo) -> datetime | None:
    """Reads a time: ISO 8601 text, or seconds since 1970; what has no zone gets ``default_zone``.

    Raises:
        InvalidInput: names ``field``.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            found = found if found.tzinfo else found.replace(tzinfo=default_zone)
            found.astimezone(UTC)  # years 1 and 9999 may have no such moment
            return found
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(field, f"{value!r} is no date; write it like 2024-05-31T18:30:00+08:00")


def parse(line: bytes | str) -> object:
    """Reads one JSON value.

    Raises:
        ValueError: with what is wrong, in one line.
    """
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line
        return json.loads(text, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start + 1} of the line)") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("broken JSON: nested too deep") from error


def lines(stream: BinaryIO) -> Iterator[tuple[int, Object | Problem]]:
    """The objects of a file with one a line; empty lines are passed over."""
    for number, line in enumerate(stream, 1):
        if not line.strip(b"\xef\xbb\xbf \t\r\n"):
            continue
        try:
            value = parse(line)
            if not isinstance(value, dict):
                raise ValueError(f"must be a JSON object, not {type(value).__name__}")
            yield number, cast("Object", value)
        except ValueError as error:
            yield number, Problem(number, str(error))


def objects(text: str) -> Iterator[tuple[int, object]]:
    """The members of an array, or values one after another, each with the line it begins on."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    array = text.lstrip().startswith("[")
    at = text.index("[") + 1 if array else 0
    line, counted, separated = 1, 0, True
    while True:
        at = _skip(text, at, " \t\r\n")
        if array and text[at : at + 1] == ",":
            at, separated = _skip(text, at + 1, " \t\r\n"), True
        line, counted = line + text.count("\n", counted, at), at
        if at >= len(text) or (array and text[at] == "]"):
            if array and (at >= len(text) or text[at + 1 :].strip()):
                yield line, Problem(line, "broken JSON: the list does not end, or something follows it")
            return
        try:
            if not separated:
                raise ValueError("a comma is missing")
            value, at = decoder.raw_decode(text, at)
            yield line, value
            separated = not array
        except (ValueError, RecursionError) as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            broken = error.lineno if isinstance(error, json.JSONDecodeError) else line
            yield broken, Problem(broken, f"broken JSON: {what}" + ("; the rest cannot be read" if array else ""))
            at = text.find("\n", at)
            if array or at < 0:
                return


def _skip(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def text_of(value: Object, key: str, at: str = "") -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found.strip():
        raise InvalidInput(f"{at}{key}", "missing" if found is None else "must be a text that is not empty")
    return found


def items(value: Object, key: str, at: str = "") -> list[object]:
    found = value.get(key)
    if not isinstance(found, list):
        raise InvalidInput(f"{at}{key}", "must be a list")
    return cast("list[object]", found)


def digest(*parts: object) -> bytes:
    return blake2b(json.dumps(parts, sort_keys=True, default=str).encode(), digest_size=16).digest()

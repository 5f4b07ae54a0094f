"""Asks a chat model for a list of items of one form, and gives what is sure.

A form is a pydantic model.  The server is asked to hold the model to its JSON schema; what comes back is read with
care all the same, item by item, since many servers cannot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from jiyi.errors import ModelError
from jiyi.extraction import listed
from jiyi.ports import LLM
from jiyi.prompts import Prompt, prompt
from jiyi.types import JSON, ChatMessage, Reply

if TYPE_CHECKING:  # imported when something is asked: pydantic takes a tenth of a second
    from pydantic import BaseModel

Item = TypeVar("Item", bound="BaseModel")

CALLS = 2
"""Calls of one ``ask`` at most: one, and one in which the model is shown what was wrong with its reply."""

_SHOWN = 4_000  # characters of a bad reply that the model gets to see again
_PROBLEMS = 3  # of its problems
_NUL = "\\u0000"


class Items(list[Item]):
    """The items of a reply, in order.

    Attributes:
        cut: the reply was cut off, or could not be read to its end; what is here is whole, but more may have followed.
    """

    cut: bool = False


async def ask(llm: LLM, told: Prompt, text: str, item: type[Item], *, field: str, max_tokens: int) -> Items[Item]:
    """Asks a model for a list; ``CALLS`` calls at most.

    An item that does not fit its form is left out, the others stay; a field that may be missing is left out where it
    does not fit.  No value is converted, completed or guessed.  Of a reply that is cut off the whole items are given,
    and ``cut`` says so: the caller may take them, or raise ``ModelError`` to be asked again with less.

    Args:
        told: the system message.  It asks for an object with the list under ``field``.
        text: the user's message.
        item: the form.  A text that stands alone in the list is taken for the only field that is required, where that
            is a text.
        field: the list's name.
        max_tokens: of a reply.

    Returns:
        What the model listed; empty where its list is.

    Raises:
        ModelError: neither reply has a list with an item that fits, or an empty list; or what ``LLM.complete`` raises.
    """
    messages: list[ChatMessage] = [{"role": "system", "content": told.text}, {"role": "user", "content": text}]
    schema = form(item, field, title=told.name)
    reply = await llm.complete(messages, schema=schema, max_tokens=max_tokens)
    tried = _read(reply, item, field)
    if tried.problem:
        messages = _again(messages, reply.text, tried.problem, told)
        reply = await llm.complete(messages, schema=schema, max_tokens=max_tokens)
        tried = _read(reply, item, field)
    if tried.problem:
        raise ModelError(f"{llm.name} gave no {field} that can be used ({tried.problem}); it is asked again later")
    return tried.items


def form(item: type[BaseModel], field: str, *, title: str) -> Mapping[str, JSON]:
    """The JSON schema of an object with a list of items.

    Every field is required and no other allowed, also those that may be missing for ``ask``: servers that hold a model
    to a schema strictly want it so, and small models leave out whatever they may.
    """
    schema = cast("dict[str, JSON]", _strict(item.model_json_schema()))
    shared = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    return {
        "title": title,
        "type": "object",
        "properties": {field: {"type": "array", "items": schema}},
        "required": [field],
        "additionalProperties": False,
        **shared,
    }


@dataclass(frozen=True, slots=True)
class _Tried(Generic[Item]):
    items: Items[Item]
    problem: str = ""


def _read(reply: Reply, item: type[Item], field: str) -> _Tried[Item]:
    """What a reply lists, or what is wrong with it; the problem names places and forms, and never what was said."""
    found = listed(reply.text, field)
    items: Items[Item] = Items()
    items.cut = not found.whole or reply.finish == "length"
    problems: list[str] = []
    for at, value in enumerate(found.items):
        one = _item(value, item)
        if isinstance(one, str):
            problems.append(f"{field}[{at}]{one}")
        else:
            items.append(one)
    if items or (found.found and not problems and not items.cut):
        return _Tried(items)
    if problems:
        return _Tried(items, "; ".join(problems[:_PROBLEMS]))
    if items.cut:
        return _Tried(items, "the reply ends, or becomes unreadable, before the first item is complete")
    return _Tried(items, f'there is no JSON object with a list "{field}"' if reply.text.strip() else "it is empty")


def _item(value: JSON, item: type[Item]) -> Item | str:
    """The item, or what is wrong with it."""
    from pydantic import ValidationError

    fields = item.model_fields
    if isinstance(value, str):
        required = [name for name, info in fields.items() if info.is_required()]
        if len(required) != 1 or fields[required[0]].annotation is not str:
            return ": is a text, should be an object"
        value = {required[0]: value}
    if not isinstance(value, Mapping):
        return ": should be an object"
    given = dict(value)
    while True:
        said = json.dumps(given)
        if _NUL in said:
            return ": has a NUL character"
        try:
            return item.model_validate_json(said, strict=True)
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_context=False, include_input=False)
        places = {str(problem["loc"][0]) if problem["loc"] else "" for problem in wrong}
        loose = {name for name in places & given.keys() if name not in fields or not fields[name].is_required()}
        if loose != places:
            first = next(p for p in wrong if not p["loc"] or str(p["loc"][0]) not in loose)
            return f"{''.join(f'.{part}' for part in first['loc'])}: {first['msg']}"
        given = {name: said for name, said in given.items() if name not in loose}


def _again(messages: list[ChatMessage], said: str, problem: str, told: Prompt) -> list[ChatMessage]:
    """The same question once more, with the reply and what is wrong with it."""
    note = f"{prompt('repair', told.language).text}\n\n{problem}"
    if not said.strip():  # a message without a text is refused by some servers
        return [messages[0], {"role": "user", "content": f"{messages[1]['content']}\n\n{note}"}]
    shown: ChatMessage = {"role": "assistant", "content": said[:_SHOWN]}
    return [*messages, shown, {"role": "user", "content": note}]


def _strict(schema: Any) -> Any:
    """A schema whose objects require all their fields and close, without what only people read."""
    if isinstance(schema, list):
        return [_strict(value) for value in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    told = {name: _strict(value) for name, value in fields.items() if name not in ("title", "default", "properties")}
    if "properties" in fields:
        properties = {name: _strict(value) for name, value in fields["properties"].items()}
        told |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return told


__all__ = ["CALLS", "Item", "Items", "ask", "form"]

"""What a model's server tells of itself: the models it lists, and how long a prompt may be."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from jiyi.endpoint import Endpoint
from jiyi.errors import ModelError
from jiyi.types import Capacity

Entry = Mapping[str, object]
"""What a server says of one model."""


async def listed(endpoint: Endpoint) -> dict[str, Entry]:
    """The models that a server lists, by name; empty where it lists none.

    Raises:
        ModelError: it cannot be reached, refuses, or has no such list.
    """
    return {str(entry["id"]): entry for entry in _entries(await endpoint.look("/models"), "data") if "id" in entry}


async def capacity(endpoint: Endpoint) -> Capacity:
    """How long a prompt may be, where the server tells; what is not told is 0.

    vLLM, OpenRouter and Moonshot tell it in their list of models; Ollama, llama.cpp and LM Studio at addresses of their
    own (``/api/show`` and ``/api/ps``, ``/props``, ``/api/v0/models``).  Ollama tells what is in use once the model is
    loaded.
    """
    address = endpoint.address
    root = address.base_url.removesuffix("/v1")
    if address.provider == "ollama":
        return await _of_ollama(endpoint, root)
    if address.provider == "lmstudio":
        own = await _look(endpoint, f"{root}/api/v0/models/{address.model}")
        return Capacity(_number(_at(own, "loaded_context_length")), _number(_at(own, "max_context_length")))
    models: Mapping[str, Entry] = {}
    with suppress(ModelError):
        models = await listed(endpoint)
    entry = same(address.model, models) or (next(iter(models.values())) if len(models) == 1 else {})
    if address.provider == "llamaserver" or entry.get("owned_by") == "llamacpp":
        props = await _look(endpoint, f"{root}/props")
        return Capacity(
            _number(_at(props, "default_generation_settings", "n_ctx")), _number(_at(entry, "meta", "n_ctx_train"))
        )
    return Capacity(_number(entry.get("max_model_len") or entry.get("context_length")))


def same(model: str, models: Mapping[str, Entry]) -> Entry | None:
    """The entry of a model.  Ollama lists ``:latest``, and does without where it is asked."""
    return models.get(model, models.get(f"{model}:latest"))


async def _of_ollama(endpoint: Endpoint, root: str) -> Capacity:
    model = endpoint.address.model
    told = _at(await _look(endpoint, f"{root}/api/show", {"model": model}), "model_info")
    made_for = [_number(value) for name, value in _fields(told).items() if name.endswith(".context_length")]
    running = _entries(await _look(endpoint, f"{root}/api/ps"), "models")
    entry = same(model, {str(one.get("name")): one for one in running}) or {}
    return Capacity(_number(entry.get("context_length")), max(made_for, default=0))


async def _look(endpoint: Endpoint, url: str, body: Entry | None = None) -> object:
    """What is there; None where the server knows no such address."""
    with suppress(ModelError):
        return await endpoint.look(url, body)
    return None


def _entries(answer: object, field: str) -> list[Entry]:
    found = _fields(answer).get(field)
    return [_fields(entry) for entry in cast("list[object]", found)] if isinstance(found, list) else []


def _fields(value: object) -> Entry:
    return cast("Entry", value) if isinstance(value, Mapping) else {}


def _at(value: object, *path: str) -> object:
    for name in path:
        value = _fields(value).get(name)
    return value


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


__all__ = ["Entry", "capacity", "listed", "same"]

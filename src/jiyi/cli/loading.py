"""From a file's entries into the memory: checked first, then stored in batches that share commits."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypeVar, cast

from jiyi import importing, intake
from jiyi.cli.values import redactions
from jiyi.engine import AsyncMemory
from jiyi.errors import Conflict, ImportFailed, JiyiError
from jiyi.history import digest
from jiyi.importing import Entry, Problem
from jiyi.types import KINDS, Message, Stats

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

BATCH = 500
"""Messages of one session that are stored in one transaction, at most."""

WINDOW = 1000
"""Messages that are handed over together; the store commits them together."""


@dataclass
class Loaded:
    """What an import has done so far.

    Attributes:
        total: messages of the file that can be stored.
        done: how many of them are stored, now or before.
        new: how many were not there before.
        redacted: kind -> secrets taken out of the messages.
        complete: all were stored.
        waiting: messages not indexed at the end.
    """

    users: int = 0
    sessions: int = 0
    total: int = 0
    done: int = 0
    new: int = 0
    stored: bool = False
    complete: bool = False
    waiting: int = 0
    redacted: Counter[str] = field(default_factory=Counter[str])
    problems: list[Problem] = field(default_factory=list[Problem])


class Loading:
    """One import of one file, which is read twice: to check it, then to store it."""

    def __init__(self, stream: BinaryIO, source: importing.Source, form: importing.Format, loaded: Loaded) -> None:
        self._stream = stream
        self._source = source
        self._form: importing.Format = form
        self._taken: set[tuple[str, str]] = set()
        self._loaded = loaded

    def _read(self) -> Iterator[importing.Read]:
        self._stream.seek(0)
        return importing.read(self._stream, self._source, self._form)

    def _entries(self) -> Iterator[Entry]:
        return (
            found
            for found in self._read()
            if isinstance(found, Entry) and (found.user_id, found.message_id) not in self._taken
        )

    async def check(self, bars: Progress) -> None:
        """Reads everything once: counts, and finds what cannot be stored."""
        task = bars.add_task("reading", total=None)
        sessions: set[tuple[str, str]] = set()
        loaded, total = self._loaded, 0
        for found in self._read():
            if isinstance(found, Problem):
                loaded.problems.append(found)
                continue
            total += 1
            sessions.add((found.user_id, found.session_id))
            if total % 500 == 0:
                bars.update(task, completed=total)
                await asyncio.sleep(0)  # where an interrupt gets in
        loaded.total = total
        loaded.users = len({user for user, _ in sessions})
        loaded.sessions = sum(session != "" for _, session in sessions)
        bars.update(task, completed=total, total=total)

    def refuse(self, path: str) -> NoReturn:
        """Says which lines are broken.

        Raises:
            ImportFailed: always.
        """
        problems = [(found.line, found.what) for found in self._loaded.problems]
        advice = "Nothing was stored; mend the file, or store the rest with --skip-broken"
        raise ImportFailed(path, problems, advice)

    async def store(self, memory: AsyncMemory, bars: Progress, *, skip_broken: bool) -> None:
        """Stores every entry; what is there already by its id is passed over.

        Raises:
            ImportFailed: ids of the file name other messages in the memory; nothing was stored.
        """
        await self._find_conflicts(memory)
        if self._loaded.problems and not skip_broken:
            self.refuse(self._source.name)
        loaded = self._loaded
        loaded.stored = True
        before = await memory.stats()
        task = bars.add_task("storing", total=loaded.total)
        for window in _windows(self._entries()):
            for problem in await _whole(_store(memory, window, loaded.redacted)):
                loaded.problems.append(problem)
                loaded.total -= 1
            loaded.done = min(loaded.total, loaded.done + sum(map(len, window)))
            bars.update(task, completed=loaded.done, total=loaded.total)
        after = await memory.stats()
        loaded.new = _entries(after) - _entries(before)
        loaded.complete = True

    async def _find_conflicts(self, memory: AsyncMemory) -> None:
        """Lists entries whose id the user has for another message, before anything is stored."""
        users = set(await memory.users())
        if not users:
            return
        known: dict[str, dict[str, str]] = {}
        salts: dict[str, bytes] = {}
        for entry in self._entries():
            user = entry.user_id
            if user not in users:
                continue
            if user not in known:
                salts[user] = await memory.store.salt(memory.scope(user))
                known[user] = {
                    message.id: message.digest for message in await memory.messages(user_id=user, kinds=KINDS)
                }
            there = known[user].get(entry.message_id)
            if there is not None and there != _digest(salts[user], entry, memory):
                what = f"message_id: {user} has another message {entry.message_id!r} in this database"
                self._loaded.problems.append(Problem(entry.line, what))
                self._loaded.total -= 1
                self._taken.add((user, entry.message_id))


def _entries(stats: Stats) -> int:
    return stats.messages + stats.statements + stats.commands


def _outside(entry: Entry, now: datetime) -> Message:
    """A statement or a command."""
    fields = dict(entry.fields)
    text = cast("str | None", fields.pop("text"))
    if entry.kind == "command":
        return intake.command(text, cast("intake.Details", fields), now=now)
    role, category = fields.pop("role", "user"), fields.pop("category", None)
    return intake.statement(text, cast("intake.Details", fields), now=now, role=role, category=category)


def _digest(salt: bytes, entry: Entry, memory: AsyncMemory) -> str:
    if entry.kind != "message":
        return digest(salt, memory.clean([_outside(entry, importing.LONG_AGO)])[0])
    fields = dict(entry.fields)
    content, role = fields.pop("content", None), fields.pop("role", "user")
    details = {key: item for key, item in fields.items() if key in intake.Details.__annotations__}
    said = cast("intake.Details", {**details, "created_at": None})
    draft = intake.draft(entry.session_id, role, content, said, now=importing.LONG_AGO)
    return digest(salt, memory.clean([draft])[0])


def _windows(entries: Iterator[Entry]) -> Iterator[list[list[Entry]]]:
    """Groups of consecutive entries of one session, several groups at a time, no session twice in a window."""
    window: list[list[Entry]] = []
    keys: set[tuple[str, str]] = set()
    last: tuple[str, str] | None = None
    count = 0
    for entry in entries:
        key = (entry.user_id, entry.session_id)
        fits = key == last and entry.session_id and len(window[-1]) < BATCH
        if not fits and window and (key in keys or count >= WINDOW):
            yield window
            window, keys, count = [], set[tuple[str, str]](), 0
        if not fits or not window:
            window.append([])
        window[-1].append(entry)
        keys.add(key)
        last, count = key, count + 1
    if window:
        yield window


async def _whole(work: Coroutine[None, None, T]) -> T:
    """Finishes what was begun before an interrupt goes on, so that the log has no hole to be filled later."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def _store(memory: AsyncMemory, window: list[list[Entry]], found: Counter[str]) -> list[Problem]:
    """Stores the groups side by side, so that the store may commit them together; gives back what it refused."""
    for user in dict.fromkeys(group[0].user_id for group in window):
        await memory.store.salt(memory.scope(user))  # a new user is made once, so that the groups keep their order
    results = await asyncio.gather(*(_store_group(memory, group) for group in window), return_exceptions=True)
    problems: list[Problem] = []
    for group, result in zip(window, results, strict=True):
        if isinstance(result, Conflict) and len(group) > 1:
            for entry in group:
                problems += await _store(memory, [[entry]], found)
        elif isinstance(result, Conflict):
            problems.append(Problem(group[0].line, str(result)))
        elif isinstance(result, BaseException):
            raise result
        else:
            found.update(redactions(result))
    return problems


async def _store_group(memory: AsyncMemory, group: Sequence[Entry]) -> list[Message]:
    first = group[0]
    if first.kind != "message":
        return await memory.append(memory.scope(first.user_id), "", [_outside(first, memory.clock.now())])
    chat = memory.session(first.session_id, user_id=first.user_id)
    stored = await chat.add_many([entry.fields for entry in group])
    if first.title:
        with contextlib.suppress(JiyiError):  # a title that cannot be kept is no reason to lose the messages
            await chat.rename(first.title)
    return stored

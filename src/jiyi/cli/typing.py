"""Where a chat's lines come from: a terminal with editing and history, or plain standard input."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from jiyi.errors import InvalidInput

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


class Lines(Protocol):
    """Gives what the person types, line by line."""

    async def read(self, prompt: str) -> str:
        """The next line.

        Raises:
            EOFError: there are no more.
            KeyboardInterrupt: the person pressed Ctrl-C.
        """
        ...

    def forget(self) -> None:
        """Drops what could be brought back with the arrow keys."""
        ...


def lines(words: Sequence[str]) -> Lines:
    """A terminal's lines, completing ``words``; plain lines where there is no terminal on both sides, or where
    prompt_toolkit is not installed, which comes with the extras for chat models.
    """
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return _Terminal(words) if terminal and importlib.util.find_spec("prompt_toolkit") else _Plain(terminal)


class _Terminal:
    """Editing, arrow keys for what was said before, Tab for commands, Alt-Enter for a new line.

    The history is kept in memory only: what is erased or off the record must not survive in a file of ours.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._session = self._make()

    def _make(self) -> PromptSession[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

        keys = KeyBindings()

        @keys.add("escape", "enter")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        return PromptSession(
            history=InMemoryHistory(),
            completer=WordCompleter(self._words, sentence=True),
            complete_while_typing=False,
            key_bindings=keys,
        )

    async def read(self, prompt: str) -> str:
        return await self._session.prompt_async(prompt)

    def forget(self) -> None:
        self._session = self._make()


class _Plain:
    """One line after the other, as the terminal or the pipe gives it."""

    def __init__(self, shows_prompt: bool) -> None:
        self._shows_prompt = shows_prompt

    async def read(self, prompt: str) -> str:
        if self._shows_prompt:
            sys.stdout.write(prompt)
            sys.stdout.flush()
        loop = asyncio.get_running_loop()
        read: asyncio.Future[bytes] = loop.create_future()

        def wait() -> None:
            line = sys.stdin.buffer.readline()
            with suppress(RuntimeError):  # the chat is over, and its loop closed
                loop.call_soon_threadsafe(lambda: read.done() or read.set_result(line))

        # not the loop's own executor: the process must be able to end while nobody writes
        threading.Thread(target=wait, name="jiyi-lines", daemon=True).start()
        line = await read
        if not line:
            raise EOFError
        try:
            return line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InvalidInput("text", f"standard input is not UTF-8 (byte {error.start + 1} of the line)") from error

    def forget(self) -> None:
        pass

"""A chat in the terminal: one person, one session at a time, a model that answers, and the memory behind it."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from jiyi.answering import Answer, AsyncAnswerStream
from jiyi.cli.output import clean, console, say, short, write_json
from jiyi.cli.recall import show_context
from jiyi.cli.typing import Lines
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, JiyiError, ModelError
from jiyi.session import AsyncSession


@dataclass
class Chat:
    """The state of a chat.

    Attributes:
        recipe: how contexts are composed just now, as it was named.
        context: what was sent, or would have been, for the last line; None before that.
        advice: how to set a model, said once when there is none.
        json: answers go out as JSON, one object a line.
    """

    memory: AsyncMemory
    lines: Lines
    user: str
    session: AsyncSession
    recipe: str
    max_tokens: int
    reply_tokens: int | None = None
    advice: str = ""
    json: bool = False
    context: Context | None = None
    kept: AsyncSession | None = None  # the session to come back to from off the record
    in_line: bool = False  # some of an answer stands on the line

    @property
    def prompt(self) -> str:
        """What stands before the cursor."""
        return f"{self.user} (off the record)> " if self.session.off_record else f"{self.user}> "

    async def run(self, command: Callable[[Chat, str], Awaitable[bool]]) -> None:
        """Reads lines until there are no more, or a command says that it was the last.

        Args:
            command: does what a line with a slash asks for; False ends the chat.
        """
        while True:
            try:
                line = await self.lines.read(self.prompt)
            except EOFError:
                return
            except KeyboardInterrupt:
                say("to leave: /quit or Ctrl-D")
                continue
            except InvalidInput as error:
                self._complain(error)
                continue
            if not line.strip():
                continue
            try:
                if line.startswith("/"):  # with a space before it, it is something to say
                    if not await command(self, line.rstrip()):
                        return
                else:
                    await self.answer(line.strip())
            except JiyiError as error:
                self._complain(error)

    def _complain(self, error: JiyiError) -> None:
        """Says what went wrong; as a line of its own for programs, which count on one for each of theirs."""
        if self.json:
            what = {"type": type(error).__name__, "message": str(error)}
            write_json({"text": None, "session_id": self.session.id, "error": what}, indent=None)
        else:
            say(f"jiyi: {error}")

    async def answer(self, text: str | None) -> None:
        """One turn; without a model it shows what would be sent.  Ctrl-C stops the answer, not the chat."""
        if self.memory.llm is None:
            await self._show_only(text)
            return
        stream = self.session.stream(
            text, max_tokens=self.max_tokens, reply_tokens=self.reply_tokens, allow_partial=True
        )
        started = time.monotonic()
        task = asyncio.ensure_future(self._follow(stream))
        try:
            with _interrupts(task):
                await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                raise
            self._break_line()
            kept = "what was said is kept, marked incomplete. " if stream.message else ""
            say(f"stopped; {kept}/retry asks again")
        except JiyiError as error:
            self._break_line()
            self._complain(error)
            if isinstance(error, ModelError) and not self.json:  # else the database may be what failed
                say("what you said is stored; /retry asks again")
        finally:
            self.context = stream.context or self.context
        if stream.answer is not None:
            self._finish(stream.answer, time.monotonic() - started)

    async def _follow(self, stream: AsyncAnswerStream) -> None:
        if self.json:
            async for _ in stream:
                pass
            return
        out = console()
        with out.status("thinking…") if out.is_terminal else nullcontext():
            first = await anext(stream, "")
        self._write(first)
        async for piece in stream:
            self._write(piece)

    def _write(self, piece: str) -> None:
        sys.stdout.write(clean(piece))
        sys.stdout.flush()
        self.in_line = self.in_line or bool(piece)

    def _break_line(self) -> None:
        """Ends the line of an answer that broke off."""
        if self.in_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self.in_line = False

    def _finish(self, answer: Answer, seconds: float) -> None:
        usage = answer.usage
        if self.json:
            write_json(
                {
                    "text": answer.text,
                    "message_id": answer.message.id,
                    "session_id": self.session.id,
                    "usage": {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens},
                    "sources": [source for block in answer.context.blocks for source in block.sources],
                },
                indent=None,
            )
            return
        self._break_line()
        recalled = sum(len(block.sources) for block in answer.context.blocks if block.place == "memory")
        facts = [f"{answer.context.tokens:,} tokens sent", f"{recalled} recalled", f"{seconds:.1f} s", "/why"]
        if answer.finish != "stop":
            facts.insert(0, "cut at its greatest length" if answer.finish == "length" else "withheld by the server")
        if answer.context.truncated:
            facts.insert(0, "what you said was shortened to fit")
        from rich.text import Text

        console().print(Text(" · ".join(facts), style="dim"))

    async def _show_only(self, text: str | None) -> None:
        if text is None:
            await self.session.unanswered()
        else:
            await self.session.add("user", text)
        found = await self.session.context(max_tokens=self.max_tokens, allow_partial=True, instructions=True)
        self.context = found
        if self.json:
            write_json({"text": None, "session_id": self.session.id, "context": found.to_dict()}, indent=None)
            return
        say("no model is set; this is what would be sent:")
        show_context(found)
        if self.advice:
            say(self.advice)
            self.advice = ""

    # -- what is shown of it

    def introduce(self, known: int) -> None:
        """The first lines of a chat.

        Args:
            known: messages stored of this user.
        """
        model = self.memory.llm.name if self.memory.llm else "no model"
        about = (
            f"{self.user} · session {short(self.session.id, 40)} · {self.recipe} · {model} · {known:,} messages known"
        )
        say(f"{about}\n/help shows what there is; Ctrl-C stops an answer, Ctrl-D ends the chat")


@contextmanager
def _interrupts(task: asyncio.Future[None]) -> Generator[None, None, None]:
    """Ctrl-C cancels the task while this lasts."""
    before = signal.getsignal(signal.SIGINT)
    loop = asyncio.get_running_loop()

    def stop(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

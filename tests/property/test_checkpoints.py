"""Whatever happens in between, restoring a checkpoint gives the messages listed when it was saved, less the erased."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi import AsyncMemory, AsyncSession
from jiyi.config import Settings
from jiyi.testing import FakeClock
from jiyi.types import Message

roles = st.sampled_from(["user", "assistant", "system"])
which = st.integers(0, 30)
steps = st.one_of(
    st.tuples(st.just("add"), roles),
    st.tuples(st.just("add"), roles),
    st.tuples(st.just("branch"), which),
    st.tuples(st.just("save"), st.sampled_from(["方案", "b", "c"])),
    st.tuples(st.just("restore"), which),
    st.tuples(st.just("fork"), which),
    st.tuples(st.just("erase"), which),
    st.tuples(st.just("resend"), which),
)


def plain(messages: list[Message]) -> list[tuple[str, str, object]]:
    """What was said, in order; places change when something before them is erased."""
    return [(message.id, message.role, message.content) for message in messages]


class Run:
    """A session, and what was listed when each checkpoint was saved."""

    def __init__(self, memory: AsyncMemory) -> None:
        self.memory = memory
        self.chat: AsyncSession = memory.session("s", user_id="ada", checkpoint_every=2)
        self.listed: dict[str, list[Message]] = {}
        self.erased: set[str] = set()
        self.said = 0

    async def do(self, what: str, given: object) -> None:
        everything = await self.chat.messages(all_branches=True)
        names = list(self.listed)
        if what == "add":
            self.said += 1
            await self.chat.add(str(given), f"message {self.said}")
        elif what == "save":
            await self.chat.checkpoint(str(given), overwrite=True)
            self.listed[str(given)] = await self.chat.messages()
        elif what == "resend":
            kept = [message for message in await self.chat.messages() if message.role != "system"]
            await self.chat.sync([{"role": m.role, "content": m.content} for m in kept[: int(str(given))]])
        elif what in ("branch", "erase") and everything:
            message = everything[int(str(given)) % len(everything)]
            if what == "branch":
                await self.chat.branch(message.id)
            else:
                await self.memory.forget(user_id="ada", message_ids=[message.id])
                self.erased.add(message.id)
        elif what == "restore" and names:
            await self.check(names[int(str(given)) % len(names)])
        elif what == "fork" and names:
            name = names[int(str(given)) % len(names)]
            fork = await self.chat.fork(name)
            assert [m.content for m in await fork.messages()] == [m.content for m in self.expected(name)]
            await fork.add("user", "elsewhere")

    def expected(self, name: str) -> list[Message]:
        return [message for message in self.listed[name] if message.id not in self.erased]

    async def check(self, name: str) -> None:
        before = await self.chat.messages(all_branches=True)
        checkpoint = await self.chat.restore(name)
        found = await self.chat.messages()
        assert plain(found) == plain(self.expected(name))
        assert checkpoint.messages == len(found)
        assert [message.position for message in found] == list(range(1, len(found) + 1))
        after = await self.chat.messages(all_branches=True)
        assert [replace(m, active=True) for m in after] == [replace(m, active=True) for m in before]  # nothing is lost


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=40))
def test_a_checkpoint_is_the_messages_listed_when_it_was_saved(chosen: list[tuple[str, object]]) -> None:
    async def run() -> None:
        options = {"embedder": None, "tokenizer": "estimate", "clock": FakeClock(), "settings": Settings()}
        async with await AsyncMemory.open("memory:", **options) as memory:  # type: ignore[arg-type]
            await memory.worker.stop()
            history = Run(memory)
            for what, given in chosen:
                await history.do(what, given)
            for name in history.listed:
                await history.check(name)
            for checkpoint in await history.chat.checkpoints():  # the automatic ones as well: paths that are there
                await history.chat.restore(checkpoint.name)
                assert len(await history.chat.messages()) == checkpoint.messages

    asyncio.run(run())

"""``JiyiSession``: a session of OpenAI's Agents SDK, kept in a memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from jiyi import intake
from jiyi.errors import InvalidInput, MissingDependency
from jiyi.integrations.composing import compose
from jiyi.integrations.openai_items import Item, items_of, to_items, to_messages, written
from jiyi.tokens import count_message
from jiyi.types import Message
from jiyi.waiting import elsewhere

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

    from jiyi.sync import Memory

try:
    import agents  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError as error:
    raise MissingDependency(
        f"a session of OpenAI's Agents SDK needs: pip install 'jiyi[openai-agents]' ({error})"
    ) from error


class JiyiSession:
    """The session that ``Runner.run(…, session=…)`` takes: every item kept exactly, and what was said remembered.

    Attributes:
        session_id: the Jiyi session beneath, resumed by the same id.
        session_settings: the SDK's own; its ``limit`` counts items.
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        memory: Memory,
        session_id: str | None = None,
        *,
        user_id: str,
        max_tokens: int | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Opens the session, or makes it.

        Args:
            memory: where everything is kept.
            session_id: None for a fresh id.
            user_id: whose it is.
            max_tokens: tokens of what the model gets of what was said before; None for all of it, word for word.
            session_settings: as the SDK's other sessions take them.

        Raises:
            InvalidInput: names the field.
        """
        if max_tokens is not None:
            intake.positive("max_tokens", max_tokens)
        self._session = memory.session(session_id, user_id=user_id).inner
        self._memory = memory.inner
        self._max_tokens = max_tokens
        self._adding = asyncio.Lock()
        self._sections: set[str] = set()
        self.session_id = self._session.id
        self.session_settings = session_settings

    # -- what the SDK calls

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """What was said before: all items, the newest ``limit``, or with ``max_tokens`` the context within it.

        A limit, the caller's or that of ``session_settings``, goes before the budget and counts whole items.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = await elsewhere(self._items(limit))
        return cast("list[TResponseInputItem]", items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keeps new items; those that a run tried again brings once more, as their ids tell, are not kept twice."""
        await elsewhere(self._add(cast("Sequence[Item]", items)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the newest item back: it is erased, with what was derived from it.  None when there is none."""
        return cast("TResponseInputItem | None", await elsewhere(self._pop()))

    async def clear_session(self) -> None:
        """Erases the session, with what was derived from it."""
        await elsewhere(self._memory.forget(user_id=self._session.user_id, session_id=self.session_id))

    # -- what the caller may give it

    async def with_memory(
        self, history: list[TResponseInputItem], new: list[TResponseInputItem]
    ) -> list[TResponseInputItem]:
        """For ``RunConfig(session_input_callback=session.with_memory)``: what the new items ask is looked for.

        Without it what is remembered answers the question before, because the SDK reads a session before it tells it
        what is new.

        Raises:
            InvalidInput: the session has no budget.
        """
        if self._max_tokens is None:
            raise InvalidInput("max_tokens", "give the session a budget, for example max_tokens=4000")
        asked = cast("Sequence[Item]", new)
        before = cast("Sequence[Item]", history)
        items = await elsewhere(self._for_question(before, asked, self._max_tokens))
        return cast("list[TResponseInputItem]", [*items, *asked])

    # -- inside, on the memory's loop

    async def _items(self, limit: int | None) -> list[Item]:
        if limit is not None:
            newest = await self._session.messages(max(0, limit))
            return to_items(newest)[-limit:] if limit > 0 else []
        if self._max_tokens is None:
            return to_items(await self._session.messages())
        composed = await compose(self._memory, self._session, None, self._max_tokens)
        return [*to_items(composed.system), *self._section(composed.section), *to_items(composed.history)]

    async def _for_question(self, history: Sequence[Item], asked: Sequence[Item], max_tokens: int) -> list[Item]:
        new = to_messages(asked)
        query = "\n".join(_text(message) for message in new if message["role"] == "user").strip()
        room = max_tokens - sum(count_message(self._memory.counter, message) for message in new)
        composed = await compose(self._memory, self._session, query or None, room)
        # only what the SDK gave: what it does not know as history, it would take for new and have it kept again
        wanted = Counter(map(written, to_items((*composed.system, *composed.history))))
        chosen: list[Item] = []
        for item in reversed(history):
            if wanted[name := written(item)] > 0:
                wanted[name] -= 1
                chosen.insert(0, item)
        return [*self._section(composed.section), *chosen]

    async def _add(self, items: Sequence[Item]) -> None:
        given = [item for item in items if not self._is_section(item)]
        async with self._adding:
            new = given[await self._known(given) :]
            if new:
                await self._session.add_many(to_messages(new, session_id=self.session_id))

    async def _known(self, items: Sequence[Item]) -> int:
        """How many of the first ones the session ends with already: one of them at least has an id of its model's."""
        if not any("id" in item for item in items):
            return 0
        stored = list(map(written, to_items(await self._session.messages(len(items)))))
        came = list(map(written, items))
        for shared in range(min(len(came), len(stored)), 0, -1):
            if stored[-shared:] == came[:shared] and any("id" in item for item in items[:shared]):
                return shared
        return 0

    async def _pop(self) -> Item | None:
        async with self._adding:
            last = await self._session.messages(1)
            if not last:
                return None
            *rest, item = items_of(last[0])
            if rest:  # beside it first, so that nothing is lost between the two
                await self._beside(last[0], rest)
            await self._memory.forget(user_id=self._session.user_id, message_ids=[last[0].id])
        return item

    async def _beside(self, last: Message, items: Sequence[Item]) -> None:
        """Puts what is left of a message where it stands."""
        scope = self._memory.scope(self._session.user_id)
        drafts = intake.given(to_messages(items), self.session_id, now=self._memory.clock.now())
        await self._memory.append(scope, self.session_id, drafts, after=last.parent_id)

    def _section(self, text: str) -> list[Item]:
        if not text:
            return []
        self._sections.add(text)
        return [{"role": "system", "content": text}]

    def _is_section(self, item: Item) -> bool:
        return item.get("role") == "system" and item.get("content") in self._sections


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if part.get("type") == "text")

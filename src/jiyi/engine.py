"""``AsyncMemory``: the only place where the parts meet."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack, cast

from jiyi import intake
from jiyi.checking import Checking
from jiyi.checkpoints import with_copies
from jiyi.clock import SystemClock, ZonedClock
from jiyi.config import Settings, load_settings
from jiyi.errors import InvalidInput, StoreError
from jiyi.gathering import Gathering
from jiyi.grouping import Grouping
from jiyi.indexing import LexicalIndex
from jiyi.linking import Linking
from jiyi.models import Models
from jiyi.opening import close_embedder, open_embedder, open_store, open_vectors, restore_store
from jiyi.options import Options, Stated, Where, filter_of, known
from jiyi.ports import Caching
from jiyi.prompts import prompt
from jiyi.recipes import compose, derivers
from jiyi.redaction import redactor
from jiyi.search import Searcher, Wanted
from jiyi.session import AsyncSession
from jiyi.spending import Spending
from jiyi.text import check_text, clear_caches
from jiyi.tokens import counter
from jiyi.types import Erased, Hit, Message, Scope, SessionInfo, Stats, Usage
from jiyi.uses import Uses
from jiyi.weights import weights_of
from jiyi.worker import Worker

if TYPE_CHECKING:
    from jiyi.ports import Clock, Embedder, Store, Strategy, VectorIndex


audit = logging.getLogger("jiyi.audit")


class AsyncMemory(Checking, Gathering, Grouping, Linking):
    """The memory of all users of one tenant and agent.

    Open it with ``await AsyncMemory.open(...)``, close it with ``close()`` or ``async with``.  It belongs to the event
    loop that opened it.

    Attributes:
        llm, memory_llm: the model that answers, and the one that derives; None without.
        vectors: the index that keeps the vectors of messages; None when the store does.
        warnings: what the person who runs this should know, for example that vectors of another model are stored.
    """

    def __init__(self, store: Store, settings: Settings, options: Options) -> None:
        self.store = store
        self.settings = settings
        self.tenant = intake.identifier("tenant", options.get("tenant", settings.tenant))
        self.agent = intake.identifier("agent", options.get("agent", settings.agent))
        self.clock: Clock = options.get("clock") or SystemClock()
        self._zone = intake.zone("timezone", options.get("timezone", settings.timezone))
        if self._zone:
            self.clock = ZonedClock(self.clock, self._zone)
        self.counter = counter(options.get("tokenizer", settings.tokenizer) or None)
        self.strategies: Sequence[Strategy] = ()
        limit = options.get("daily_tokens", settings.daily_tokens)
        intake.limit("daily_tokens", limit)
        self.spending = Spending(store, self.clock, limit)
        self.uses = Uses(store, self.clock)
        self.expire_days = options.get("expire_days", settings.expire_days)
        intake.limit("expire_days", self.expire_days)
        self.worker = Worker(store, [LexicalIndex()], self.clock, self.spending)
        for chore in (self.spending.write, self.uses.write, self._expire_next):
            self.worker.when_idle(chore)
        self.searcher = Searcher(store, None, self.clock, weights_of(options.get("ranking", settings.ranking)))
        self._models = Models(options, settings, self.spending, self.counter)
        self.llm, self.memory_llm = self._models.llm, self._models.memory_llm
        self.warnings = self._models.warnings.copy()
        self._instructions = options.get("instructions")
        self._redactor = redactor(options.get("redact", settings.redact))
        self.vectors: VectorIndex | None = None
        self._embedder: Embedder | None = None
        self._embedding: str | Embedder | None = None  # what was asked for: one that we were given is not ours to close

    @classmethod
    async def open(cls, url: str | Path | None = None, **options: Unpack[Options]) -> AsyncMemory:
        """Opens a memory, and makes the database when it does not exist.

        Args:
            url: a file's path, ``memory:`` for one that is gone when the process ends, or None for the configured one.
            **options: see ``Options``.

        Raises:
            InvalidInput: a wrong option.
            StoreError: the file is not ours, damaged, newer, or cannot be opened.
        """
        known("option", options, Options)
        settings = options.get("settings") or load_settings()
        address = settings.db if url is None else url
        if not isinstance(address, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("url", f"must be text or a path, not {type(address).__name__}")
        store = await open_store(check_text("url", str(address)), settings)
        try:
            index = open_vectors(asked := options.get("vectors", settings.vectors), settings)
            if index is not None:
                from jiyi.outside import Outside  # few have one

                store = cast("Store", Outside(store, index, ours=isinstance(asked, str)))
            memory = cls(store, settings, options)
            memory.vectors = index
        except BaseException:
            await store.close()
            raise
        try:
            memory._embedding = options.get("embedder", settings.embedder)
            memory._embedder = open_embedder(memory._embedding, settings)
            await memory._attach()
            await memory.use_recipe(options.get("recipe", settings.recipe))
            await memory.worker.start()
        except BaseException:
            await memory.close()
            raise
        return memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the background work between two commits and lets go of the database."""
        await self.worker.stop()
        with suppress(StoreError):  # counts
            await self.spending.write()
            await self.uses.write()
        await self._models.close()
        if isinstance(self._embedding, str):
            await close_embedder(self._embedder)
        await self.store.close()

    async def use_recipe(self, recipe: str | Sequence[Strategy]) -> None:
        """Composes contexts by another recipe from now on; what its strategies need is derived from the whole log.

        Args:
            recipe: a recipe's name, or strategies in the order of their parts.

        Raises:
            NotFound: no recipe of that name.
            InvalidInput: something in the list is not a strategy, or two of them derive one step in different ways.
        """
        strategies = compose(recipe, self.settings.recipes)
        made = derivers(strategies, self.memory_llm)
        counts = Counter(deriver.step.name for deriver in made)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise InvalidInput("recipe", f"derives {twice[0]!r} in two ways; give its strategies the same settings")
        for deriver in made:
            await self.worker.add(deriver)
        self.strategies = strategies
        self.worker.wake()

    # -- writing

    def session(
        self,
        session_id: str | None = None,
        *,
        user_id: str,
        off_record: bool = False,
        checkpoint_every: int | None = None,
    ) -> AsyncSession:
        """A session of a user: a new one, or a stored one to go on with.

        Args:
            session_id: None for a fresh id.
            user_id: whose it is.
            off_record: nothing that is added is kept; it is gone with this object.
            checkpoint_every: turns of the path from one automatic checkpoint to the next, saved when this object adds
                the reply that completes the turn; None for what the recipe says, which usually is none.

        Raises:
            InvalidInput: names the field.
        """
        name = intake.new_id(self.clock.now()) if session_id is None else intake.identifier("session_id", session_id)
        if checkpoint_every is not None:
            intake.positive("checkpoint_every", checkpoint_every)
            if off_record:
                raise InvalidInput("checkpoint_every", "a session off the record stores nothing to come back to")
        elif not off_record:
            checkpoint_every = next(
                filter(None, (getattr(one, "checkpoint_every", 0) for one in self.strategies)), None
            )
        scope = self.scope(user_id)
        return AsyncSession(self, scope, name, off_record=off_record, checkpoint_every=checkpoint_every)

    async def remember(self, text: str, *, user_id: str, **details: Unpack[Stated]) -> Message:
        """Stores something stated outside a conversation; search finds it like everything else.

        Args:
            text: what to remember, word for word.
            user_id: whose it is.
            **details: see ``Stated``; ``importance`` is 0..1.

        Raises:
            InvalidInput: names the field.
        """
        scope = self.scope(user_id)
        known("field", details, Stated)
        if not check_text("text", text).strip():
            raise InvalidInput("text", "must not be empty")
        category, role = details.get("category"), details.get("role", "user")
        if role not in ("user", "assistant"):
            raise InvalidInput("role", f"must be 'user' or 'assistant', not {role!r}")
        said = {key: value for key, value in details.items() if key in intake.Details.__annotations__}
        stated = cast("intake.Details", said)
        message = intake.statement(text, stated, now=self.clock.now(), role=role, category=category)
        return (await self.append(scope, "", [message]))[0]

    # -- reading

    async def search(
        self,
        query: str,
        *,
        user_id: str,
        k: int = 10,
        floor: float | None = None,
        neighbours: int = 0,
        **where: Unpack[Where],
    ) -> list[Hit]:
        """The user's messages and statements that answer a question, best first.

        Args:
            query: in any words; an empty one finds nothing.
            user_id: whose memory.
            k: hits at most; 0 gives none.
            floor: least relevance, 0..1; None for the calibrated default, 0 for everything.
            neighbours: messages of the session to bring along before and after each hit.
            **where: see ``Where``.

        Raises:
            InvalidInput: names the field.
        """
        scope = self.scope(user_id)
        check_text("query", query)
        intake.limit("k", k)
        intake.limit("neighbours", neighbours)
        if floor is not None:
            intake.fraction("floor", floor)
        chosen = filter_of(where, self.clock.now())
        return await self.searcher.search(scope, query, Wanted(k, chosen, floor, neighbours))

    async def messages(self, *, user_id: str, limit: int | None = None, **where: Unpack[Where]) -> list[Message]:
        """The user's log: messages and statements on active paths, in order of arrival; ``limit`` keeps the newest."""
        intake.limit("limit", limit)
        chosen = filter_of(where, self.clock.now())
        return await self.store.messages(self.scope(user_id), chosen, limit=limit, newest=True)

    async def sessions(self, *, user_id: str) -> list[SessionInfo]:
        """The user's sessions, last updated first."""
        return [session for session in await self.store.sessions(self.scope(user_id)) if session.id]

    async def users(self) -> list[str]:
        """Everybody who has a memory here, sorted."""
        return sorted(scope.user for scope in await self._scopes())

    async def stats(self, user_id: str | None = None) -> Stats:
        """Counts, of one user or of the whole store."""
        return await self.store.stats(None if user_id is None else self.scope(user_id))

    @property
    def usage(self) -> dict[str, Usage]:
        """What the models were used for since the memory was opened: ``llm`` to answer, ``memory_llm`` to derive."""
        return self._models.usage

    def instructed(self, language: str) -> list[Message]:
        """The answering prompt as system messages of a context; none when it was set to be empty."""
        written = prompt("answer", language)
        text = written.text if self._instructions is None else self._instructions
        name = written.id if self._instructions is None else "instructions"
        return [Message(name, "", "system", text)] if text.strip() else []

    # -- upkeep

    async def forget(
        self, *, user_id: str, session_id: str | None = None, message_ids: Sequence[str] | None = None
    ) -> Erased:
        """Erases a user, one of their sessions, or single messages: rows, vectors, index, records, bytes; and the
        corrections of what was derived from them.  The logger ``jiyi.audit`` gets the counts.

        Args:
            user_id: whose; alone it means everything of this user.
            session_id: only this session.
            message_ids: only these messages, with the copies that forks made of them, or that they are.

        Raises:
            InvalidInput: an empty, wildcard or non-text filter, or two filters at once; nothing is erased.
        """
        scope = self.scope(user_id)
        if session_id is not None and message_ids is not None:
            raise InvalidInput("session_id", "give either session_id or message_ids, not both")
        if message_ids is not None:
            if isinstance(message_ids, str) or not isinstance(message_ids, Sequence) or not message_ids:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidInput("message_ids", "must be a list with at least one id")
            names = {f"message_ids[{i}]": item for i, item in enumerate(message_ids)}
            ids = [intake.identifier(field, item) for field, item in names.items()]
            ids = await with_copies(self.store, scope, ids)
            orders, thinned = await self._orders_on(scope, ids=ids), await self._thinned(scope, ids=ids)
            erased = await self.store.forget(scope, message_ids=[*ids, *orders])
        elif session_id is not None:
            names = {"session_id": session_id}
            session = intake.identifier("session_id", session_id)
            erased, thinned = Erased(), await self._thinned(scope, session_id=session)
            if orders := await self._orders_on(scope, session_id=session):  # first: they say no longer whose they were
                erased = await self.store.forget(scope, message_ids=orders)
            erased += await self.store.forget(scope, session_id=session)
        else:
            names, thinned = {"user_id": scope.user}, []
            erased = await self.store.forget(scope, everything=True)
            self.spending.forget(scope)
            self.uses.forget(scope)
        _refuse_patterns(names, erased)
        self._drop_copies(next(iter(names)).partition("[")[0], erased)
        if thinned:
            await self.store.rebuild(thinned, scope)
        self.worker.wake()  # what other messages have lost is derived anew
        return erased

    async def erase(self, scope: Scope, ids: Sequence[str], *, upto: int) -> Erased:
        """Erases entries of the log of which no fork has a copy and nobody orders anything: what a program keeps.

        Args:
            scope: whose.
            ids: of the messages.
            upto: see ``Store.forget``.
        """
        erased = await self.store.forget(scope, message_ids=ids, upto=upto)
        self._drop_copies("program", erased)
        self.worker.wake()
        return erased

    def _drop_copies(self, by: str, erased: Erased) -> None:
        """Empties what keeps texts for speed; the audit gets counts alone, nothing of anybody."""
        audit.info("erased by %s: %s", by, erased)
        clear_caches()
        for holder in (self._embedder, self.counter, self.llm, self.memory_llm, self.worker):
            if isinstance(holder, Caching):
                holder.clear()

    async def backup(self, target: str | Path) -> None:
        """Writes a consistent copy while the memory is in use."""
        await self.store.backup(Path(target))

    @staticmethod
    async def restore(backup: str | Path, url: str | Path) -> None:
        """Puts a backup in place of a database that nobody has open.

        Raises:
            StoreCorrupt: the backup is not a database of Jiyi.
            InvalidInput: ``url`` is not a file's path.
        """
        await restore_store(Path(backup), str(url))


def _refuse_patterns(names: Mapping[str, str], erased: Erased) -> None:
    """Says so when a pattern was meant: ids are compared as they are, so it named nothing and nothing was erased."""
    for field, name in names.items():
        if erased == Erased() and any(sign in name for sign in "*%?"):
            raise InvalidInput(field, f"there is no {name!r}, and patterns are not understood; nothing was erased")

"""What of ``AsyncMemory`` groups entities and topics: merges, splits, renames them, chooses one for a session."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi import intake
from jiyi.commands import Command, Does, evidence, listed, mark, metadata
from jiyi.correcting import Correcting
from jiyi.curated import Curated
from jiyi.entities import ENTITY, form_of, messages_of, parted
from jiyi.errors import InvalidInput
from jiyi.groups import GROUPED
from jiyi.mentions import USER
from jiyi.text import check_text, flat
from jiyi.topics import TOPIC, names_of, topic_id
from jiyi.types import JSON, Record, Scope

_SHOWN = 8  # ids of messages, in an error


class Grouping(Correcting):
    """The part of ``AsyncMemory`` for people's word on what is one thing, and what it is called."""

    async def merge(self, record_id: str, into: str, *, user_id: str) -> Record:
        """Says that two entities, or two topics, are one: the first goes into the second, which keeps its id and name.

        The id of the first leads to the second from then on.  What was ordered about the first sleeps until
        ``recover(record_id)`` parts them again.

        Args:
            record_id: what goes.
            into: what stays.
            user_id: whose.

        Raises:
            NotFound: no such record.
            InvalidInput: they are of different kinds, of a kind that cannot be merged, or one already.
        """
        scope = self.scope(user_id)
        one, target = await self._found(scope, record_id), await self._found(scope, into)
        _check("merge", one, GROUPED)
        if target.kind != one.kind:
            raise InvalidInput("into", f"is a {target.kind}, and the other a {one.kind}; take two of a kind")
        if target.id == one.id:
            raise InvalidInput("into", "is the same record already")
        sources = [source.message_id for source in evidence(one)]
        sign = mark(await self.store.salt(scope), target)
        await self._write_group(scope, "merge", one, sources, other=target.id, other_mark=sign)
        return await self._found(scope, target.id)

    async def split(
        self, record_id: str, message_ids: Sequence[str], *, user_id: str, name: str | None = None
    ) -> Record:  # fmt: skip
        """Says that some messages mean another entity of the same name: they make one of their own.

        ``recover`` of the new one's id puts it back.

        Args:
            record_id: the entity.
            message_ids: those that mean the other one; ``record(record_id).sources`` has all that name it.
            user_id: whose.
            name: what the new one is called; None for the fullest name that these messages use.

        Returns:
            The new one.

        Raises:
            NotFound: no such record.
            InvalidInput: it is no entity, or names the message that does not name it, or nothing would be left.
        """
        scope = self.scope(user_id)
        record = await self._found(scope, record_id)
        _check("split", record, {ENTITY})
        if isinstance(message_ids, str) or not message_ids:
            raise InvalidInput("message_ids", "must be a list with at least one id")
        ids = [intake.identifier(f"message_ids[{at}]", one) for at, one in enumerate(message_ids)]
        there = messages_of(record)
        for at, one in enumerate(ids):
            if one not in there:
                named = ", ".join(dict.fromkeys(source.message_id for source in record.sources[:_SHOWN]))
                raise InvalidInput(f"message_ids[{at}]", f"{one!r} is no message that names it; there are {named}")
        if len(set(ids)) == len(there):
            raise InvalidInput("message_ids", "are all that name it, so nothing would be left; rename() it instead")
        _, part = parted(record, ids)
        if name is not None:
            _check_name(part, name)
        await self._write_group(scope, "split", record, ids, other=part.id)
        return await self._found(scope, part.id) if name is None else await self.rename(part.id, name, user_id=user_id)

    async def rename(self, record_id: str, name: str, *, user_id: str) -> Record:
        """Says what an entity or a topic is called; it is still found by its other names.

        Raises:
            NotFound: no such record.
            InvalidInput: no name, or a record of another kind.
        """
        scope = self.scope(user_id)
        record = await self._found(scope, record_id)
        _check("rename", record, GROUPED)
        _check_name(record, name)
        return await self._order("rename", record_id, user_id, " ".join(name.split()))

    async def recover(self, record_id: str, *, user_id: str) -> Record:
        """Takes back that a record was hidden, deleted, merged into another one or split from one.

        Raises:
            NotFound: it was none of this, or nothing of it is left.
        """
        scope = self.scope(user_id)
        orders = await Curated(self.store, scope).orders()
        undone = {one.other for one in orders if one.does == "undo"}
        for one in reversed(orders):
            gone = (one.does == "merge" and one.record == record_id) or (one.does == "split" and one.other == record_id)
            if gone and one.id not in undone:
                await self._undo(scope, one)
                return await self._found(scope, one.record)
        return await super().recover(record_id, user_id=user_id)

    async def choose_topic(self, scope: Scope, session_id: str, topic: str | None) -> Record | None:
        """Says which topic a session belongs to: its id, its name, or the name of a new one; None takes that back."""
        curated = Curated(self.store, scope, hidden=True)
        if topic is None:
            orders = await curated.orders()
            undone = {one.other for one in orders if one.does == "undo"}
            for one in orders:
                if one.does == "topic" and one.session_id == session_id and one.id not in undone:
                    await self._undo(scope, one)
            return None
        if not check_text("topic", topic).strip():
            raise InvalidInput("topic", "must not be empty; None takes back what was chosen")
        topic = self.clean([intake.command(" ".join(topic.split()), {}, now=self.clock.now())])[0].text
        there = await curated.records(kind=TOPIC, current=None)
        found = [one for one in there if topic == one.id or topic in listed(one, "joined")]
        found = found or [one for one in there if flat(topic) in map(flat, names_of(one))]
        if found:
            sources = [source.message_id for source in evidence(found[0])]
            await self._write_group(scope, "topic", found[0], sources, session=session_id)
            return await self._found(scope, found[0].id)
        new = Record(topic_id(topic), TOPIC, topic, "", "", (), data={"value": topic})
        await self._write_group(scope, "topic", new, (), topic, session=session_id)
        return await self._found(scope, new.id)

    async def _undo(self, scope: Scope, order: Command) -> None:
        said: dict[str, JSON] = {"command": "undo", "record": order.record, "kind": order.kind, "other": order.id}
        await self._append(scope, None, {**said, "sources": [order.id]})

    async def _write_group(
        self, scope: Scope, does: Does, record: Record, sources: Sequence[str], text: str | None = None, **more: str
    ) -> None:
        said = metadata(does, record, await self.store.salt(scope), dict.fromkeys(sources))
        await self._append(scope, text, {**said, **more})


_CAN = {"merge": "merged", "split": "split", "rename": "renamed"}


def _check(does: str, record: Record, kinds: frozenset[str] | set[str]) -> None:
    if record.kind not in kinds:
        able = " and ".join({ENTITY: "entities", TOPIC: "topics"}[kind] for kind in sorted(kinds))
        raise InvalidInput(
            "record_id",
            f"is a {record.kind}, which cannot be {_CAN[does]}; {able} can. What is wrong is corrected with correct() "
            "or goes with delete()",
        )


def _check_name(record: Record, name: str) -> None:
    form = form_of(check_text("name", name))
    if not form:
        raise InvalidInput("name", "must not be empty")
    if form == USER and record.kind == ENTITY:
        raise InvalidInput("name", f"{name!r} stands for the user; merge() it into the user's entity instead")

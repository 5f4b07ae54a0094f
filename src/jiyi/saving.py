"""What of ``AsyncSession`` is about checkpoints: saving where it stands, going back there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jiyi.checkpoints import Checkpoints, Difference
from jiyi.errors import InvalidInput
from jiyi.types import JSON, Checkpoint, Scope

if TYPE_CHECKING:
    from jiyi.engine import AsyncMemory
    from jiyi.session import AsyncSession


class Saving:
    """The part of ``AsyncSession`` for coming back to a place."""

    off_record: bool
    _memory: AsyncMemory
    _scope: Scope
    _places: Checkpoints

    async def checkpoint(
        self, name: str, *, state: Mapping[str, JSON] | None = None, overwrite: bool = False
    ) -> Checkpoint:
        """Saves the place where the session stands, under a name, to come back to.

        Args:
            name: unique in the session.
            state: whatever an agent needs to go on from here, as JSON; ``restore`` gives it back.
            overwrite: put it in the place of a checkpoint of the same name.

        Raises:
            Conflict: the name is taken.
            InvalidInput: names the field, or the session when it is off the record.
        """
        return await self._saved().save(name, state, overwrite=overwrite)

    async def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints of the session, oldest first."""
        return await self._saved().all()

    async def restore(self, name: str) -> Checkpoint:
        """Goes back to a checkpoint, and returns it with its state: the next message follows the one it was saved at.

        What came after it leaves the active path and stays stored, as with ``branch``.

        Raises:
            NotFound: no such checkpoint; says which there are.
        """
        checkpoint = await self._saved().restore(name)
        self._memory.worker.wake()
        return checkpoint

    async def fork(self, name: str | None = None, *, session_id: str | None = None) -> AsyncSession:
        """A new session that begins with copies of the messages up to a checkpoint; this one stays as it is.

        The copies have ids of their own and keep their times; ``metadata["copy_of"]`` says where they are from.  A
        search brings the same words back once.

        Args:
            name: the checkpoint; None for where the session stands.
            session_id: of the new session; None for a fresh id.

        Raises:
            NotFound: no such checkpoint; says which there are.
            Conflict: the new session is there already.
        """
        fork = self._memory.session(session_id, user_id=self._scope.user)
        await self._memory.append(self._scope, fork.id, await self._saved().copies(name, fork.id), after=None)
        return fork

    async def diff(self, a: str | None, b: str | None = None) -> Difference:
        """What was said up to checkpoint ``a`` and not up to ``b``, and the other way round; None for the present path.

        Raises:
            NotFound: no such checkpoint; says which there are.
        """
        return await self._saved().diff(a, b)

    async def delete_checkpoint(self, name: str) -> None:
        """Deletes a checkpoint with its state; the messages stay.

        Raises:
            NotFound: no such checkpoint; says which there are.
        """
        await self._saved().delete(name)

    def _saved(self) -> Checkpoints:
        if self.off_record:
            raise InvalidInput("session", "is off the record; nothing of it is stored, so it has no checkpoints")
        return self._places

"""Where everything is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Protocol, Unpack

from jiyi.types import (
    ACTIVE,
    JSON,
    Changes,
    Checkpoint,
    Claim,
    Erased,
    Failure,
    Filter,
    Found,
    FoundRecords,
    Message,
    Probe,
    Progress,
    Record,
    RecordProbe,
    Scope,
    SessionInfo,
    Spent,
    Stats,
    Step,
    Usage,
    Which,
)


class Store(Protocol):
    """Keeps messages, records, indexes and cursors; knows nothing of strategies.

    Every method that takes a scope touches nothing outside it.  Every writing method is one transaction: when it
    returns, a crash loses nothing of it; when it raises, nothing changed.  Results are in the order said here, the same
    in every store.  Methods may be awaited from many tasks at once; two processes may open the same database.  Names
    and terms are compared as they are, code point by code point, and sorted that way; times as moments, kept to the
    microsecond in an offset of whole minutes.  What is returned must not be written to.

    Attributes:
        url: its address.
        adds_inline: ``append`` may be called from any thread, and run without an event loop to their end
            where ``jiyi.inline.here()`` holds; the sync facade then saves two changes of thread.  False is never wrong.
    """

    url: str
    adds_inline: bool

    # -- log

    async def append(
        self,
        scope: Scope,
        session_id: str,
        messages: Sequence[Message],
        *,
        after: str | None = "head",
    ) -> list[Message]:
        """Puts messages at the end of the log and of the session's path, in the order given; makes scope and session
        when they are new.  Returns them with ``seq`` (from 1, without gap when appended), ``position``, ``parent_id``,
        ``chain``, ``active`` filled in (whatever the caller wrote there); ``recorded_at`` is the caller's, and so is
        ``digest``, but one that is empty becomes ``history.digest`` with the scope's salt.  The seq of an erased
        message is not given again while its scope is there.

        A message whose id the scope already has is not stored again: the stored one, as it is after this call, is
        returned in its place when session, kind and digest agree, otherwise ``Conflict`` is raised.  When all are
        known, nothing changes.  ``after``: id of the message that the first one follows (the path to it becomes the
        active one first), ``"head"`` for the current end, None for the session's very beginning; known messages that
        stand right behind that place are stepped over, so that a branch sent again with more goes on at its end.  An
        ``after`` that is not in the session raises ``NotFound``.  For messages that come to the active path or leave
        it, see ``update_session``.  Statements, commands, and messages without a session,
        have session_id "" and no parent, position, chain.
        """
        ...

    async def messages(
        self, scope: Scope, where: Filter = ACTIVE, *, limit: int | None = None, newest: bool = False
    ) -> list[Message]:
        """The messages that match, in seq order — with a ``session_id`` and ``active=True``, in path order.  ``limit``
        keeps the first ones, with ``newest`` the last ones (still in ascending order).
        """
        ...

    async def seqs(self, scope: Scope, where: Filter) -> list[int]:
        """The seqs of the messages that match, ascending; much cheaper than the messages."""
        ...

    async def sessions(self, scope: Scope, session_id: str | None = None) -> list[SessionInfo]:
        """All sessions of the scope, or the one asked for (an empty list when there is none), last updated first, ties
        by id.
        """
        ...

    async def update_session(
        self,
        scope: Scope,
        session_id: str,
        *,
        at: datetime,
        title: str | None = None,
        metadata: Mapping[str, JSON] | None = None,
        head: str | None = None,
    ) -> SessionInfo:
        """Sets what is given.  ``head``: a message of this session, or "" for the very beginning; the path from the
        beginning to it becomes the active one, everything else of the session inactive.  Messages that come to it or
        leave it are gaps of every step that derives records, and who derives in the scope has lost the lease.
        ``NotFound`` for an unknown session or message.
        """
        ...

    async def put_checkpoint(self, scope: Scope, checkpoint: Checkpoint, *, overwrite: bool = False) -> Checkpoint:
        """Saves a checkpoint at its ``message_id``, on whatever branch that is; returns it with ``messages`` counted.
        One without a message makes scope and session when they are new.  Changes nothing else of the session, its
        times included.  ``Conflict`` when the session has one of this name, unless ``overwrite`` puts it in its place;
        ``NotFound`` for a message that is not in the session.
        """
        ...

    async def checkpoints(self, scope: Scope, session_id: str, name: str | None = None) -> list[Checkpoint]:
        """All checkpoints of the session, or the one of this name (an empty list when there is none), oldest first,
        ties by name.
        """
        ...

    async def delete_checkpoints(self, scope: Scope, session_id: str, names: Sequence[str]) -> int:
        """Deletes checkpoints, never a message; returns how many there were."""
        ...

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        """All scopes that hold a session, message or record (a salt alone is nothing), by tenant, user, agent."""
        ...

    async def salt(self, scope: Scope) -> bytes:
        """The scope's secret for digests: 16 random bytes, made once, erased with the user."""
        ...

    # -- derived

    async def records(self, scope: Scope, **which: Unpack[Which]) -> list[Record]:
        """Records that match, oldest first (recorded_at, id)."""
        ...

    async def use(self, scope: Scope, record_ids: Sequence[str], *, at: datetime) -> None:
        """Counts that these records stood in a context: ``used`` grows by one each time that an id is named, and
        ``used_at`` is the latest time.  Ids that are not there are passed over.  The counts stay when the record is put
        again or derived anew, and go with it.
        """
        ...

    async def find(self, scope: Scope, probe: Probe) -> Found:
        """What the two indexes have for a question, with the messages, in one look.

        Never raises for odd terms; no terms, no hits by words.  A scope that is not there gives ``Found()``.  Cosines
        are within 0.002, mean and deviation within 0.01, of the exact ones.  ``InvalidInput`` when the vector has other
        dimensions than what is stored.
        """
        ...

    async def indexed(self, scope: Scope, step: Step) -> list[int]:
        """Seqs of the messages that the index of this step (``lexical``, ``dense:<model>``) has something of,
        ascending; for looking it through.
        """
        ...

    async def records_after(self, scope: Scope, seq: int, *, limit: int) -> list[Record]:
        """Records with a higher seq, in seq order: closed ones too, and those that a step has made anew so far.

        A record with a text gets the next seq of its scope when it is put, unless it replaces one of which the indexes
        see the same (``indexable.index_text``): then it has that one's, and keeps its vectors.
        """
        ...

    async def find_records(self, scope: Scope, probe: RecordProbe) -> FoundRecords:
        """What the scope's records with a text have for a question, in one look, as ``find`` for messages.

        A record is found by words at once, by meaning when it has a vector (``records:<model>``).  Its words are those
        of ``indexable.record_entry``.  What a step that derives anew has made so far is not seen before it is done.
        Without such records, ``FoundRecords()``.
        """
        ...

    async def drop(self, scope: Scope, record_ids: Sequence[str]) -> None:
        """Deletes records, also those that a rebuild has made anew so far.  Nothing is derived anew for it.  Ids that
        are not there are passed over.
        """
        ...

    # -- derivation

    async def register(self, steps: Sequence[Step]) -> None:
        """Makes cursors for these steps in every scope, now and for scopes to come.  A step whose version or stride is
        new is derived anew, as by ``rebuild``, and its older version is no more.
        """
        ...

    async def claim(
        self, steps: Sequence[Step], *, now: datetime, lease: float, scope: Scope | None = None
    ) -> Claim | None:
        """Takes a lease of ``lease`` seconds on the longest waiting pair of scope and step that has a gap or whose
        cursor is behind the log by a whole ``stride``, that is due and not leased; None when there is none.  The first
        gap comes before what is new.  It waits since the message that made work for it, its last commit, or ``due``;
        ties go by the order of ``steps``, then by age of the scope.  The lease ends at ``now`` + ``lease``; tokens
        never repeat, not even when a forgotten scope comes again.
        """
        ...

    async def commit(self, claim: Claim, changes: Changes, *, now: datetime) -> None:
        """Writes the changes (``drop`` before ``put`` before ``close``), moves the cursor, or for a gap its beginning,
        ends the lease.
        Messages passed over are listed as failures; those of the range that are not are none any more.  Entries for
        messages that were erased meanwhile are left out, and records that rest on one.  Index entries and vectors
        replace those of the same message (and model, which is the step's name after ``dense:``); a record replaces that
        of the same id.  ``Conflict`` when the claim's token is not the newest, and after a commit or release of it; a
        lease that ran out but was taken by nobody still commits.  For ``stale`` messages the records of other
        steps that have no ``links`` go and are derived anew, as in ``forget``, and claims on these steps are lost;
        nothing happens to the indexes and to the step itself.  ``InvalidInput`` for vectors of unequal dimensions, and
        for one with a component that is not a finite number (it names the seq).
        """
        ...

    async def renew(self, claim: Claim, *, now: datetime, lease: float) -> bool:
        """Makes a lease last ``lease`` seconds from now; False, and no change, when the token is not the newest."""
        ...

    async def release(self, claim: Claim, *, error: str | None, due: datetime) -> None:
        """Ends a lease without moving the cursor; the step is not due before ``due``, and with an error the attempt
        count grows.  A token that is no longer the newest changes nothing.
        """
        ...

    async def progress(self, steps: Sequence[Step], scope: Scope | None = None) -> list[Progress]:
        """How far each step is, in the order asked; 0 done for one that is not registered in this version."""
        ...

    async def begun(self) -> list[Step]:
        """The steps that have derived something in any scope, also such as nobody registers any more; by name."""
        ...

    async def cursors(self, scope: Scope, steps: Sequence[Step]) -> dict[str, int]:
        """Step name -> derived up to this seq; 0 for a step never run in this version."""
        ...

    async def failures(self, scope: Scope | None = None) -> list[Failure]:
        """Messages that were passed over, by tenant, user, agent, seq, name of the step."""
        ...

    async def retry(self, steps: Sequence[Step], scope: Scope | None = None) -> int:
        """Makes the strides that hold these steps' failures gaps, and forgets the failures; returns how many there
        were.  Claims on their steps are lost.
        """
        ...

    async def rebuild(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """Puts the cursors of these steps to 0; claims on them are lost, gaps and failures forgotten.  What was indexed
        or embedded stays readable until it is replaced, message by message.  Records of a step (by strategy name) stay
        as they are until the cursor is where it was, or nothing is left to do: in that commit those it made anew take
        their place, all at once.  Until then only the step itself sees these (``Which.maker``).  What the old ones
        rested on behind the cursor becomes gaps of the steps named after it, which told of it there.
        """
        ...

    async def reset(self, steps: Sequence[Step], scope: Scope | None = None) -> None:
        """Throws away what these steps derived (records by strategy name; the whole index for ``lexical``; the vectors
        of the model for ``dense:<model>``) and puts their cursors to 0; claims on them are lost.
        """
        ...

    # -- upkeep

    async def forget(
        self,
        scope: Scope,
        *,
        session_id: str | None = None,
        message_ids: Sequence[str] | None = None,
        upto: int | None = None,
        everything: bool = False,
    ) -> Erased:
        """Erases exactly one of: a session, messages, the whole scope.  Removes rows, vectors, index entries, and every
        record that rests on a removed message or belongs to the session, the session's checkpoints, and the errors of
        the scope's steps (they may quote a message; of failures the class of the error stays), in one transaction; then
        the bytes.  Where a record that rested on a removed message also rested on others that stay, the batch it was
        put in last and the strides of all that stay become gaps of its step (its strategy's name), as far as the cursor
        is: each of them may have made it.  So do the strides of steps named after it (``notes:rules`` after ``notes``),
        which may have left these messages to it.  What was spent goes with the whole scope.  Claims on steps other than
        the indexes are lost, and may be taken again at once: what is being derived may rest on what was erased.
        Children of an erased message follow its parent, and positions, chains, the head and checkpoints are those of
        the path without it; a session without messages stays until it is erased itself.  What is not there counts 0.
        ``upto``: of the messages named only those with this seq or a lower one, so that an id which somebody has taken
        for something new since it was read is left alone.  ``InvalidInput`` for not exactly one.
        """
        ...

    async def stats(self, scope: Scope | None = None) -> Stats:
        """Counts, of one scope or of all; ``messages`` without statements and commands, ``vectors`` by chunk."""
        ...

    async def spend(self, scope: Scope, purpose: str, day: date, usage: Usage, *, saved: int = 0) -> None:
        """Adds to what was spent on this day for this purpose.  A scope that is not there (any more) is not made for
        it: nothing is counted.
        """
        ...

    async def spent(self, scope: Scope | None = None, *, since: date | None = None) -> list[Spent]:
        """What was spent, from a day on (inclusive): by day, tenant, user, agent, purpose."""
        ...

    async def models(self, scope: Scope | None = None) -> dict[str, tuple[int, int]]:
        """Embedding model -> (dimensions, vectors) of what is stored; none without vectors."""
        ...

    async def backup(self, target: Path) -> None:
        """Writes a consistent copy while others read and write; replaces ``target`` only when it is whole.
        ``StoreError`` when it cannot be written, or where there is nothing to copy from (a store in memory).
        """
        ...

    async def close(self) -> None:
        """Ends open work and lets go of the database; a second call does nothing, any other use is a ``StoreError``."""
        ...

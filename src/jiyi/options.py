"""What ``open``, ``search`` and ``remember`` take as keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypedDict, cast

from jiyi import intake
from jiyi.config import Settings
from jiyi.errors import InvalidInput
from jiyi.types import KINDS, ROLES, Filter, MessageKind, Role

if TYPE_CHECKING:
    from jiyi.ports import LLM, Clock, Embedder, Redactor, Strategy, TokenCounter, VectorIndex
    from jiyi.weights import Ranking

_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)


class Options(TypedDict, total=False):
    """What ``open`` takes beside the address; what is left out comes from ``load_settings``.

    Attributes:
        recipe: a recipe's name, or strategies in the order of their parts.
        embedder: ``auto``, ``none``/None, a plugin name, or an instance.
        vectors: where the vectors of messages lie: a plugin's name (``chroma:DIR``) or an instance; None for the store.
        tokenizer: see ``jiyi.tokens.counter``.
        ranking: constants of the ranking: a JSON file's path, a mapping, or ``Weights``; None for the shipped ones.
        llm: the model that answers, for example ``ollama:qwen3:8b``, or an instance; None for none.
        memory_llm: the one that derives; None for the same.
        instructions: what the answering model is told; None for the shipped prompt, "" for nothing.
        redact: take secrets out of what is written: True, kinds of ``jiyi.redaction.KINDS``, or a ``Redactor``.
        daily_tokens: what models may be used for a user and day; 0 for no limit.
        expire_days: facts and notes that were neither said nor used for so many days are deleted; 0 for never.
        timezone: name of the zone in which days begin, for example ``Asia/Shanghai``; messages are put into it.
        tenant, agent: the fences around the users.
        clock: the time, for tests.
        settings: instead of those from the environment and files.
    """

    recipe: str | Sequence[Strategy]
    embedder: str | Embedder | None
    vectors: str | VectorIndex | None
    tokenizer: str | TokenCounter | None
    ranking: Ranking
    llm: str | LLM | None
    memory_llm: str | LLM | None
    instructions: str | None
    redact: bool | str | Sequence[str] | Redactor
    daily_tokens: int
    expire_days: int
    timezone: str
    tenant: str
    agent: str
    clock: Clock
    settings: Settings


class Where(TypedDict, total=False):
    """Which messages; everything that is given must hold.

    Attributes:
        session_id: one session.
        roles, kinds: one or several; ``kinds`` as in ``Filter``: messages and statements, where nothing is said.
        category: of statements.
        since, until: said at or after, said before; with zone.
        as_of: said by then; with zone.
    """

    session_id: str | None
    roles: str | Sequence[str] | None
    kinds: str | Sequence[str] | None
    category: str | None
    since: datetime | None
    until: datetime | None
    as_of: datetime | None


class Chosen(TypedDict, total=False):
    """Which records; everything that is given must hold.

    Attributes:
        kind: ``fact``, ``note``, ``summary``, or what a strategy of one's own makes.
        key: what it is about, for example ``user.home``.
        session_id: of one session; facts belong to the user.
        as_of: as they were known at that time, with zone, by what had been said then; goes above ``current``.
        current: True for what holds, False for what was closed, None for both.
        hidden: with those that were hidden.
    """

    kind: str | None
    key: str | None
    session_id: str | None
    as_of: datetime | None
    current: bool | None
    hidden: bool


class Stated(TypedDict, total=False):
    """What may be said of a statement beside its text.

    Attributes:
        role: ``user``, or ``assistant`` for what a model or a program states: no fact about the user is derived of it.
    """

    role: str
    category: str | None
    importance: float | None
    pinned: bool
    created_at: intake.Moment
    message_id: str | None
    metadata: dict[str, object] | None


def _one_of(field: str, value: str | Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(field, f"must be text or a list of texts, not {type(value).__name__}")
    chosen = (value,) if isinstance(value, str) else tuple(value)
    for item in chosen:
        if item not in known:
            raise InvalidInput(field, f"{item!r} is not one of {', '.join(known)}")
    return chosen


def known(what: str, given: Mapping[str, object], kind: type) -> None:
    """Refuses a name that a mistyped keyword brought in."""
    for name in sorted(given.keys() - kind.__annotations__.keys()):
        raise InvalidInput(name, f"unknown {what}; there are {', '.join(kind.__annotations__)}")


def after(moment: datetime) -> datetime:
    """The first moment that is not "by then", as far as a store tells moments apart."""
    return moment + timedelta(microseconds=1) if moment < _LAST else moment


def filter_of(where: Where, now: datetime) -> Filter:
    """The filter that keyword arguments stand for.

    Raises:
        InvalidInput: names the field.
    """
    known("filter", where, Where)
    session_id, category = where.get("session_id"), where.get("category")
    until = intake.moment("until", where.get("until"), now)
    as_of = intake.moment("as_of", where.get("as_of"), now)
    if as_of is not None:
        until = min(until or after(as_of), after(as_of))
    return Filter(
        session_id=None if session_id is None else intake.identifier("session_id", session_id),
        roles=cast("tuple[Role, ...] | None", _one_of("roles", where.get("roles"), ROLES)),
        kinds=cast("tuple[MessageKind, ...] | None", _one_of("kinds", where.get("kinds"), KINDS)),
        category=None if category is None else intake.identifier("category", category),
        since=intake.moment("since", where.get("since"), now),
        until=until,
    )

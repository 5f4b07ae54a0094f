"""The values that pass between the parts: frozen, without behaviour beyond small properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant", "tool")

JSON: TypeAlias = "str | int | float | bool | None | Sequence[JSON] | Mapping[str, JSON]"
"""What can be written as JSON."""

Part: TypeAlias = Mapping[str, JSON]
"""One OpenAI-style content part: ``{"type": "text", "text": …}``, ``image_url``, ``file``…"""

Content: TypeAlias = str | tuple[Part, ...] | None

Vector: TypeAlias = Sequence[float]
"""A unit-length embedding; a NumPy row serves as well."""

MessageKind: TypeAlias = Literal["message", "statement"]
"""``message``: a line of a conversation.  ``statement``: stored by ``remember``, outside any session."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: the fence that nothing crosses.  Equal text, equal scope; case counts."""

    user: str
    tenant: str = "default"
    agent: str = "default"


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the log, as it was said.

    Attributes:
        id: unique in the scope; given by the caller or made by the engine.
        session_id: the session it stands in; ``""`` for a statement.
        role: one of ``ROLES``.
        content: text, OpenAI-style parts, or None (an assistant that only called tools).
        seq: place in the scope's log, from 1, across sessions, in order of arrival; 0 before it is stored.
        position: place on its path through the session, from 1; 0 before it is stored.
        created_at: when it was said, with zone; None when nobody knows.
        recorded_at: when the store took it, with zone.
        digest: hex, salted per user, of role, content, name, tool calls and tool call id (``history.digest``).
        chain: hex, of the parent's chain and this digest; system messages pass the parent's on.
        parent_id: the message before it on its path, None at the start.
        active: on the session's current path; False on a branch that was left.
        incomplete: the reply broke off while it was streamed.
    """

    id: str
    session_id: str
    role: Role
    content: Content
    kind: MessageKind = "message"
    name: str | None = None
    tool_calls: tuple[Part, ...] = ()
    tool_call_id: str | None = None
    created_at: datetime | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    category: str | None = None
    importance: float | None = None
    pinned: bool = False
    incomplete: bool = False
    digest: str = ""
    seq: int = 0
    position: int = 0
    recorded_at: datetime | None = None
    chain: str = ""
    parent_id: str | None = None
    active: bool = True

    @property
    def text(self) -> str:
        """The words alone: text parts joined by newlines; other parts are left out."""
        if isinstance(self.content, str):
            return self.content
        texts = (part.get("text") for part in self.content or ())
        return "\n".join(text for text in texts if isinstance(text, str))

    def but(self, **changes: object) -> Message:
        """A copy with other values; ``dataclasses.replace`` does the same and takes five times as long."""
        copy = object.__new__(Message)
        for put, value in zip(_PUT, _VALUES(self), strict=True):
            put(copy, value)
        for name, value in changes.items():
            object.__setattr__(copy, name, value)
        return copy


_VALUES = attrgetter(*Message.__slots__)
_PUT = [getattr(Message, name).__set__ for name in Message.__slots__]


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A conversation: one path of messages, and the branches that were left.

    Attributes:
        messages: messages on the current path.
        head_id: last message on the current path, None when empty.
        created_at, updated_at: when the store first and last took a message or change.
    """

    id: str
    title: str = ""
    messages: int = 0
    head_id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A named place on a path of a session, to come back to.

    Attributes:
        name: unique in the session.
        message_id: the last message of the path to it; None for the very beginning.
        messages: messages on that path; the store counts them.
        created_at: when it was saved, with zone.
        automatic: saved by ``checkpoint_every``, not by name.
        state: whatever an agent keeps with it.
    """

    name: str
    session_id: str
    message_id: str | None = None
    messages: int = 0
    created_at: datetime | None = None
    automatic: bool = False
    state: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was said: a message and, for a quote, the characters [start, end) of its text."""

    message_id: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Something derived from the log, with the messages it rests on; can be thrown away and rebuilt.

    Attributes:
        kind: what it is, for example ``summary``, ``fact``, ``note``; chosen by the strategy.
        strategy, version: who derived it; a new version derives anew.
        session_id: the session it belongs to, None when it belongs to the user.
        key: for records that are addressed, for example ``employer``; None otherwise.
        valid_from, valid_to: when it was true of the world; ``valid_to`` None while it holds.
        closed_at: when a later record replaced it; None while it is current.
        data: whatever else the strategy keeps.
    """

    id: str
    kind: str
    text: str
    strategy: str
    version: str
    sources: tuple[Source, ...]
    session_id: str | None = None
    key: str | None = None
    importance: float | None = None
    pinned: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    closed_at: datetime | None = None
    data: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


# -- what is asked of a store -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """Which messages of a scope; every field that is set must hold.  Filters are data, never SQL.

    Attributes:
        session_id, roles, kinds, category: equal to, or one of.
        ids, seqs: exactly these.
        after_seq: only seq > this.
        since, until: created_at >= since, < until; messages without a time do not match either.
        active: None for all branches.
    """

    session_id: str | None = None
    ids: tuple[str, ...] | None = None
    seqs: tuple[int, ...] | None = None
    roles: tuple[Role, ...] | None = None
    kinds: tuple[MessageKind, ...] | None = None
    category: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    after_seq: int = 0
    active: bool | None = True


@dataclass(frozen=True, slots=True)
class Indexed:
    """The index terms of one message: term -> how often.  ``length`` is their sum."""

    seq: int
    terms: Mapping[str, int]

    @property
    def length(self) -> int:
        return sum(self.terms.values())


@dataclass(frozen=True, slots=True)
class Embedded:
    """One piece of one message as a vector; ``chunk`` counts from 0."""

    seq: int
    chunk: int
    vector: Vector


@dataclass(frozen=True, slots=True)
class Lexical:
    """Term statistics of one scope's index, and the candidates for a query.

    Attributes:
        documents: messages that were counted.
        mean_length: their mean length in terms.
        frequency: query term -> number of messages that have it (a query term that ends in ``*`` stands for
            all terms with that beginning); without "".
        hits: seq -> (length, {query term: times it occurs}), in seq order.
    """

    documents: int = 0
    mean_length: float = 0.0
    frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    hits: Mapping[int, tuple[int, Mapping[str, int]]] = field(default_factory=dict[int, tuple[int, Mapping[str, int]]])


@dataclass(frozen=True, slots=True)
class Dense:
    """Result of a scan over one scope's vectors.

    Attributes:
        hits: seq -> best cosine of the message's chunks, in -1..1; best first, ties by seq.
        scanned: messages with a vector.
        mean, deviation: of the cosines over the whole scan, so that scores can be standardised.
    """

    hits: Mapping[int, float] = field(default_factory=dict[int, float])
    scanned: int = 0
    mean: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What a search wants to know of a scope.

    Attributes:
        terms: index terms of the question; one that ends in ``*`` stands for all that begin like it.
        model, vector: its embedding, a unit vector, and who made it; None to look at words alone.
        where: which messages may be found; the statistics are those of the whole scope all the same.
        best: candidates of each index.
        postings: messages with one of the terms whose BM25 is taken: those with the rarest terms (ties by term), of
            one term the newest.
        step: what indexes the words.  The messages behind its cursor that are not in the index yet are looked through
            and count as if they were.  None for what is in the index alone.
    """

    terms: Sequence[str] = ()
    model: str = ""
    vector: Vector | None = None
    where: Filter = Filter()
    best: int = 100
    postings: int = 1000
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where some messages stand, as columns: what ranking needs to know of candidates and of those beside them.

    Attributes:
        sessions: equal within a session; 0 outside any.
        parents: seq of the message before it in its session, 0 for none.
        sizes: UTF-8 bytes of the text.
    """

    seqs: Sequence[int] = ()
    sessions: Sequence[int] = ()
    parents: Sequence[int] = ()
    sizes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a scope has for a probe, all of one moment.

    Attributes:
        words: seq -> BM25 (``ranking.bm25``) of up to ``Probe.postings`` messages.
        lexical: term statistics, with the best of these messages as hits.
        dense: the nearest messages, with the statistics of all.
        messages: the candidates by seq: all that were best by words or by meaning.
        standing: the candidates and the active messages beside them, before and after in the log and the one before in
            the session, as far as they are ``indexable``; in seq order.
        near: cosines of those in ``standing`` that are not among the nearest, as far as they have a vector.
    """

    words: Mapping[int, float] = field(default_factory=dict[int, float])
    lexical: Lexical = Lexical()
    dense: Dense = Dense()
    messages: Mapping[int, Message] = field(default_factory=dict[int, Message])
    standing: Standing = Standing()
    near: Mapping[int, float] = field(default_factory=dict[int, float])


# -- derivation ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A unit of derivation: a deriver's name and version.  Each has one cursor per scope."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A lease on one step of one scope.  A commit with a token that is no longer the newest is refused.

    Attributes:
        after: derived up to this seq.
        head: the scope's newest seq when the lease was taken.
        token: fencing token.
        attempts: failures since the last success.
    """

    scope: Scope
    step: Step
    after: int
    head: int
    token: int
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """What a derivation wants written; committed in one transaction.

    Attributes:
        cursor: derived up to this seq (inclusive).
        close: record id -> when it stopped being current.
    """

    cursor: int
    put: tuple[Record, ...] = ()
    close: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    index: tuple[Indexed, ...] = ()
    vectors: tuple[Embedded, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one step is: messages derived and messages in the log, over all scopes asked for."""

    step: Step
    done: int
    total: int
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed, as counts."""

    messages: int = 0
    sessions: int = 0
    records: int = 0
    vectors: int = 0
    indexed: int = 0
    checkpoints: int = 0


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a store or of one scope; ``bytes`` is 0 where nothing is on disk."""

    scopes: int = 0
    sessions: int = 0
    messages: int = 0
    statements: int = 0
    records: int = 0
    indexed: int = 0
    vectors: int = 0
    bytes: int = 0
    checkpoints: int = 0


# -- recall -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that a search brought back.

    Attributes:
        score: higher is better; comparable within one search.
        parts: what the score is made of, by name (``dense``, ``words``, ``neighbours``…); they add up to it.
        relevance: 0..1, comparable between searches; the floor applies to it.
    """

    score: float
    relevance: float
    message: Message
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    before: tuple[Message, ...] = ()
    after: tuple[Message, ...] = ()

    @property
    def kind(self) -> str:
        return self.message.kind

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def sources(self) -> tuple[Source, ...]:
        return (Source(self.message.id),)


# -- context ------------------------------------------------------------------------------------------------------

ChatMessage: TypeAlias = dict[str, object]
"""A message as chat-completion clients take it."""


@dataclass(frozen=True, slots=True)
class Item:
    """The smallest thing that goes into a context or stays out: a turn, or one recalled passage.

    Attributes:
        messages: kept together and in order.  In the history a whole turn, which begins with a user message.
        text: what the memory section says, with ``messages`` as its sources; empty to quote the messages themselves.
        score: best first within the block.
        why: for the reader of an explanation, why it was proposed; may be empty.
    """

    messages: tuple[Message, ...]
    text: str = ""
    score: float = 0.0
    why: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A message that a strategy proposed, or could have, and that is not in the context; and why.

    Attributes:
        older: so many further messages of the session, all those before this one, stay out with it.
        message: the message itself where it was read.
    """

    strategy: str
    message_id: str
    reason: str
    older: int = 0
    message: Message | None = None

    @property
    def count(self) -> int:
        """Messages that this entry stands for."""
        return 1 + self.older


@dataclass(frozen=True, slots=True)
class Block:
    """What one strategy proposes.

    Attributes:
        strategy: who proposes it.
        place: ``history`` items become chat messages; ``memory`` items become lines of one system message.
        items: in order of preference, most wanted first; in the history the newest turn first, without gap, unless
            ``gaps``.
        share: part of the budget it may fill before the others had theirs, 0..1.
        most: items at most in the context; one that only repeats the history does not count.
        gaps: the turns of the history stand in order of importance, and leave from the end of that order.
        limit: the history may grow up to so many tokens, system messages and newest turn counted in.
        partial: the newest message may be shortened when it alone is over the limit.
        left_out: what the strategy read of the session and does not propose.
        older: messages of the session before all of these, which were not read.
    """

    strategy: str
    place: Literal["history", "memory"]
    items: tuple[Item, ...]
    share: float = 1.0
    most: int | None = None
    gaps: bool = False
    limit: int | None = None
    partial: bool = False
    left_out: tuple[Dropped, ...] = ()
    older: int = 0


@dataclass(frozen=True, slots=True)
class Used:
    """One block as it stands in the context."""

    strategy: str
    place: Literal["system", "memory", "history"]
    tokens: int
    items: tuple[Item, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for item in self.items for source in item.sources))


# -- models -------------------------------------------------------------------------------------------------------

Finish: TypeAlias = Literal["stop", "length", "filtered"]
"""Why a reply ended: by itself, at its longest, or because the server withheld the rest."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was used for, in tokens as its server counts them; 0 where it does not say."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's whole answer.

    Attributes:
        text: the answer without what the model thought before it.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer while it comes in.

    Attributes:
        text: what is added to the answer; may be empty.
        thought: what a reasoning model thinks meanwhile; never part of the answer.
        finish, usage: on the last piece of a complete answer only.
    """

    text: str = ""
    thought: str = ""
    finish: Finish | None = None
    usage: Usage | None = None

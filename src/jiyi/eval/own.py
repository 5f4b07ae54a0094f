"""One's own database as a set: a copy of it is asked, and nothing is ever written into the original."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.eval.dataset import Conversation, Label, read_questions
from jiyi.importing import Entry
from jiyi.opening import copy_store
from jiyi.ports import Embedder
from jiyi.types import Message


async def read_own(settings: Settings, user: str, questions: Path) -> Conversation:
    """A user's history as one conversation, with the questions of a file.  Ids are the database's own.

    Args:
        settings: name the database.
        user: whose history.
        questions: in the format of ``questions.jsonl``; evidence is ids of the user's messages or sessions, and rows
            need no conversation_id.

    Raises:
        NotFound: no such database, user or file.
        ImportFailed: lines that cannot be read.
        InvalidInput: evidence that the user does not have, or no question at all.
    """
    async with copied(settings, None) as memory:
        said = await memory.messages(user_id=user)
        if not said:
            known = ", ".join((await memory.users())[:5]) or "nobody"
            raise NotFound(f"{user} has nothing stored in {settings.db}; there is something of {known}")
    entries = list(map(_entry, said))
    pairs = read_questions(questions, {user: entries}).pairs.get(user, ())
    if not pairs:
        raise InvalidInput("questions", f"{questions} has no question that is written; fill in its `question` fields")
    conversation = Conversation(user, tuple(entries), tuple(q for q, _ in pairs), tuple(label for _, label in pairs))
    _check(conversation.labels, conversation, questions)
    return conversation


@asynccontextmanager
async def copied(settings: Settings, embedder: Embedder | None) -> AsyncGenerator[AsyncMemory, None]:
    """A copy of the database, gone afterwards; nothing runs in its background."""
    with tempfile.TemporaryDirectory(prefix="jiyi-eval-") as folder:
        copy = Path(folder) / "copy.db"
        await copy_store(settings.db, copy)
        async with await AsyncMemory.open(copy, settings=settings, embedder=embedder) as memory:
            await memory.worker.stop()
            yield memory


async def moments(
    memory: AsyncMemory, conversation: Conversation, user: str, *, left: Callable[[int], None] = lambda count: None
) -> AsyncGenerator[int, None]:
    """The number of each question when exactly the messages before its moment are there, the latest moment first.

    What comes later is erased from the memory, so it must be a copy.

    Args:
        memory: holds the whole conversation.
        conversation: with its questions.
        user: whose it is.
        left: called with 0 after something was erased.
    """
    place = {entry.message_id: number for number, entry in enumerate(conversation.entries)}
    end = len(conversation.entries)
    wanted = [place[q.before] if q.before else end for q in conversation.questions]
    for index in sorted(range(len(wanted)), key=lambda index: (-wanted[index], index)):
        if wanted[index] < end:
            later = [entry.message_id for entry in conversation.entries[wanted[index] : end]]
            await memory.forget(user_id=user, message_ids=later)
            end = wanted[index]
            left(0)
        yield index


def _entry(message: Message) -> Entry:
    fields = {"message_id": message.id, "role": message.role, "content": message.text}
    return Entry(message.seq, "", message.session_id or message.id, fields)  # a statement stands for itself


def _check(labels: Sequence[Label], conversation: Conversation, path: Path) -> None:
    session_of = conversation.session_of
    known = {"message": set(session_of), "session": set(session_of.values())}
    for label in labels:
        if missing := [name for name in label.evidence if name not in known[label.level]]:
            raise InvalidInput(
                "evidence",
                f"{path}, question {label.question_id}: {conversation.id} has no {label.level} {missing[0]!r}; "
                "`jiyi export --user` shows the ids",
            )

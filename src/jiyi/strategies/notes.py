"""Short notes of what matters later, found again when a question has to do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jiyi.commands import COMMANDS
from jiyi.intake import fraction, part, positive
from jiyi.ports import LLM, Deriver, Request
from jiyi.strategies.notes_making import KIND, STRIDE
from jiyi.types import Block, Filter, Item, Message, RecordHit


class Notes:
    """Proposes the notes that a search for the question brings back, of all sessions of the user.

    They are made in the background of what the user says: by rules, and by the model that derives memory where there
    is one.  One that only repeats a message which stands in the context does not count.
    """

    name = "notes"
    window = False

    def __init__(
        self,
        k: int = 3,
        max_chars: int = 100,
        *,
        floor: float | None = None,
        every: int = STRIDE,
        share: float = 0.2,
        cited: bool = False,
    ) -> None:
        """Sets how much is noted and recalled.

        Args:
            k: notes at most.
            max_chars: characters of a note, at most.
            floor: least relevance, 0..1; None for the memory's calibrated floor.
            every: messages of a user that a model is asked about together.
            share: part of the budget held free for them where others compete, above 0, at most 1.
            cited: each line names its message, and quotes what the note is made of.

        Raises:
            InvalidInput: names what is out of range.
        """
        self.k = positive("k", k)
        self.max_chars = positive("max_chars", max_chars)
        self.floor = None if floor is None else fraction("floor", floor)
        self.every = positive("every", every)
        self.share = part("share", share)
        self.cited = cited

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        """The notes by rules, and those by the model where there is one."""
        from jiyi.strategies.notes_model import ModelNotes  # what derives is not needed by those who only read
        from jiyi.strategies.notes_rules import RuleNotes

        model = [ModelNotes(llm, self.max_chars, self.every)] if llm is not None else []
        return [RuleNotes(self.max_chars), *model]

    async def recall(self, request: Request) -> list[Block]:
        """One memory block, best first; none when nothing was asked or nothing is relevant."""
        if not request.query.strip():
            return []
        hits = await request.reader.find_records(request.query, kind=KIND, limit=2 * self.k, floor=self.floor)
        ids = tuple({hit.record.sources[0].message_id for hit in hits if hit.record.sources})
        said = {message.id: message for message in await request.reader.matching(Filter(ids=ids))} if ids else {}
        corrected = tuple(str(hit.record.data["corrected"]) for hit in hits if "corrected" in hit.record.data)
        if self.cited and corrected:  # what a person corrected is what that person said
            said |= {order.id: order for order in await request.reader.matching(replace(COMMANDS, ids=corrected))}
        items = tuple(_item(hit, said, cited=self.cited) for hit in hits if _is_there(hit, said))
        block = Block(self.name, "memory", items, share=self.share, most=self.k, cited=self.cited)
        return [block] if items else []


def _is_there(hit: RecordHit, said: dict[str, Message]) -> bool:
    """Whether the message that it was made of stands, and not on a branch that was left."""
    return bool(hit.record.sources) and hit.record.sources[0].message_id in said


def _item(hit: RecordHit, said: dict[str, Message], *, cited: bool) -> Item:
    """A note, under what it was made of; cited, under what its words are of."""
    note, source = hit.record, hit.record.sources[0]
    if cited:
        own = note.data.get("corrected")
        source = next((one for one in note.sources if one.message_id == own and own in said), source)
    message = said[source.message_id]
    return Item((message,), note.text, hit.score, hit.why, records=(note.id,), label="note", quotes=(source,))

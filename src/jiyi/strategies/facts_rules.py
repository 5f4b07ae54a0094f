"""Facts by rules: what users surely state, without a model, within a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.facts import RULES
from jiyi.ports import Batch
from jiyi.strategies.facts_known import derived, handled, is_own, resting
from jiyi.types import Changes, Step

STEP = Step(RULES, "1")
"""The version goes up when the rules find something else."""


class RuleFacts:
    """Derives facts from each message alone; none from messages of which the model's step has made something.

    Args:
        attributes: further ones that facts may be about: rules find none, but go through those that the model found.
    """

    step = STEP
    batch_size = 64
    asks_llm = False

    def __init__(self, attributes: Sequence[Attribute] = ()) -> None:
        self._attributes: Mapping[str, Attribute] = {**ATTRIBUTES, **{one.name: one for one in attributes}}

    async def derive(self, batch: Batch) -> Changes:
        """What the rules find in a batch."""
        from jiyi.rules import candidates  # their tables take a while, and only who derives needs them

        touched = await resting(batch)
        done = handled(touched)
        messages = [message for message in batch.messages if is_own(message) and message.id not in done]
        found = [(one, "rules") for message in messages for one in candidates(message)]
        if not found and not touched:
            return Changes(batch.cursor)
        return await derived(batch, found, touched, self.step, self._attributes, {})

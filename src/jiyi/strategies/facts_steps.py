"""What derives facts in the background, for every strategy that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.attributes import Attribute
from jiyi.ports import LLM, Deriver


def fact_derivers(llm: LLM | None, attributes: Sequence[Attribute], instructions: str, every: int) -> list[Deriver]:
    """The rules, and the model where there is one."""
    from jiyi.strategies.facts_model import ModelFacts  # what derives is not needed by those who only read
    from jiyi.strategies.facts_rules import RuleFacts

    rules: list[Deriver] = [RuleFacts(attributes)]
    if llm is None:
        return rules
    return [*rules, ModelFacts(llm, attributes=attributes, instructions=instructions, every=every)]

"""Summaries without a model: the most important sentences of what was said."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.extractive import extract, extract_again
from jiyi.strategies.summary_making import MODEL, RULES, TOKENS, Part, Summaries, Text
from jiyi.strategies.summary_tree import STRIDE


class RuleSummaries(Summaries):
    """Derives nodes from sentences as they were said; where the model has made one, it makes none."""

    maker, other = RULES, MODEL
    asks_llm = False

    def __init__(self, every: int = STRIDE) -> None:
        """Sets how many messages are summarised together."""
        super().__init__(every)

    async def write(self, parts: Sequence[Part]) -> list[Text]:
        """An extract for each part."""
        return [extracted(part) for part in parts]


def extracted(part: Part) -> Text:
    """A part in its most important sentences; "" where nothing was said but small talk."""
    said = extract(part.messages, TOKENS) if part.messages else ""
    texts = [text for text in (*(node.text for node in part.nodes), said) if text]
    return Text(extract_again(texts, TOKENS) if len(texts) > 1 else "".join(texts), "rules")

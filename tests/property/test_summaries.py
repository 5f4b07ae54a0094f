"""Whatever a model replies, no summary and no note states a value that was not said."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.extractive import parted
from jiyi.grounding import unsupported
from jiyi.ports import Batch
from jiyi.strategies.notes_model import ModelNotes
from jiyi.strategies.summary_model import ModelSummaries
from jiyi.testing.scripted import ScriptedLLM
from jiyi.testing.strategy import conversation
from jiyi.types import Role, Scope

SAID: tuple[tuple[Role, str], ...] = (
    ("user", "My budget for the hotel is 500 dollars, and I do not eat fish."),
    ("assistant", "Hotel Mar costs 180 a night."),
    ("user", "订单号是 KX-20931-07，千万不要在周五发货。生日是4月12日。"),
    ("user", "Anna moved to Lisbon in 2021."),
)
WORDS = (
    *("budget", "hotel", "500", "5,000", "180", "not", "never", "fish", "Anna", "Lisbon", "Bob", "2021", "2022", "dollars", "."),
    *("订单号", "KX-20931-07", "KX-20931-70", "不要", "周五", "周六", "发货", "4月12日", "五百", "。"),
)  # fmt: skip
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


@settings(max_examples=60)
@given(TEXT)
async def test_no_summary_states_what_was_not_said(text: str) -> None:
    said = conversation(*SAID)
    llm = ScriptedLLM(lambda _: json.dumps({"summaries": [{"number": 1, "summary": f"They talked.\n{text}"}]}))
    changes = await ModelSummaries(llm, 4).derive(Batch(Scope("ada"), tuple(said), 4))
    (node,) = changes.put
    days = [f"{message.created_at:%Y-%m-%d}" for message in said if message.created_at]
    assert node.text.startswith("They talked.")
    assert not any(unsupported(sentence, [message.text for message in said], days) for sentence in parted(node.text))


@settings(max_examples=60)
@given(TEXT, st.integers(-1, 9), st.sampled_from([said for _, said in SAID] + ["My budget", "fish", "周五", "x"]))
async def test_no_note_states_what_its_message_does_not(text: str, number: int, quote: str) -> None:
    said = conversation(*SAID)
    llm = ScriptedLLM(lambda _: json.dumps({"notes": [{"number": number, "note": text, "quote": quote}]}))
    changes = await ModelNotes(llm, 100, 4).derive(Batch(Scope("ada"), tuple(said), 4))
    there = {message.id: message for message in said}
    for note in changes.put:
        (source,) = note.sources
        message = there[source.message_id]
        assert message.role == "user" and source.quote and message.text[source.start : source.end] == source.quote
        day = [f"{message.created_at:%Y-%m-%d}"] if message.created_at else []
        assert unsupported(note.text.removesuffix(" […]"), [message.text], day) == () and len(note.text) <= 100

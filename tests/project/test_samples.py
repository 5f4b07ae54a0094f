"""The shipped sample conversations are whole: ids, order of time, evidence."""

from __future__ import annotations

import json
from datetime import datetime
from importlib import resources

import pytest

SAMPLES = resources.files("jiyi.cli") / "samples"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sample(language: str) -> None:
    (line,) = (SAMPLES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    conversation = json.loads(line)
    messages = [message for session in conversation["sessions"] for message in session["messages"]]
    by_id = {message["message_id"]: message for message in messages}
    assert len(by_id) == len(messages) >= 120
    times = [datetime.fromisoformat(message["created_at"]) for message in messages]
    assert times == sorted(times)
    assert all(time.tzinfo for time in times)

    questions = (SAMPLES / f"{language}.questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(questions) >= 8
    for question in map(json.loads, questions):
        assert question["conversation_id"] == conversation["conversation_id"]
        assert question["evidence"] and set(question["evidence"]) <= set(by_id)
        said = {by_id[name]["content"] for name in question["evidence"]}
        assert question["question"] not in said

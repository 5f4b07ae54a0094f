"""A quiz through the adapter: a server that misbehaves costs answers, never the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.endpoint import Limits
from jiyi.eval import Conversation, Label, Question
from jiyi.eval.ledger import Ledger
from jiyi.eval.marks import summary
from jiyi.eval.quiz import Plan, Quiz
from jiyi.importing import Entry
from tests.model_server import Request, Wire, model_server, piece

pytest.importorskip("openai")


def talk(number: int) -> Conversation:
    entry = Entry(
        1, "u", "s", {"message_id": "m", "role": "user", "content": "My cat is called Miso."}, conversation_id="c"
    )
    labels = tuple(Label(f"q{at}", "pets", ("m",), "message", True, "Miso") for at in range(number))
    return Conversation("c", (entry,), tuple(Question(f"What is my cat called, {at}?") for at in range(number)), labels)


async def server(request: Request, wire: Wire) -> None:
    """Answers; breaks off at question 1, refuses the length of 2, says nothing to 3, and judges in prose."""
    last = str(request.body["messages"][-1]["content"])
    if "reference" in last:
        await wire.say(
            'Sure: {"correct": true, ', '"reason": "cut', finish="length"
        ) if ", 4?" in last else await wire.say(
            'Of course!\n```json\n{"correct": "yes", "reason": "同名"}\n```',
            usage={"prompt_tokens": 50, "completion_tokens": 9},
        )
    elif ", 1?" in last:
        await wire.start()
        await wire.event(piece(content="It is"))
        wire.cut()
    elif ", 2?" in last:
        await wire.answer({"error": {"message": "maximum context length is 10 tokens"}}, status=400)
    elif ", 3?" in last:
        await wire.say("")
    else:
        await wire.say("It is ", "Miso.", usage={"prompt_tokens": 100, "completion_tokens": 5})


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
async def test_what_a_server_does_wrong_is_counted_apart(tmp_path: Path) -> None:
    from jiyi.llms.openai import OpenAIChat

    path = tmp_path / "answers.jsonl"
    async with model_server(server) as served:
        llm = OpenAIChat(f"openai:small@{served.url}", api_key="k", limits=Limits(first=3, idle=3, retries=0))
        settings = Settings(embedder="none", tokenizer="estimate")
        async with await AsyncMemory.open("memory:", settings=settings) as memory:
            await memory.worker.stop()
            ledger = Ledger(path, {"llm": llm.name})
            await Quiz(Plan(llm, llm, 500, 50, 2), ledger).run(memory, talk(6), "set")
            ledger.close()
        await llm.close()
    found = summary(list(ledger.rows.values()))
    assert found["errors"] == {"ModelUnavailable": 1, "ContextOverflow": 1, "ModelError": 1}
    assert found["judge_errors"] == {"ModelError": 1}
    everything = found["categories"][0]
    assert (everything["questions"], everything["answered"], everything["judged"]) == (6, 3, 2)
    assert everything["match"][0] == everything["judge"][0] == everything["agreement"][0] == 1
    assert found["usage"] == {
        "llm": {"calls": 3, "prompt_tokens": 300, "completion_tokens": 15},
        "judge": {"calls": 2, "prompt_tokens": 100, "completion_tokens": 18},
    }
    first, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert first == {"run": {"llm": llm.name}} and len(lines) == 6
    assert {line["reason"] for line in lines} == {None, "同名"}
    again = Ledger(path, {"llm": llm.name})
    assert sum(again.done(key) for key in again.rows) == 2
    again.close()

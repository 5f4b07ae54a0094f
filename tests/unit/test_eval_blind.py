"""Nothing of a label reaches the memory that is asked: not what is right, not its kind, not an id."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.engine import AsyncMemory
from jiyi.eval import Replay, read_dataset
from jiyi.eval.configurations import BASELINES, Configuration
from jiyi.eval.ordering import Asker, Reply
from jiyi.eval.recall import USER
from jiyi.eval.vectors import QuestionsOnce

SAID = [
    ("ada", "My cat is called Miso and she is afraid of the hoover"), ("bot", "Miso sounds like a lovely cat"),
    ("ada", "I moved to Lisbon in May, the flat costs 900 euros"), ("bot", "Lisbon in May must be warm"),
    ("ada", "我对花生过敏，千万别给我推荐花生酱"), ("bot", "好的，我不会推荐花生。"),
    ("ada", "My sister plays the cello on Thursdays"), ("bot", "The cello is a beautiful instrument"),
]  # fmt: skip
ASKED = [("what is the cat called", ["X0"]), ("我不能吃什么", ["X4"]), ("when does my sister play", ["X6", "X7"]),
         ("where do I live and what is the rent", ["X2"]), ("what colour is my car", [])]  # fmt: skip


def write(folder: Path, *, seed: int = 0) -> Path:
    """The set; with a seed, everything that is a label is another's, and all ids are other words."""
    rng = random.Random(seed)

    def name(one: str) -> str:
        return f"renamed-{one}-{seed}" if seed else one

    messages = [
        {"message_id": name(f"X{n}"), "role": "user" if who == "ada" else "assistant", "speaker": who, "content": text,
         "created_at": f"2024-03-0{n // 2 + 1}T10:0{n % 2}:00", "has_answer": bool(seed), "LABEL": f"LABEL{seed}"}
        for n, (who, text) in enumerate(SAID)
    ]  # fmt: skip
    sessions = [{"session_id": name(f"S{n}"), "messages": messages[2 * n : 2 * n + 2]} for n in range(4)]
    questions: list[dict[str, Any]] = [
        {"question_id": name(f"q{n}"), "conversation_id": "c", "question": text, "answer": f"LABEL{n}",
         "category": f"LABEL{n}", "evidence": list(map(name, evidence)), "evidence_level": "message",
         "unanswerable": not evidence}
        for n, (text, evidence) in enumerate(ASKED)
    ]  # fmt: skip
    if seed:
        for field in ("answer", "category", "evidence", "unanswerable"):
            values = [question[field] for question in questions]
            rng.shuffle(values)
            for question, value in zip(questions, values, strict=True):
                question[field] = value
    folder.mkdir()
    (folder / "conversations.jsonl").write_text(
        json.dumps({"conversation_id": "c", "user_id": "LABEL", "sessions": sessions}) + "\n", encoding="utf-8"
    )
    (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")
    return folder


async def asked(folder: Path, seen: list[str] | None = None) -> tuple[list[Reply], list[dict[str, int]]]:
    """The replies, and for each set of ids their places in the conversation."""
    (conversation,) = read_dataset(folder)
    embedder = QuestionsOnce(HashingEmbedder())
    place = {entry.message_id: at for at, entry in enumerate(conversation.entries)}
    async with await AsyncMemory.open("memory:", settings=Settings(), embedder=embedder) as memory:
        await memory.worker.stop()
        asker = Asker(memory, USER, (Configuration("default"), *BASELINES), embedder, budgets=(60, 150, 1000))
        replies = [
            await asker.ask(conversation.questions[index]) async for index in Replay(memory).moments(conversation)
        ]
        if seen is not None:
            seen += map(repr, await memory.messages(user_id=USER))
            seen += map(repr, await memory.sessions(user_id=USER))
    return replies, [place]


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_rankings_are_the_same_whatever_the_labels_say(tmp_path: Path, seed: int) -> None:
    replies, (place,) = await asked(write(tmp_path / "true"))
    others, (other_place,) = await asked(write(tmp_path / "shuffled", seed=seed))
    assert len(replies) == len(ASKED)
    for reply, other in zip(replies, others, strict=True):
        assert reply.history == other.history
        for mine, theirs in zip(reply.ordered, other.ordered, strict=True):
            assert [place[name] for name in mine.ranking] == [other_place[name] for name in theirs.ranking]
            assert {budget: {place[name] for name in names} for budget, names in mine.inside.items()} == {
                budget: {other_place[name] for name in names} for budget, names in theirs.inside.items()
            }


async def test_the_memory_holds_no_id_and_no_label_of_the_files(tmp_path: Path) -> None:
    seen: list[str] = []
    await asked(write(tmp_path / "renamed", seed=5), seen)
    assert len(seen) == len(SAID) + 4
    assert not [one for one in seen if "renamed" in one or "LABEL" in one or "has_answer" in one]


async def test_yardsticks_are_what_they_are_called(tmp_path: Path) -> None:
    replies, (place,) = await asked(write(tmp_path / "true"))
    first = dict(zip(["default", "bm25", "dense", "window", "full history"], replies[0].ordered, strict=True))
    orders = {name: [place[one] for one in ordered.ranking] for name, ordered in first.items()}
    assert orders["window"] == [7, 6, 5, 4, 3, 2, 1, 0]
    assert set(orders["bm25"]) == {0, 1} and sorted(orders["dense"]) == list(range(8)) == sorted(orders["default"])
    assert {place[one] for one in first["full history"].inside[1000]} == set(range(8))
    assert not first["full history"].inside[60] and replies[0].history > 60
    for name in ("default", "bm25", "dense", "window"):
        inside = first[name].inside
        assert inside[60] <= inside[150] <= inside[1000] == set(first[name].ranking)
    assert first["default"].seconds and first["bm25"].seconds is None and replies[0].embedding is not None

"""Recall measured on one's own database: it is read, and never written."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.conftest import Run

SAID = [
    "My rent is 900 euros a month", "The cat is called Miso", "我对花生过敏，别给我放花生酱", "I prefer window seats on trains",
    "My sister plays the cello on Thursdays", "I moved to Lisbon in May 2024",
]  # fmt: skip


def bytes_of(here: Path) -> dict[str, str]:
    return {
        path.name: sha256(path.read_bytes()).hexdigest() for path in here.iterdir() if path.name.startswith("jiyi.db")
    }


@pytest.fixture
def filled(jiyi: Run, here: Path) -> Path:
    lines = [
        {"user_id": "ada", "session_id": f"s{n // 2}", "role": "user", "content": text, "message_id": f"m{n}",
         "created_at": f"2024-05-0{n + 1}T10:00:00Z"}
        for n, text in enumerate(SAID)
    ]  # fmt: skip
    lines.append({"user_id": "ada", "kind": "statement", "content": "My shoe size is 42", "message_id": "size"})  # type: ignore[dict-item]
    lines.append(
        {"user_id": "bob", "session_id": "x", "role": "user", "content": "The cat is called Rex", "message_id": "r"}
    )  # type: ignore[dict-item]
    (here / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    jiyi("--embedder", "hashing", "import", "said.jsonl").well()
    return here


def questions(path: Path, *rows: dict[str, object]) -> None:
    base = {"category": "", "evidence_level": "message"}
    path.write_text("".join(json.dumps({**base, **row}) + "\n" for row in rows), encoding="utf-8")


def test_a_skeleton_is_written_filled_in_and_measured(jiyi: Run, filled: Path) -> None:
    made = jiyi("eval", "export-questions", "问题.jsonl", "--user", "ada", "--count", "5").well()
    assert "jiyi eval recall --user ada --questions 问题.jsonl" in made.err
    rows = [json.loads(line) for line in (filled / "问题.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 5 and all(row["question"] == "" and row["quote"] for row in rows)
    assert jiyi("eval", "recall", "--user", "ada", "--questions", "问题.jsonl").code == 2  # nothing written yet
    again = jiyi("eval", "export-questions", "问题.jsonl", "--user", "ada")
    assert again.code == 2 and "questions you wrote" in again.err
    rows[0]["question"], rows[1]["question"] = "how much is the rent", rows[1]["quote"]
    (filled / "问题.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    before = bytes_of(filled)
    ran = jiyi("--embedder", "hashing", "eval", "recall", "--user", "ada", "--questions", "问题.jsonl").well()
    assert "3 rows without a question yet" in ran.err and "ada: 2 questions about 1 conversation, 7 messages" in ran.out
    assert bytes_of(filled) == before
    value = (
        jiyi("--embedder", "hashing", "eval", "recall", "--user", "ada", "--questions", "问题.jsonl", "--json")
        .well()
        .json
    )
    (hit,) = [
        row["value"] for row in value["results"]
        if (row["configuration"], row["level"], row["category"], row["metric"], row["k"]) == ("default", "message", "ALL", "hit", 5)
    ]  # fmt: skip
    assert hit == 1.0 and {"bm25", "dense"} <= {row["configuration"] for row in value["results"]}


def test_only_what_came_before_the_moment_is_seen(jiyi: Run, filled: Path) -> None:
    questions(
        filled / "q.jsonl",
        {"question_id": "now", "question": "cat", "evidence": ["m1"]},
        {
            "question_id": "then",
            "question": "the cello, the cat, Lisbon",
            "evidence": ["m1"],
            "before_message_id": "m2",
        },
        {"question_id": "all", "question": "shoe size", "evidence": ["size"]},
        {"question_id": "session", "question": "Lisbon", "evidence": ["s2"], "evidence_level": "session"},
    )
    command = ["eval", "recall", "--user", "ada", "--questions", "q.jsonl", "--rankings", "r.jsonl", "--compare"]
    before = bytes_of(filled)
    jiyi("--embedder", "hashing", *command, "default", "embedder=none").well()
    found = {}
    for row in map(json.loads, (filled / "r.jsonl").read_text().splitlines()):
        found[row["configuration"], row["question_id"]] = row["ranking"]
    assert len(found) == 8 and set(found["default", "then"]) == {"m0", "m1"} and found["default", "all"][0] == "size"
    assert found["embedder=none", "now"] == ["m1"] and "r" not in found["default", "now"]
    assert bytes_of(filled) == before and len(jiyi("export", "-", "--user", "ada").well().out.splitlines()) == 7


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["--user", "ada", "--questions", "none.jsonl"], 3, "none.jsonl"),
        (["--user", "nobody", "--questions", "q.jsonl"], 3, "ada"),
        (["--user", "ada"], 2, "belong together"),
        (["--questions", "q.jsonl"], 2, "belong together"),
        ([], 2, "name directories"),
        ([".", "--user", "ada", "--questions", "q.jsonl"], 2, "either"),
        (["--user", "bob", "--questions", "q.jsonl"], 2, "m1"),
        (["--db", "none.db", "--user", "ada", "--questions", "q.jsonl"], 3, "none.db"),
        (["--db", "memory:", "--user", "ada", "--questions", "q.jsonl"], 2, "memory:"),
    ],
)
def test_what_is_wrong_is_said(jiyi: Run, filled: Path, arguments: list[str], code: int, what: str) -> None:
    questions(filled / "q.jsonl", {"question_id": "q", "question": "cat", "evidence": ["m1"]})
    ran = jiyi("eval", "recall", *arguments)
    assert ran.code == code and what in ran.err
    assert not (filled / "none.db").exists()


def test_a_skeleton_of_nobody(jiyi: Run, filled: Path) -> None:
    assert jiyi("eval", "export-questions", "--user", "nobody").code == 3
    lines = jiyi("eval", "export-questions", "--user", "ada", "--count", "2").well().out.splitlines()
    assert len(lines) == 2 and json.loads(lines[0])["question"] == ""

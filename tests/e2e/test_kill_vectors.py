"""A process is killed between the store and an index of vectors outside; what is said stays, and both agree again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from jiyi import Checked
from tests.e2e.conftest import Run, line, write_lines
from tests.e2e.keeping import TEXTS, open_memory


def killed(directory: Path, after: str) -> None:
    command = [sys.executable, "-m", "tests.e2e.keeping", str(directory), after]
    assert subprocess.run(command, timeout=60, check=False).returncode == -signal.SIGKILL


def test_killed_between_put_and_commit(tmp_path: Path) -> None:
    killed(tmp_path, "put")
    memory, index = open_memory(tmp_path)
    with memory:
        assert index.seqs()  # put, and the cursor does not say so: the lease of the dead runs out, or a check asks
        assert memory.check_indexes().leftovers == 0
        said = [message.text for message in memory.messages(user_id="李雪")]
        assert said == TEXTS[: len(said)] and said
        hits = memory.search("侄女上几年级", user_id="李雪", floor=0)
        assert hits[0].text == TEXTS[0]


def test_what_was_put_and_erased_before_the_commit_is_left_over(tmp_path: Path) -> None:
    killed(tmp_path, "put")
    memory, index = open_memory(tmp_path)
    with memory:
        assert 1 in index.seqs()
        memory.forget(user_id="李雪", message_ids=["m0"])  # also where no cursor knows of the vector
        assert 1 not in index.seqs()
        assert memory.check_indexes().leftovers == 0


def test_killed_between_drop_and_erasure(tmp_path: Path) -> None:
    killed(tmp_path, "drop")
    memory, index = open_memory(tmp_path)
    with memory:
        assert [message.text for message in memory.messages(user_id="李雪")] == TEXTS  # nobody was told that it is gone
        assert index.seqs() == {2, 3}
        assert memory.check_indexes() == Checked(messages=3, vectors=1)
        assert index.seqs() == {1, 2, 3}
        assert memory.forget(user_id="李雪", message_ids=["m0"]).vectors == 1
        assert index.seqs() == {2, 3}


def test_the_command_line_checks_and_mends(jiyi: Run, here: Path) -> None:
    outside = ("--vectors", "tests.e2e.keeping:FileVectors", "--embedder", "hashing")
    jiyi("import", str(write_lines(here / "chat.jsonl", *map(line, TEXTS))), *outside).well()
    assert (here / "vectors.bin").exists()
    whole = jiyi("reindex", "--check", *outside).well().out
    assert "checked 3 messages: 0 without terms, 0 without vectors, 0 left over" in whole
    assert "dense:hashing-256@file: 3 of 3 messages" in whole
    old = (here / "vectors.bin").read_bytes()
    (here / "vectors.bin").unlink()
    found = jiyi("reindex", "--check", "--json", *outside).well().json["checked"]
    assert found == {"messages": 3, "terms": 0, "vectors": 3, "leftovers": 0}
    jiyi("forget", "--user", "ada", "--yes", *outside).well()
    jiyi("import", str(here / "chat.jsonl"), *outside).well()
    (here / "vectors.bin").write_bytes(old)  # of the user who was erased: another space
    again = jiyi("reindex", "--check", "--json", *outside).well().json["checked"]
    assert again == {"messages": 3, "terms": 0, "vectors": 3, "leftovers": 0}
    plain = jiyi("reindex", "--check", "--json").well().json["checked"]
    assert plain["vectors"] == 0


def test_an_index_that_is_down_is_told_by_the_exit_code(jiyi: Run, here: Path) -> None:
    outside = ("--vectors", "tests.e2e.keeping:FileVectors", "--embedder", "hashing")
    jiyi("import", str(write_lines(here / "chat.jsonl", *map(line, TEXTS))), *outside).well()
    refused = jiyi("forget", "--user", "ada", "--yes", "--vectors", "tests.e2e.keeping:Down", "--embedder", "none")
    assert refused.code == 4 and "nothing was erased" in refused.err
    assert "Traceback" not in refused.err

"""A file with a line for each question that was asked, so that a run that stopped goes on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from jiyi.errors import InvalidInput

Row: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str, str]
"""Set, conversation, question."""

_HEAD = "run"


class Ledger:
    """Rows of one run.  The file only grows; a line that was cut off by a kill is written anew, a row that ended in an
    error is asked again.

    Args:
        path: made where it does not exist.
        run: what the rows depend on: model, recipe, prompts; its first line.

    Raises:
        InvalidInput: the file is something else, or of another run.
    """

    def __init__(self, path: Path, run: Mapping[str, object]) -> None:
        self.rows: dict[Key, Row] = {}
        self._file: BinaryIO = path.open("a+b")
        try:
            self._load(path, dict(run))
        except BaseException:
            self._file.close()
            raise

    def done(self, key: Key) -> bool:
        """Whether the question has its answer, and its verdict where it should have one."""
        row = self.rows.get(key)
        return row is not None and row["error"] is None and row["judge_error"] is None

    def add(self, row: Row) -> None:
        """Keeps a row; it is in the file when this returns."""
        self._write(row)
        self.rows[_key(row)] = row

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _load(self, path: Path, run: dict[str, object]) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines and not data:
            self._write({_HEAD: run})
            return
        try:
            head, *rows = cast("Sequence[Row]", [json.loads(line) for line in lines])
            kept = head[_HEAD]
            self.rows = {_key(row): row for row in rows}
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise InvalidInput("results", f"{path} is something else; name another file, or remove it") from error
        changed = sorted(name for name in {*kept, *run} if kept.get(name) != run.get(name))
        if changed:
            raise InvalidInput(
                "results", f"{path} is of a run with another {', '.join(changed)}; name another file, or remove it"
            )
        self._file.truncate(len(whole))

    def _write(self, row: Row) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        self._file.flush()


def _key(row: Row) -> Key:
    return row["set"], row["conversation_id"], row["question_id"]

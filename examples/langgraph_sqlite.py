"""Jiyi beside LangGraph's SqliteSaver: stop, go on, go back, and every message is remembered once.

Needs ``pip install 'jiyi[langgraph]' langgraph-checkpoint-sqlite``.
"""

from __future__ import annotations

from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph_booking import options, walk


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--folder", type=Path, default=Path(), help="where both databases are made")
    given = parser.parse_args()
    checkpoints = str(given.folder / "checkpoints.db")
    walk(lambda: SqliteSaver.from_conn_string(checkpoints), given.folder / "memory.db", given.language)


if __name__ == "__main__":
    main()

"""Jiyi beside LangGraph's PostgresSaver: stop, go on, go back, and every message is remembered once.

Needs ``pip install 'jiyi[langgraph]' langgraph-checkpoint-postgres 'psycopg[binary]'``, and a PostgreSQL.
"""

from __future__ import annotations

from pathlib import Path

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph_booking import options, walk


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("address", help="of the checkpoints, for example postgresql://me@localhost/checkpoints")
    parser.add_argument("--memory", type=Path, default=Path("memory.db"), help="Jiyi's database")
    given = parser.parse_args()
    with PostgresSaver.from_conn_string(given.address) as checkpointer:
        checkpointer.setup()  # its tables, once
    walk(lambda: PostgresSaver.from_conn_string(given.address), given.memory, given.language)


if __name__ == "__main__":
    main()

"""The examples of integrations run as users run them, and show what they are meant to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SHOWS = {
    "langchain_agent": [
        "agent: 四号房订好了。",
        "[用户] 我开会都要靠窗的房间。",
        "6 messages are kept.",
    ],
    "llama_index_memory": ["[用户] 我坐火车只坐靠窗的座位。", "engine: 好的。", "4 messages are kept."],
    "openai_agents_session": [
        "waiter: 好的，不放香菜。",
        "[user] Book a table for three at Casa Verde",
        "[用户] 我不吃香菜。",
    ],
    "pydantic_ai_history": [
        "4 messages are kept.",
        "[user] Our hotel in Porto is the Casa Azul",
        "[用户] 我对海鲜过敏。",
    ],
}
"""What must stand in the output."""


@pytest.mark.parametrize("name", SHOWS)
def test_an_example_shows_what_it_is_meant_to_show(name: str, tmp_path: Path) -> None:
    program = [sys.executable, str(EXAMPLES / f"{name}.py")]
    ran = subprocess.run(program, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    for words in SHOWS[name]:
        assert words in ran.stdout, ran.stdout

"""Field cases D16 and D17 through the command line: any query is taken, words and signs are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jiyi.cli import app
from tests.cases.test_d16_d17_full_text import DOCS, HOSTILE, MUST_FIND, ZH_DOCS, ZH_EXPECT


class Line:
    def __init__(self, folder: Path) -> None:
        self.options = ["--db", str(folder / "jiyi.db"), "--embedder", "none", "--json"]

    def __call__(self, *args: str) -> object:
        result = CliRunner().invoke(app, [*self.options, *args])
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def fill(self, docs: list[str]) -> Line:
        for doc in docs:
            self("remember", "--user", "ada", "--", doc)
        return self

    def found(self, query: str) -> list[str]:
        hits = self("search", "--user", "ada", "--floor", "0", "--", query)
        assert isinstance(hits, list)
        return [hit["text"] for hit in hits]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Line:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("JIYI_TOKENIZER", "estimate")
    monkeypatch.chdir(tmp_path)
    return Line(tmp_path)


def test_d16_no_query_fails_and_none_returns_everything(cli: Line) -> None:
    cli.fill(DOCS)
    for query in HOSTILE:
        assert len(cli.found(query)) < len(DOCS), query
    for query, index in MUST_FIND.items():
        assert cli.found(query)[:1] == [DOCS[index]], query
    assert DOCS[3] not in cli.found("40%")
    stats = cli("stats")
    assert isinstance(stats, dict) and stats["statements"] == len(DOCS)


def test_d17_chinese_queries_give_exactly_the_right_texts(cli: Line) -> None:
    cli.fill(ZH_DOCS)
    for query, expected in ZH_EXPECT.items():
        assert cli.found(query) == [ZH_DOCS[i] for i in expected], query

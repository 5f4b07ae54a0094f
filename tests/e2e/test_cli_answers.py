"""Answers of a model, asked and marked, stopped and gone on with."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from jiyi.errors import ModelRejected, ModelUnavailable
from jiyi.testing.scripted import Answer, Call, ScriptedLLM, Streamed
from tests.e2e.conftest import Run, write_lines

ASK = ["eval", "answers", "set", "--llm", "tests.e2e.test_cli_answers:Model", "--concurrency", "1"]

SAID = {
    "What is my cat called?": "It is called Miso.",
    "How much may the gift cost?": "90",
    "我的航班去哪里？": "不知道",
    "Which part hurts?": "B",
}
YES, NO = '{"correct": true, "reason": "same"}', 'Well:\n```json\n{"correct": "No", "reason": "another\n```'


class Model(ScriptedLLM):
    """Made anew by every command; what it says and was asked outlives it."""

    says: ClassVar[Callable[[Call], Answer]]
    asked: ClassVar[list[Call]] = []

    def __init__(self) -> None:
        super().__init__(self.answer, name="scripted:one")

    def answer(self, call: Call) -> Answer:
        Model.asked.append(call)
        return Model.says(call)


def usual(call: Call) -> Answer:
    if call.schema:
        return YES if "Miso" in call.last or "B. " in call.last else '{"correct": false}'
    return next(answer for question, answer in SAID.items() if question in call.last)


def questions_asked() -> list[str]:
    return [call.last.splitlines()[0] for call in Model.asked if not call.schema]


@pytest.fixture
def model(here: Path) -> Iterator[type[Model]]:
    Model.says, Model.asked = staticmethod(usual), []
    texts = [
        "My cat is called Miso.",
        "The gift may cost 100.",
        "我九号坐飞机去喀什。",
        "My shoulder hurts.",
        "The gift may cost 500.",
    ]
    said = [{"message_id": f"m{at}", "role": "user", "speaker": "", "content": text} for at, text in enumerate(texts)]
    sessions = [{"session_id": "s", "started_at": "2026-03-01", "messages": said}]
    base = {"conversation_id": "c", "evidence_level": "message", "category": "x"}
    (here / "set").mkdir()
    write_lines(here / "set" / "conversations.jsonl", {"conversation_id": "c", "user_id": "u", "sessions": sessions})
    write_lines(
        here / "set" / "questions.jsonl",
        {**base, "question_id": "q1", "question": "What is my cat called?", "evidence": ["m0"], "answer": "Miso",
         "asked_at": "2026-05-07"},
        {**base, "question_id": "q2", "question": "How much may the gift cost?", "evidence": ["m1"], "answer": "100 Ducats",
         "before_message_id": "m4"},
        {**base, "question_id": "q3", "question": "我的航班去哪里？", "evidence": [], "unanswerable": True, "category": "none"},
        {**base, "question_id": "q4", "question": "Which part hurts?", "evidence": ["m3"], "ground_truth": "B",
         "choices": {"A": "neck", "B": "shoulder"}},
        {**base, "question_id": "q5", "question": "no answer to compare with", "evidence": ["m0"]},
    )  # fmt: skip
    yield Model


def rows(here: Path) -> dict[str, dict[str, Any]]:
    lines = (here / "answers.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return {row["question_id"]: row for row in map(json.loads, lines)}


def test_answers_are_marked_by_rules_and_by_a_judge(jiyi: Run, here: Path, model: type[Model]) -> None:
    ran = jiyi(*ASK, "--json", "--html", "page.html").well()
    value = ran.json
    (found,) = value["sets"]
    everything, none, x = found["categories"]
    assert (everything["category"], everything["questions"], none["questions"], x["questions"]) == ("ALL", 4, 1, 3)
    assert {name: (row["right"], row["judge"]) for name, row in rows(here).items()} == {
        "q1": (True, True), "q2": (False, False), "q3": (True, False), "q4": (True, True),
    }  # fmt: skip
    assert everything["match"][0] == 0.75 and everything["judge"][0] == 0.5 and everything["agreement"][0] == 0.75
    assert everything["declined"] == 1 and found["errors"] == found["judge_errors"] == {}
    assert found["usage"]["llm"]["calls"] == found["usage"]["judge"]["calls"] == 4
    assert 0 < found["usage"]["llm"]["prompt_tokens"] <= 4 * 2000
    assert value["llm"] == value["judge"] == "scripted:one" and len(value["prompts"]) == 4
    assert "Right by the judge" in (here / "page.html").read_text(encoding="utf-8")
    shown = jiyi(*ASK, "--price", "2").well()
    assert (
        "agree on" not in shown.out
        and "agreement" in shown.out
        and "llm: 4 calls" in shown.out
        and "0.00 for the prompts" in shown.out
    )
    assert len(model.asked) == 8, "nothing was asked again"


def test_low_agreement_is_said(jiyi: Run, here: Path, model: type[Model]) -> None:
    def harsh(call: Call) -> Answer:
        return '{"correct": false}' if call.schema else usual(call)

    model.says = staticmethod(harsh)
    assert "agree on 25% only" in jiyi(*ASK).well().out


def test_no_label_reaches_the_model_that_answers(jiyi: Run, here: Path, model: type[Model]) -> None:
    jiyi(*ASK, "--json").well()
    asked = {call.last.splitlines()[0]: call for call in model.asked if not call.schema}
    assert "Ducats" not in "".join(call.all_text for call in asked.values())
    assert (
        "2026-05-07" in asked["What is my cat called?"].all_text and "Miso" in asked["What is my cat called?"].all_text
    )
    gift = asked["How much may the gift cost?"].all_text
    assert "cost 100" in gift and "cost 500" not in gift, "only what stood before the question"
    assert "B. shoulder" in asked["Which part hurts?"].last
    assert "请回答" in asked["我的航班去哪里？"].all_text and "What is my cat" not in gift
    judged = next(call for call in model.asked if call.schema and "gift" in call.last)
    assert json.loads(judged.last) == {
        "question": "How much may the gift cost?",
        "reference": "100 Ducats",
        "answer": "90",
    }


def test_errors_are_apart_and_asked_again(jiyi: Run, here: Path, model: type[Model]) -> None:
    def broken(call: Call) -> Answer:
        if call.schema:
            return NO if "gift" in call.last else "I cannot say." if "shoulder" in call.last else YES
        return Streamed("It", error=ModelUnavailable("broke off")) if "cat" in call.last else usual(call)

    model.says = staticmethod(broken)
    value = jiyi(*ASK, "--json").well().json
    (found,) = value["sets"]
    assert found["errors"] == {"ModelUnavailable": 1} and found["judge_errors"] == {"ModelError": 2}
    everything = found["categories"][0]
    assert (everything["questions"], everything["answered"], everything["judged"]) == (4, 3, 1)
    model.says, model.asked[:] = staticmethod(usual), []
    shown = jiyi(*ASK).well()
    assert "1 of 4 are done" in shown.err and "errors" not in shown.out
    assert sorted(questions_asked()) == ["How much may the gift cost?", "What is my cat called?", "Which part hurts?"]
    assert jiyi(*ASK, "--json").well().json["sets"][0]["categories"][0]["judged"] == 4


def test_a_cut_line_is_asked_again_and_another_run_is_refused(jiyi: Run, here: Path, model: type[Model]) -> None:
    jiyi(*ASK).well()
    kept = here / "answers.jsonl"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-20])
    model.asked[:] = []
    jiyi(*ASK).well()
    assert len(questions_asked()) == 1 and len(rows(here)) == 4
    for option in (["--max-tokens", "900"], ["--recipe", "casual"], ["--no-judge"]):
        ran = jiyi(*ASK, *option, "--json")
        assert ran.code == 2 and ran.error["field"] == "results" and "another run" not in ran.error["message"]
    kept.write_text("something else\n")
    assert jiyi(*ASK, "--json").code == 2 and kept.read_text() == "something else\n"


def test_a_run_that_cannot_succeed_stops(
    jiyi: Run, here: Path, model: type[Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(call: Call) -> Answer:
        return ModelRejected("no such key")

    model.says = staticmethod(refused)
    assert jiyi(*ASK).code == 6 and len(model.asked) == 1 and not rows(here)
    monkeypatch.setattr("jiyi.eval.quiz.IN_A_ROW", 2)

    def down(call: Call) -> Answer:
        return ModelUnavailable("nobody there")

    model.says, model.asked[:] = staticmethod(down), []
    ran = jiyi(*ASK)
    assert ran.code == 6 and "nobody there" in ran.err and len(rows(here)) == 2
    model.says = staticmethod(usual)
    jiyi(*ASK).well()
    assert all(row["error"] is None for row in rows(here).values()) and len(rows(here)) == 4


def test_ctrl_c_keeps_what_is_answered(jiyi: Run, here: Path, model: type[Model]) -> None:
    def stopped(call: Call) -> Answer:
        if "gift" in call.last and not call.schema:
            os.kill(os.getpid(), signal.SIGINT)
            return Streamed(hangs=True)
        return usual(call)

    model.says = staticmethod(stopped)
    ran = jiyi(*ASK)
    assert ran.code == 130 and "of 4 answers are in answers.jsonl" in ran.err and "go on" in ran.err
    done = set(rows(here))
    assert "q2" not in done
    model.says, model.asked[:] = staticmethod(usual), []
    jiyi(*ASK).well()
    assert len(questions_asked()) == 4 - len(done) and set(rows(here)) == {"q1", "q2", "q3", "q4"}


def test_what_it_takes_is_said_and_questions_are_chosen_by_the_seed(jiyi: Run, here: Path, model: type[Model]) -> None:
    ran = jiyi(*ASK, "--dry-run", "--price", "10").well()
    assert "4 questions: 8 calls" in ran.err and "cost at most 0.1" in ran.err and not model.asked
    first = jiyi(*ASK, "--limit", "2", "--seed", "1", "--no-judge", "--json").well().json
    assert first["sets"][0]["categories"][0]["questions"] == 2 and first["sets"][0]["categories"][0]["judge"] is None
    asked = set(questions_asked())
    model.asked[:] = []
    jiyi(*ASK, "--limit", "2", "--seed", "1", "--no-judge", "--results", "again.jsonl").well()
    assert set(questions_asked()) == asked and len(asked) == 2


def test_questions_are_asked_at_once_as_many_as_allowed(jiyi: Run, here: Path, model: type[Model]) -> None:
    running, most = 0, 0
    whole = Model.complete

    async def counted(self: Model, *args: Any, **options: Any) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        try:
            return await whole(self, *args, **options)
        finally:
            running -= 1

    Model.complete = counted  # type: ignore[method-assign]
    try:
        jiyi(*ASK[:-1], "3").well()
    finally:
        Model.complete = whole  # type: ignore[method-assign]
    assert most == 3 and len(rows(here)) == 4


def test_without_a_model_or_questions_it_says_what_to_do(jiyi: Run, here: Path, model: type[Model]) -> None:
    ran = jiyi("eval", "answers", "set", "--json")
    assert ran.code == 2 and ran.error["field"] == "llm" and "jiyi eval answers --llm" in ran.error["message"]
    only = json.loads((here / "set" / "questions.jsonl").read_text().splitlines()[-1])
    write_lines(here / "set" / "questions.jsonl", only)
    ran = jiyi(*ASK, "--json")
    assert ran.code == 2 and "no question has an answer" in ran.error["message"]
    write_lines(here / "set" / "questions.jsonl", {**only, "choices": {"A": "x"}, "ground_truth": "C"})
    ran = jiyi(*ASK, "--json")
    assert ran.code == 2 and "ground_truth" in ran.error["problems"][0]["message"]

"""The regression behind ``eval fit``, and what it learns from."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.engine import AsyncMemory
from jiyi.errors import MissingDependency
from jiyi.eval import fit as fitting
from jiyi.eval.ablation import PARTS
from jiyi.eval.dataset import Label, Question
from jiyi.eval.features import FITTED, as_shipped, features, multiplied
from jiyi.eval.fit import Case, case, fit
from jiyi.eval.folds import Asked, cross_validated, folds
from jiyi.eval.looks import Look, Looker
from jiyi.types import SCORE_PARTS, Found
from jiyi.weights import DEFAULT

np = pytest.importorskip("numpy")
NAMES = list(FITTED)
NOW = datetime(2024, 5, 1, tzinfo=UTC)


async def look(question: str) -> Look:
    """A memory of two people over three weeks, and one lone fact."""
    rng = random.Random(2)
    things = ["tea", "milk", "train", "rain", "garden", "花生", "猫", "music"]
    embedder = HashingEmbedder()
    async with await AsyncMemory.open("memory:", settings=Settings(), embedder=embedder) as memory:
        await memory.worker.stop()
        for day in range(1, 22):
            chat = memory.session(f"s{day}", user_id="u")
            said: list[Any] = [
                {"message_id": f"{day}-{n}", "role": ("user", "assistant")[n % 2], "name": ("Ada", "Bob")[n % 2],
                 "content": " ".join(rng.choices(things, k=4)), "created_at": datetime(2024, 4, day, 9, n, tzinfo=UTC)}
                for n in range(6)
            ]  # fmt: skip
            await chat.add_many(said)
        await memory.remember("my cat is called Miso", user_id="u")
        await memory.drain()
        return await Looker(memory, "u").look(Question(question, asked_at="2024-05-01"))


QUESTIONS = [
    "what is my cat called",
    "我对花生过敏吗",
    "what did Bob say about the train last month",
    "who talked about tea and milk and the garden when it rained, and what was said of music, the train and 猫 before",
]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_features_of_a_message_add_up_to_its_score(question: str) -> None:
    ranked = (await look(question)).ranked(DEFAULT)
    rows = features(ranked)
    assert len(rows) == len(ranked) > 50 and all(len(row) == len(FITTED) for row in rows)
    assert [sum(row) for row in rows] == pytest.approx([one.score for one in ranked])
    assert set(ranked[0].columns) <= set(FITTED) == set(SCORE_PARTS)


@pytest.mark.parametrize("question", QUESTIONS[:2])
async def test_times_its_factors_a_row_is_the_score_of_the_multiplied_weights(question: str) -> None:
    found = await look(question)
    factors = dict(zip(NAMES, [1.02, 0.97, 1.04, 0.96, 1.1, 0.9, 1.05, 1.03, 1], strict=True))
    ranked = found.ranked(DEFAULT)
    then = {one.message.id: one for one in found.ranked(multiplied(DEFAULT, factors))}
    kept = [
        (sum(value * factor for value, factor in zip(row, factors.values(), strict=True)), then[one.message.id].score)
        for one, row in zip(ranked, features(ranked), strict=True)
        if ("alone" in one.parts) == ("alone" in then[one.message.id].parts)
    ]
    assert len(kept) > 50 and any("alone" in one.parts for one in ranked)
    assert [guess for guess, _ in kept] == pytest.approx([score for _, score in kept], abs=0.002)


async def test_all_parts_times_the_same_change_no_order() -> None:
    for question in QUESTIONS:
        found = await look(question)
        orders = [
            [one.message.id for one in found.ranked(weights)]
            for weights in (DEFAULT, multiplied(DEFAULT, dict.fromkeys(FITTED, 2.0)))
        ]
        assert orders[0] == orders[1]


def test_the_parts_are_those_of_the_ablation() -> None:
    assert all(set(fields) <= PARTS[name].keys() for name, fields in FITTED.items())
    mine = replace(DEFAULT, words=9.0, floor=0.7)
    assert as_shipped(mine) == replace(DEFAULT, floor=0.7)
    assert multiplied(mine, {"words": 1.0, "role": 0.5}) == replace(mine, user=1.0, assistant=0.75)


def cases(rng: random.Random, number: int, **true: float) -> list[Case]:
    """Questions whose evidence is drawn as the model has it, with true factors."""
    found: list[Case] = []
    for _ in range(number):
        rows = [[rng.gauss(0, 1) for _ in NAMES] for _ in range(30)]
        scores = [sum(true.get(name, 1.0) * x for name, x in zip(NAMES, row, strict=True)) for row in rows]
        chosen = rng.choices(range(30), weights=np.exp(scores).tolist())[0]
        found.append(Case([rows.pop(chosen)], rows))
    return found


def test_factors_that_made_the_choices_are_found() -> None:
    drawn = cases(random.Random(5), 400, words=2.5, session=0.3)
    found = fit(drawn, "dense")
    assert found["dense"] == 1.0 and 2 < found["words"] < 3.2 and 0.25 <= found["session"] < 0.55
    assert all(0.75 < found[name] < 1.3 for name in NAMES if name not in ("dense", "words", "session"))
    assert fit(drawn, "dense") == found and found["spread"] == 1.0


def test_few_questions_move_little_and_none_nothing() -> None:
    assert fit([], "dense") == dict.fromkeys(NAMES, 1.0)
    few, many = (fit(cases(random.Random(5), number, words=3.0), "dense")["words"] for number in (6, 400))
    assert abs(few - 1) < abs(many - 1)
    nothing = [Case([[0.0] * len(NAMES)], [[0.0] * len(NAMES)] * 3)] * 60
    assert fit(nothing, "words") == dict.fromkeys(NAMES, 1.0)


async def test_what_a_question_teaches() -> None:
    ranked = (await look(QUESTIONS[0])).ranked(DEFAULT)
    session_of = {one.message.id: one.message.session_id for one in ranked if one.message.session_id}
    first, last = ranked[0].message.id, ranked[150].message.id if len(ranked) > 150 else ranked[-1].message.id
    found = case(ranked, Label("q", "", (first, last, "elsewhere"), "message", True), session_of)
    assert found is not None and len(found.right) == 2 and len(found.wrong) == min(100, len(ranked)) - 1
    found = case(ranked, Label("q", "", ("s3",), "session", True), session_of)
    best = {one.message.session_id or one.message.id for one in ranked[:100]}
    assert found is not None and len(found.right) == 1 and len(found.wrong) in (len(best), len(best) - 1)
    assert case(ranked, Label("q", "", ("elsewhere",), "message", True), session_of) is None
    assert case(ranked, Label("q", "", (first,), "message", False), session_of) is None
    assert case([], Label("q", "", (first,), "message", True), session_of) is None


def asked(conversation: str, number: int, session: int) -> Asked:
    session_of = {f"m{n}": f"s{n // 10}" for n in range(200)}
    label = Label(f"{conversation}{number}", "", (f"m{session * 10}",), "message", True)
    return Asked("set", conversation, Look(f"what {number}", Found(), NOW, ""), label, session_of)


def test_conversations_are_never_split_and_weigh_about_the_same() -> None:
    some = [asked(f"c{n % 3}", n, 1) for n in range(30)]
    found, by = folds(some)
    assert by == "conversations" and sorted(set(found)) == [0, 1, 2]
    assert all(
        len({its for its, one in zip(found, some, strict=True) if one.conversation == f"c{n}"}) == 1 for n in range(3)
    )
    many = [asked(f"c{n}", n, 1) for c in range(25) for n in [c] * (c % 4 + 1)]
    found, _ = folds(many)
    loads = [found.count(fold) for fold in range(10)]
    assert sum(loads) == len(many) and max(loads) - min(loads) <= 2


def test_of_one_conversation_stretches_of_sessions_are_held_out() -> None:
    rng = random.Random(4)
    some = [asked("c", n, rng.randrange(20)) for n in range(60)]
    found, by = folds(some)
    assert by == "stretches of sessions" and sorted(set(found)) == [0, 1, 2, 3, 4]
    sessions = [int(one.label.evidence[0][1:]) // 10 for one in some]
    assert [its for _, its in sorted(zip(sessions, found, strict=True))] == sorted(found)
    assert len(set(zip(sessions, found, strict=True))) == len(set(sessions))
    found, _ = folds([asked("c", n, 7) for n in range(50)])
    assert [found.count(fold) for fold in range(5)] == [10] * 5


def test_the_same_question_is_never_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def counted(given: list[Case], reference: str) -> dict[str, float]:
        seen.append(len(given))
        return dict.fromkeys(FITTED, 1.0)

    monkeypatch.setattr("jiyi.eval.folds.fit", counted)
    monkeypatch.setattr("jiyi.eval.folds.case", lambda *given: Case([[0.0]], [[0.0]]))
    some = [asked(conversation, n, 1) for conversation in ("a", "b") for n in range(30)]
    found = cross_validated(some, DEFAULT, 10)
    assert seen == [0, 0, 60] and found.against == "the questions give no reason to change a weight"
    seen.clear()
    cross_validated([asked("a", n, 1) for n in range(30)] + [asked("b", n, 1) for n in range(20, 50)], DEFAULT, 10)
    assert seen == [20, 20, 60]


def test_without_numpy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="jiyi\\[local\\]"):
        fitting.require()

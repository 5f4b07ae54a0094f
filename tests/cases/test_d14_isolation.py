"""Field case D14: one user never sees another's memory, in no layer, however much the ids look alike.

The ids of messages and sessions are the same for all users: only the user tells them apart.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from jiyi import (
    AsyncMemory,
    Entities,
    Facts,
    Graph,
    InvalidInput,
    JiyiError,
    KeyFacts,
    Notes,
    NotFound,
    Recall,
    RollingSummary,
    SlidingWindow,
    Snapshot,
    Topics,
)
from jiyi.cli import app
from jiyi.testing import ScriptedLLM
from jiyi.testing.scripted import Call
from jiyi.testing.store.isolation import LOOKALIKES
from tests.conftest import OpenMemory

MINE, YOURS = "acct-4", "acct-42"
QUERY = "Harbor Cafe 港湾咖啡"
SAID = {
    MINE: [
        "The Harbor Cafe closes at 6.", "I live in Oldport.", "My deadline for the menu is Friday.", "Thanks!",
        "I like black tea.", "港湾咖啡六点关门。", "Good night.", "See you.",
    ],
    YOURS: [
        "The Harbor Cafe wifi password is pelican-42.", "我在港湾咖啡的会员号是 556-010。", "I live in Saltmarsh.",
        "My budget for the Harbor Cafe is 777 euros.", "My sister Ottoline works at Harbor Cafe.", "请记住：我对花生过敏。",
        "The Harbor Cafe belongs to Zephyrine Foods.", "My son goes to Whitgift School.",
    ],
}  # fmt: skip
SECRETS = (
    "pelican", "556-010", "saltmarsh", "777 euros", "ottoline", "花生", "zephyrine", "whitgift", "state of acct-42", "acct-42",
)  # fmt: skip
NOBODY = "nobody-ever"
ALIKE = [
    "acct", "acct-", "ACCT-42", "ACCT-4", "acct-4%", "acct-4_", "acct*", "acct-%", "acct_42", "acct-4?", "%", "*", "_",
    "null", "None", "0", "42", "-42", "acct-042", "acct-42.0", "acct-42'", 'acct-42"', "acct-42;--", "acct-42 OR 1=1",
    "acct-42/..", "acct\u201042", "\u0430cct-42", "acct-\uff14\uff12", "acct-42\u200b", "acct-4\u0301", "default",
    "acct-422", "acct--42", "Acct-42", "acct-42\\", "acct-42#", "[acct-42]", "acct-42,acct-4", '{"user":"acct-42"}',
]  # fmt: skip
REFUSED = [
    "",
    " ",
    " acct-42",
    "acct-42 ",
    "acct-42\n",
    "\tacct-42",
    "acct-4\x002",
    "x" * 100_000,
    None,
    42,
    ["acct-42"],
    b"acct-42",
]

Layer = Callable[[AsyncMemory, str], Awaitable[object]]
KINDS = ("fact", "retraction", "note", "summary", "entity", "relation", "topic", "snapshot")


async def context(memory: AsyncMemory, user: str) -> object:
    """All of a context that asks for the cafe in a session of its own, with its account; and what a model is asked."""
    chat = memory.session("asks", user_id=user)
    if not await chat.messages():
        await chat.add("user", QUERY + "?")
    found = await chat.context(max_tokens=4000)
    return found.messages, found.explain(), found.to_dict()


async def records(memory: AsyncMemory, user: str) -> object:
    kinds = [await memory.records(user_id=user, kind=kind, current=None, hidden=True) for kind in KINDS]
    links = await memory.store.records(memory.scope(user), links=["user", "harbor cafe", "港湾咖啡"], current=None)
    return kinds, links, await memory.records(user_id=user, query=QUERY), await memory.records(user_id=user)


LAYERS: Mapping[str, Layer] = {
    "messages": lambda m, u: m.messages(user_id=u),
    "messages of a session": lambda m, u: m.messages(user_id=u, session_id="s"),
    "the session": lambda m, u: m.session("s", user_id=u).messages(all_branches=True),
    "sessions": lambda m, u: m.sessions(user_id=u),
    "checkpoints": lambda m, u: m.session("s", user_id=u).checkpoints(),
    "search": lambda m, u: m.search(QUERY, user_id=u, floor=0, k=50),
    "search by words": lambda m, u: _found(m, u, "wifi password pelican-42 会员号 556-010"),
    "records": records,
    "entities": lambda m, u: _entities(m, u),
    "entities of a question": lambda m, u: _entities(m, u, QUERY),
    "graph": lambda m, u: _graph(m, u),
    "graph of a question": lambda m, u: _graph(m, u, "Who owns the Harbor Cafe?"),
    "topics": lambda m, u: m.topics(user_id=u),
    "snapshots": lambda m, u: _snapshots(m, u),
    "about": lambda m, u: m.about(u),
    "context": context,
    "spent": lambda m, u: m.spent(u),
    "failures": lambda m, u: m.failures(u),
    "stats": lambda m, u: _stats(m, u),
}  # fmt: skip


async def _found(memory: AsyncMemory, user: str, query: str) -> object:
    """What is found, without the words that were asked for."""
    return [(hit.message, hit.before, hit.after) for hit in await memory.search(query, user_id=user, floor=0, k=50)]


async def _entities(memory: AsyncMemory, user: str, query: str | None = None) -> object:
    """Entities with what is told of them, and where that was said."""
    return [(one, one.record, one.facts, one.quotes) for one in await memory.entities(user_id=user, query=query)]


async def _graph(memory: AsyncMemory, user: str, query: str | None = None) -> object:
    """A graph with all that its parts tell: neighbours, quotes, evidence, facts."""
    found = await memory.graph(query, user_id=user)
    entities = [(one, one.record, one.facts, one.quotes) for one in found.entities]
    relations = [(one.text, one.evidence, one.quotes) for one in found.relations]
    return entities, relations, [str(path) for path in found.paths()]


async def _snapshots(memory: AsyncMemory, user: str) -> object:
    found = await memory.snapshots(user_id=user)
    return found, [one.text for one in found], [one.since(found[0]) for one in found]


async def _stats(memory: AsyncMemory, user: str) -> object:
    stats = await memory.stats(user)
    return stats.messages, stats.sessions, stats.records, stats.vectors, stats.indexed, stats.checkpoints


def parts() -> list[Any]:
    """Every strategy there is, none of which needs a model."""
    derived = [RollingSummary(every=2, after=1, recent=1), Notes(every=2), KeyFacts(), Facts(), Recall()]
    return [*derived, Entities(), Graph(), Topics(), Snapshot(every=2), SlidingWindow(1)]


async def fill(memory: AsyncMemory) -> None:
    for user, texts in SAID.items():
        chat = memory.session("s", user_id=user)
        for number, text in enumerate(texts):
            await chat.add("user", text, message_id=f"m{number}")
        await chat.checkpoint("begin", state={"what": f"state of {user}"})
        await memory.remember(f"Statement of {user}.", user_id=user)
    await memory.drain()


@pytest.fixture
async def both(open_memory: OpenMemory) -> AsyncMemory:
    """Two users who talk about the same cafe."""
    memory = await open_memory(recipe=parts(), embedder="hashing")
    await fill(memory)
    return memory


def leaks(seen: object) -> list[str]:
    told = repr(seen).lower()
    return [secret for secret in SECRETS if secret in told]


@pytest.mark.parametrize("layer", LAYERS)
async def test_no_layer_shows_another_users_memory(both: AsyncMemory, layer: str) -> None:
    assert leaks(await LAYERS[layer](both, MINE)) == []


async def test_whose_it_is_sees_it(both: AsyncMemory) -> None:
    """Else the other tests could not fail."""
    told = {layer: leaks(await look(both, YOURS)) for layer, look in LAYERS.items()}
    silent = {"spent", "failures", "stats", "sessions"}
    assert {layer for layer, found in told.items() if found} == LAYERS.keys() - silent
    assert len(told["records"]) > 4 and len(told["context"]) > 4
    kinds = {record.kind for record in await both.records(user_id=YOURS, current=None)}
    assert {"fact", "note", "summary", "entity", "relation", "topic", "snapshot"} <= kinds


@pytest.mark.parametrize("layer", LAYERS)
async def test_ids_that_look_alike_see_nothing(both: AsyncMemory, layer: str) -> None:
    look = LAYERS[layer]
    nothing = plain(await look(both, NOBODY))
    for alike in ALIKE:
        seen = await look(both, alike)
        assert leaks(plain(seen).replace(alike, "")) == [], alike
        if layer != "context":  # it has ids and times of its own question
            assert plain(seen) == nothing, alike
    for scope in LOOKALIKES:  # tenants and agents too
        assert await both.store.records(scope, current=None) == [], scope


def plain(seen: object) -> str:
    return repr(seen)


async def test_no_id_and_an_id_that_is_none_is_an_error(both: AsyncMemory) -> None:
    reads: list[Callable[..., object]] = [
        both.messages, both.sessions, lambda **who: both.search(QUERY, **who), both.records, both.commands, both.about,
        lambda **who: both.record("r", **who), lambda **who: both.history("r", **who), lambda **who: both.session("s", **who),
    ]  # fmt: skip
    for read in reads:
        with pytest.raises(TypeError):
            await read()  # type: ignore[misc]
        for wrong in REFUSED:
            with pytest.raises(InvalidInput):
                await read(user_id=wrong)  # type: ignore[misc]


@pytest.mark.parametrize("user", [MINE, "ACCT-42", "acct-4%"])
async def test_another_users_records_can_be_neither_seen_nor_ordered_about(both: AsyncMemory, user: str) -> None:
    theirs = {record.id for record in await both.store.records(both.scope(MINE), current=None)}
    before = await both.records(user_id=YOURS, current=None, hidden=True)
    for record in before:
        if record.id in theirs:  # made of the same words in the same place: each has one of its own
            continue
        for use in (both.record, both.history, both.pin, both.hide, both.confirm, both.delete, both.recover):
            with pytest.raises(NotFound):
                await use(record.id, user_id=user)
        with pytest.raises(NotFound):
            await both.correct(record.id, "I live in Oldport", user_id=user)
    erased = await both.forget(user_id=user, message_ids=["m99"])
    assert erased.messages == 0
    assert await both.records(user_id=YOURS, current=None, hidden=True) == before


async def test_a_branch_a_checkpoint_or_a_session_of_another_user_is_not_there(both: AsyncMemory) -> None:
    chat = both.session("s", user_id="acct-4_")
    for use in (
        lambda: chat.branch("m1"), lambda: chat.restore("begin"), lambda: chat.fork("begin"),
        lambda: chat.rename("mine now"),
    ):  # fmt: skip
        with pytest.raises(JiyiError):
            await use()
    assert await chat.checkpoints() == [] and await chat.info() is None


async def test_what_one_user_forgets_the_other_keeps(both: AsyncMemory) -> None:
    before = {
        layer: plain(await LAYERS[layer](both, YOURS)) for layer in ("messages", "records", "about", "checkpoints")
    }
    for alike in ALIKE:
        try:
            assert (await both.forget(user_id=alike)).messages == 0
        except InvalidInput as error:  # it looks like a pattern
            assert "nothing was erased" in str(error)
    await both.forget(user_id=MINE)
    await both.drain()
    for layer, seen in before.items():
        assert plain(await LAYERS[layer](both, YOURS)) == seen
    assert leaks(await LAYERS["records"](both, MINE)) == [] and await both.messages(user_id=MINE) == []


async def test_no_model_is_asked_about_two_users_at_once(open_memory: OpenMemory) -> None:
    answers = ScriptedLLM(lambda call: "I do not know.")
    derives = ScriptedLLM(empty)
    memory = await open_memory(recipe=parts(), embedder="hashing", llm=answers, memory_llm=derives)
    await fill(memory)
    await memory.session("asks", user_id=MINE).send(QUERY + "?")
    await memory.drain()
    assert len(answers.calls) == 1 and leaks(answers.calls[0].all_text) == []
    assert len(derives.calls) > 4
    for call in derives.calls:
        assert not ("oldport" in call.all_text.lower() and leaks(call.all_text)), call.all_text


def empty(call: Call) -> str:
    """A reply that finds nothing in what it is asked about."""
    wanted = call.schema.get("properties") if call.schema else None
    return json.dumps(dict.fromkeys(wanted, [])) if isinstance(wanted, Mapping) else "Nothing of note."


# -- the command line -------------------------------------------------------------------------------------------------

COMMANDS = {
    "search": ["search", QUERY, "--floor", "0", "--json"],
    "context": ["context", QUERY, "--explain"],
    "records": ["records", "list", "--all", "--json"],
    "about": ["about"],
    "entities": ["entities"],
    "graph": ["graph", "--format", "json"],
    "topics": ["topics", "list", "--json"],
    "export": ["export", "--format", "jsonl"],
}  # fmt: skip


def test_the_command_line_shows_no_other_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in (("JIYI_EMBEDDER", "none"), ("JIYI_TOKENIZER", "estimate"), ("HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
    lines = [
        json.dumps({"user_id": user, "session_id": "s", "role": "user", "content": text}, ensure_ascii=False)
        for user, texts in SAID.items()
        for text in texts
    ]
    Path("said.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert run("import", "said.jsonl").exit_code == 0
    for command in COMMANDS.values():
        mine, yours = run(*command, user=MINE), run(*command, user=YOURS)
        assert mine.exit_code == yours.exit_code == 0, (command, mine.output, yours.output)
        assert leaks(mine.stdout) == [] and leaks(yours.stdout), command
        for alike in ("ACCT-42", "acct-4%", "acct", "*", " acct-42", ""):
            assert leaks(run(*command, user=alike).stdout.replace(alike, "")) == [], (command, alike)


def run(*args: str, user: str | None = None) -> Any:
    whose = [] if user is None else [user] if args[0] == "about" else ["--user", user]
    result = CliRunner().invoke(app, [*args, *whose])
    assert "Traceback" not in result.output
    return result

"""LangGraph's store on a memory: what it keeps, for how long, whose it is, and that it is gone when it is erased."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from jiyi import Conflict, InvalidInput, Memory
from jiyi.config import Settings
from jiyi.integrations.langgraph import JiyiStore
from jiyi.integrations.langgraph.store_items import ids_of, name_of
from jiyi.testing import FakeClock
from jiyi.types import Filter, Message, Scope
from jiyi.waiting import run

pytestmark = pytest.mark.integration("langgraph", "langgraph-checkpoint")

Open = Callable[..., Memory]


@pytest.fixture
def opened(url: str, clock: FakeClock) -> Iterator[Open]:
    """Opens memories at one address with one clock, and closes them."""
    found: list[Memory] = []

    def open_(**options: Any) -> Memory:
        options.setdefault("embedder", None)
        memory = Memory.open(url, clock=clock, tokenizer="estimate", settings=Settings(), **options)
        found.append(memory)
        return memory

    yield open_
    for memory in found:
        memory.close()


@pytest.fixture
def memory(opened: Open) -> Memory:
    return opened()


@pytest.fixture
def store(memory: Memory) -> JiyiStore:
    return JiyiStore(memory, user_id="ada")


NS = ("memories", "ada")


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


# -- put and get


def test_what_is_put_comes_back(store: JiyiStore, clock: FakeClock) -> None:
    value = {"text": "喜欢喝茶", "n": [1, 2.5, None, True], "deep": {"a": {"b": "c"}}}
    store.put(NS, "tea", value)
    item = store.get(NS, "tea")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "tea", NS)
    assert item.created_at == item.updated_at == clock.now()
    assert item.created_at.tzinfo is UTC
    assert store.get(NS, "coffee") is None
    assert store.get(("memories",), "tea") is None


def test_a_new_version_keeps_when_it_was_created(store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "k", {"v": 1})
    first = clock.now()
    for version in (2, 3, 4):
        clock.advance(60)
        store.put(NS, "k", {"v": version})
        item = store.get(NS, "k")
        assert item is not None
        assert (item.value, item.created_at, item.updated_at) == ({"v": version}, first, clock.now())
    store.delete(NS, "k")
    assert store.get(NS, "k") is None
    store.put(NS, "k", {"v": 5})
    item = store.get(NS, "k")
    assert item is not None
    assert item.created_at == clock.now()


def test_what_is_got_may_be_changed(store: JiyiStore) -> None:
    store.put(NS, "k", {"list": [{"a": 1}]})
    item = store.get(NS, "k")
    assert item is not None
    item.value["list"][0]["a"] = 2
    assert store.get(NS, "k").value == {"list": [{"a": 1}]}  # type: ignore[union-attr]


def test_tuples_come_back_as_lists(store: JiyiStore) -> None:
    store.put(NS, "k", {"pair": (1, 2)})
    assert store.get(NS, "k").value == {"pair": [1, 2]}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "value.at"),
        ({"a": [{"b": {1, 2}}]}, r"value.a\[0\].b"),
        ({"a": b"x"}, "value.a"),
        ({"a": float("nan")}, "value.a"),
        ({"a": {1: "x"}}, "value.a"),
        ({"a": "half \ud800"}, "value.a"),
        ({"a": 10**5000}, "value"),
        (["a"], "value"),
        ("text", "value"),
    ],
)
def test_what_is_no_json_is_refused_by_its_place(store: JiyiStore, value: Any, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        store.put(NS, "k", value)
    with pytest.raises(InvalidInput, match=field):
        store.batch([PutOp(NS, "good", {"a": 1}), PutOp(NS, "k", value)])
    assert store.search(()) == []


def test_a_value_that_holds_itself_is_refused(store: JiyiStore) -> None:
    value: dict[str, Any] = {}
    value["self"] = value
    with pytest.raises(InvalidInput, match="deep"):
        store.put(NS, "k", value)


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), (1,), ("a\0b",)])
def test_names_that_langgraph_refuses_are_refused(store: JiyiStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"a": 1})


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), (1,)])
def test_they_are_refused_in_a_batch_too(store: JiyiStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(namespace, "k", {"a": 1})])


def test_what_is_no_operation_is_refused(store: JiyiStore) -> None:
    with pytest.raises(InvalidInput, match="ops"):
        store.batch(["get"])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="key"):
        store.batch([GetOp(NS, 7)])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="query"):
        store.batch([SearchOp(NS, query=7)])  # type: ignore[arg-type]
    for wrong in (SearchOp(NS, limit=-1), SearchOp(NS, offset=-1), ListNamespacesOp(limit=-1)):
        with pytest.raises(InvalidInput, match="limit|offset"):
            store.batch([wrong])
    with pytest.raises(InvalidInput, match="match_type"):
        store.put(NS, "k", {})
        store.batch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])  # type: ignore[arg-type]


# -- batches


def test_a_batch_reads_what_was_there_before_it(store: JiyiStore) -> None:
    store.put(NS, "old", {"v": 1})
    put, got, old, found, listed = store.batch(
        [
            PutOp(NS, "new", {"v": 2}),
            GetOp(NS, "new"),
            GetOp(NS, "old"),
            SearchOp(NS),
            ListNamespacesOp(),
        ]
    )
    assert (put, got) == (None, None)
    assert old.value == {"v": 1}  # type: ignore[union-attr]
    assert keys(found) == ["old"]  # type: ignore[arg-type]
    assert listed == [NS]
    assert sorted(keys(store.search(NS))) == ["new", "old"]


def test_of_several_puts_of_a_key_the_last_counts(store: JiyiStore) -> None:
    store.batch([PutOp(NS, "a", {"v": 1}), PutOp(NS, "a", {"v": 2}), PutOp(NS, "b", {"v": 1}), PutOp(NS, "b", None)])
    assert [item.value for item in store.search(NS)] == [{"v": 2}]


def test_many_at_once(store: JiyiStore) -> None:
    store.batch([PutOp(NS, f"k{i}", {"v": i}, index=False) for i in range(2500)])
    got = store.batch([GetOp(NS, f"k{i}") for i in range(2600)])
    assert [item and item.value["v"] for item in got] == [*range(2500), *[None] * 100]  # type: ignore[union-attr]
    assert len(store.search(NS, limit=3000)) == 2500


# -- search and filters


def test_without_a_question_what_was_written_last_comes_first(store: JiyiStore, clock: FakeClock) -> None:
    for key in "abcd":
        clock.advance(1)
        store.put(NS, key, {"v": key})
    clock.advance(1)
    store.put(NS, "b", {"v": "new"})
    assert keys(store.search(())) == ["b", "d", "c", "a"]
    assert keys(store.search((), limit=2, offset=1)) == ["d", "c"]
    assert store.search((), limit=0) == []


FILTERED = {
    "a": {"n": 1, "s": "2026-01-05", "tags": ["x", "y"], "deep": {"k": 1}},
    "b": {"n": 2.5, "s": "2026-02-05", "tags": ["x"], "deep": {"k": 2}},
    "c": {"n": "3", "s": "2026-03-05"},
    "d": {"s": None, "n": None},
}


@pytest.mark.parametrize(
    ("where", "meant"),
    [
        ({"n": 1}, "a"),
        ({"n": {"$eq": 2.5}}, "b"),
        ({"n": {"$ne": 1}}, "bcd"),
        ({"n": {"$gt": 1}}, "bc"),
        ({"n": {"$gte": 1, "$lt": 3}}, "ab"),
        ({"n": {"$lte": "2.5"}}, "ab"),
        ({"s": {"$gte": "2026-02"}}, "bc"),
        ({"tags": ["x", "y"]}, "a"),
        ({"tags": ["x"]}, "b"),
        ({"deep": {"k": 2}}, "b"),
        ({"deep": {"k": {"$lt": 2}}}, "a"),
        ({"missing": None}, "abcd"),
        ({"missing": {"$gt": 0}}, ""),
        ({"n": 1, "s": "2026-01-05"}, "a"),
        ({}, "abcd"),
    ],
)
def test_filters(store: JiyiStore, where: dict[str, Any], meant: str) -> None:
    store.batch([PutOp(NS, key, value) for key, value in FILTERED.items()])
    assert sorted(keys(store.search((), filter=where))) == list(meant)


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({"n": {"$in": [1]}}, "filter.n"),
        ({"n": {"$gt": 1, "x": 2}}, "filter.n"),
        ({"n": {"$gt": None}}, "filter.n"),
        ({"a": {"b": [{"$lt": [1]}]}}, r"filter.a.b\[0\]"),
        ({"$or": []}, "filter"),
        ({1: 2}, "filter"),
        (["n"], "filter"),
    ],
)
def test_bad_filters_say_what_is_wrong(store: JiyiStore, where: Any, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        store.search(NS, filter=where)


def test_questions_are_answered_in_both_languages(opened: Open) -> None:
    memory = opened(embedder="local")
    store = JiyiStore(memory, user_id="ada")
    store.put(NS, "nuts", {"text": "我对花生过敏，吃了会起疹子"})
    store.put(NS, "dog", {"text": "Biscuit is the name of her dog"})
    store.put(NS, "job", {"text": "She works as a nurse in a hospital"})
    memory.drain()
    for question, key in (("对什么食物过敏", "nuts"), ("what is the dog called", "dog"), ("her profession", "job")):
        best = store.search(("memories",), query=question)
        assert best[0].key == key
        assert len(best) == 3, "what is not sure is shown as well, at the end"
        scores = [item.score for item in best if item.score is not None]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_what_is_indexed(memory: Memory) -> None:
    store = JiyiStore(memory, user_id="ada", index=["title", "parts[*].text"])
    value = {"title": "Recipes", "secret": "zebra", "parts": [{"text": "noodles"}, {"text": "dumplings"}]}
    store.put(NS, "a", value)
    store.put(NS, "b", value, index=["secret"])
    store.put(NS, "c", value, index=False)

    def found(question: str) -> list[str]:
        return keys([item for item in store.search(NS, query=question) if item.score is not None])

    assert (found("dumplings"), found("zebra"), found("recipes")) == (["a"], ["b"], ["a"])
    assert sorted(keys(store.search(NS, query="dumplings"))) == ["a", "b", "c"]
    assert [hit.message.text for hit in memory.search("noodles", user_id="ada")] == ["Recipes\nnoodles\ndumplings"]


def test_a_whole_value_is_indexed_as_lines(memory: Memory, store: JiyiStore) -> None:
    store.put(NS, "a", {"food": "面条", "more": {"likes": True, "tags": ["spicy", "hot"], "none": None}})
    store.put(NS, "b", {"text": "only this"})
    texts = [message.text for message in memory.messages(user_id="ada")]
    assert texts == ["food: 面条\nlikes: true\ntags: spicy\ntags: hot", "only this"]


@pytest.mark.parametrize("index", [True, "text", {"dims": 3, "embed": "x"}, [1]])
def test_a_wrong_index_is_refused(memory: Memory, store: JiyiStore, index: Any) -> None:
    with pytest.raises(InvalidInput, match="index"):
        JiyiStore(memory, user_id="ada", index=index)
    with pytest.raises(InvalidInput, match="index"):
        store.put(NS, "k", {"text": "a"}, index=index)


def test_nothing_of_it_is_taken_for_the_users_words(memory: Memory, store: JiyiStore) -> None:
    memory.use_recipe("notes")
    store.put(NS, "a", {"text": "My name is Ada, I live in Berlin and my sister is Grace. Remember that!"})
    store.put(NS, "b", {"text": "我叫小李，我住在上海，我对花生过敏。请记住！"})
    memory.drain()
    assert memory.records(user_id="ada") == []


# -- namespaces


def test_namespaces(store: JiyiStore) -> None:
    for namespace in (("a", "b", "c"), ("a", "x", "c"), ("a", "b"), ("d", "b", "c", "e"), ("甲", "乙")):
        store.put(namespace, "k", {})
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(suffix=("b", "c")) == [("a", "b", "c")]
    assert store.list_namespaces(prefix=("a",), suffix=("b",)) == [("a", "b")]
    assert store.list_namespaces(max_depth=1) == [("a",), ("d",), ("甲",)]
    assert store.list_namespaces(limit=2, offset=1) == [("a", "b", "c"), ("a", "x", "c")]
    store.delete(("甲", "乙"), "k")
    assert store.list_namespaces(prefix=("甲",)) == []


# -- whose it is


def test_the_user_stands_in_the_namespace(memory: Memory) -> None:
    store = JiyiStore(memory, user_id=1)
    store.put(("memories", "ada"), "k", {"text": "tea"})
    store.put(("memories", "小李"), "k", {"text": "tea and coffee"})
    memory.remember("I like tea", user_id="bob")
    assert memory.users() == ["ada", "bob", "小李"]
    assert {item.namespace for item in store.search(("memories",))} == {("memories", "ada"), ("memories", "小李")}
    assert {item.namespace for item in store.search((), query="tea")} == {("memories", "ada"), ("memories", "小李")}
    assert store.list_namespaces(prefix=("memories",)) == [("memories", "ada"), ("memories", "小李")]
    assert keys(store.search(("memories", "ada"))) == ["k"]
    with pytest.raises(InvalidInput, match="namespace"):
        store.put(("memories",), "k", {})
    assert store.get(("memories",), "k") is None
    memory.forget(user_id="小李")
    assert store.get(("memories", "小李"), "k") is None
    assert store.get(("memories", "ada"), "k") is not None


def test_a_function_tells_the_user(memory: Memory) -> None:
    def whose(namespace: tuple[str, ...]) -> str | None:
        if namespace[0] == "shared":
            return "everybody"
        return namespace[1]

    store = JiyiStore(memory, user_id=whose)
    store.put(("shared", "rules"), "k", {"v": 1})
    store.put(("users", "ada"), "k", {"v": 2})
    assert memory.users() == ["ada", "everybody"]
    assert len(store.search(())) == 2
    assert keys(store.search(("shared",))) == ["k"]
    assert keys(store.search(("users",))) == ["k"]
    with pytest.raises(InvalidInput, match="namespace"):
        store.put(("users",), "k", {})


@pytest.mark.parametrize("user", ["", -1, True, None, 1.5])
def test_a_wrong_user_is_refused(memory: Memory, user: Any) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        JiyiStore(memory, user_id=user)


def test_it_takes_a_sync_memory_alone(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="memory"):
        JiyiStore(memory.inner, user_id="ada")  # type: ignore[arg-type]


# -- times to live


def test_an_item_ends_when_its_time_is_up(memory: Memory, store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "short", {"text": "tea"}, ttl=10)
    store.put(NS, "long", {"text": "tea"})
    clock.advance(10 * 60 - 1)
    assert keys(store.search(NS, refresh_ttl=False)) == ["long", "short"]
    assert store.get(NS, "short", refresh_ttl=False) is not None
    clock.advance(1)
    assert store.get(NS, "short", refresh_ttl=False) is None
    assert keys(store.search(NS)) == keys(store.search(NS, query="tea")) == ["long"]
    assert memory.stats("ada").statements == 2
    assert store.sweep_ttl() == 1
    assert memory.stats("ada").statements == 1
    assert store.sweep_ttl() == 0


def test_its_namespace_is_not_listed_any_more(store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "k", {}, ttl=1)
    clock.advance(61)
    assert store.list_namespaces() == []


def test_reading_gives_it_its_time_again(store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "k", {"v": 1}, ttl=10)
    for read in range(12):
        clock.advance(9 * 60)
        if read % 2:
            assert store.get(NS, "k") is not None
        else:
            assert keys(store.search(NS)) == ["k"]
    clock.advance(11 * 60)  # a tenth more is given
    assert store.get(NS, "k") is None


def test_it_never_ends_early_and_reading_often_seldom_writes(
    memory: Memory, store: JiyiStore, clock: FakeClock
) -> None:
    store.put(NS, "k", {"v": 1}, ttl=100)
    written = _newest(memory)
    for _ in range(50):
        clock.advance(60)
        store.get(NS, "k")
    assert _newest(memory) - written <= 6, "one a tenth of the time to live"
    assert memory.stats("ada").statements <= 3
    clock.advance(100 * 60 - 1)
    assert store.get(NS, "k", refresh_ttl=False) is not None
    item = store.get(NS, "k")
    assert item is not None
    assert item.updated_at < clock.now(), "reading is no update"


def test_writing_gives_it_its_time_again_and_may_take_it(store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "k", {"v": 1}, ttl=10)
    clock.advance(9 * 60)
    store.put(NS, "k", {"v": 2}, ttl=10)
    clock.advance(9 * 60)
    store.get(NS, "k")
    store.put(NS, "k", {"v": 3})
    clock.advance(9 * 60 * 60)
    assert store.get(NS, "k").value == {"v": 3}  # type: ignore[union-attr]


def test_one_that_ended_begins_anew(store: JiyiStore, clock: FakeClock) -> None:
    store.put(NS, "k", {"v": 1}, ttl=1)
    clock.advance(120)
    store.put(NS, "k", {"v": 2}, ttl=1)
    item = store.get(NS, "k")
    assert item is not None
    assert (item.value, item.created_at) == ({"v": 2}, clock.now())
    assert store.sweep_ttl() == 0


def test_times_by_default(memory: Memory, clock: FakeClock) -> None:
    store = JiyiStore(memory, user_id="ada", ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(NS, "a", {})
    store.put(NS, "b", {}, ttl=None)
    store.put(NS, "c", {}, ttl=20)
    clock.advance(9 * 60)
    assert store.get(NS, "a") is not None
    clock.advance(60)
    assert keys(store.search(NS)) == ["b", "c"]


def test_the_worker_sweeps(opened: Open, clock: FakeClock) -> None:
    memory = opened()
    store = JiyiStore(memory, user_id=0, ttl={"sweep_interval_minutes": 5})
    store.put(("ada",), "k", {"text": "gone"}, ttl=1)
    clock.advance(4 * 60)
    memory.remember("something", user_id="ada")
    memory.drain()
    assert memory.stats("ada").statements == 2
    clock.advance(60)
    memory.remember("something else", user_id="ada")
    swept = threading.Event()
    for _ in range(200):
        if memory.stats("ada").statements == 2:
            break
        swept.wait(0.02)
    assert memory.stats("ada").statements == 2


@pytest.mark.parametrize(
    "ttl", [5, {"default": 5}, {"default_ttl": -1}, {"default_ttl": "5"}, {"omit_expired": False}]
)  # fmt: skip
def test_wrong_times_are_refused(memory: Memory, ttl: Any) -> None:
    with pytest.raises(InvalidInput, match="ttl"):
        JiyiStore(memory, user_id="ada", ttl=ttl)


@pytest.mark.parametrize("ttl", [-1, True, "5", float("inf"), float("nan")])
def test_wrong_minutes_are_refused(store: JiyiStore, ttl: Any) -> None:
    with pytest.raises(InvalidInput, match="ttl"):
        store.put(NS, "k", {}, ttl=ttl)


# -- erasing


def test_what_is_overwritten_or_deleted_is_not_in_the_file(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "jiyi.db"
    memory = Memory.open(path, embedder=None, tokenizer="estimate", settings=Settings(), clock=clock)
    with closing(memory):
        store = JiyiStore(memory, user_id="ada")
        store.put(NS, "a", {"text": "quetzalcoatlus"})
        store.put(NS, "b", {"text": "archaeopteryx"})
        store.put(NS, "c", {"text": "ichthyosaurus"}, ttl=1)
        memory.drain()
        store.put(NS, "a", {"text": "another"})
        store.delete(NS, "b")
        clock.advance(61)
        store.sweep_ttl()
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for word in (b"quetzal", b"archaeo", b"ichthyo"):
        assert word not in held
    assert b"another" in held


def test_forgetting_the_user_takes_the_items_too(memory: Memory, store: JiyiStore) -> None:
    store.put(NS, "a", {"text": "tea"})
    memory.forget(user_id="ada")
    assert store.search(()) == []
    assert memory.users() == []


def test_secrets_are_taken_out_of_values_where_the_memory_redacts(opened: Open) -> None:
    memory = opened(redact=True)
    store = JiyiStore(memory, user_id="ada")
    for text in ("my password is hunter2secret", "again: my password is hunter2secret"):
        store.put(NS, "a", {"text": text, "login": {"password": "correct horse"}, "n": 3})
        item = store.get(NS, "a")
        assert item is not None
        assert item.value["n"] == 3
        kept = f"{item.value} {memory.messages(user_id='ada')}"
        assert "password" in kept
        assert "hunter2secret" not in kept
        assert "correct horse" not in kept


# -- several at once


def test_a_write_that_broke_off_is_mended_by_the_next(memory: Memory, store: JiyiStore, clock: FakeClock) -> None:
    """Two versions, as after a crash between writing the new one and erasing the old one."""
    store.put(NS, "k", {"v": 1})
    (old,) = memory.messages(user_id="ada")
    store.put(NS, "k", {"v": 2})
    _append(memory, old)  # the first version, with a higher place
    assert store.get(NS, "k").value == {"v": 1}  # type: ignore[union-attr]
    assert memory.stats("ada").statements == 2
    store.put(NS, "k", {"v": 3})
    assert store.get(NS, "k").value == {"v": 3}  # type: ignore[union-attr]
    assert memory.stats("ada").statements == 1


def test_who_erases_late_takes_nothing_new(memory: Memory, store: JiyiStore) -> None:
    """The id of an old version is in use again before it is erased."""
    store.put(NS, "k", {"v": 1})
    scope, ids = Scope("ada"), ids_of(name_of(NS, "k"))
    old = _newest(memory)
    store.put(NS, "k", {"v": 2})
    store.put(NS, "k", {"v": 3})  # under the first id
    run(memory.inner.erase(scope, ids, upto=old))
    assert store.get(NS, "k").value == {"v": 3}  # type: ignore[union-attr]


def test_threads_write_the_same_key(store: JiyiStore) -> None:
    def write(worker: int) -> None:
        for i in range(5):
            store.put(NS, "k", {"worker": worker, "i": i})
            store.put(NS, f"k{worker}", {"i": i})

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get(NS, "k").value["i"] == 4  # type: ignore[union-attr]
    assert sorted(keys(store.search(NS))) == ["k", "k0", "k1", "k2", "k3"]


def test_two_memories_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "jiyi.db"
    options: dict[str, Any] = {"embedder": None, "tokenizer": "estimate", "settings": Settings()}
    with closing(Memory.open(path, **options)) as one, closing(Memory.open(path, **options)) as two:
        stores = [JiyiStore(one, user_id="ada"), JiyiStore(two, user_id="ada")]
        failed: list[Exception] = []

        def write(store: JiyiStore, worker: int) -> None:
            try:
                for i in range(10):
                    store.put(NS, "k", {"worker": worker, "i": i})
                    assert store.get(NS, "k") is not None
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=pair) for pair in zip(stores, (0, 1), strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        values = [store.get(NS, "k").value for store in stores]  # type: ignore[union-attr]
        assert values[0] == values[1]
        assert values[0]["i"] == 9
        stores[0].put(NS, "k", {"last": 1})
        assert one.stats("ada").statements == 1


def test_who_never_gets_through_is_told(memory: Memory, store: JiyiStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async def taken(*_args: object, **_more: object) -> None:
        raise Conflict("taken")

    monkeypatch.setattr(memory.inner.store, "append", taken)
    with pytest.raises(Conflict, match="again"):
        store.put(NS, "k", {"v": 1})


# -- async


async def test_all_of_it_can_be_awaited(store: JiyiStore, clock: FakeClock) -> None:
    await asyncio.gather(*[store.aput(NS, f"k{i}", {"text": f"tea {i}"}, ttl=10) for i in range(5)])
    assert (await store.aget(NS, "k3")).value == {"text": "tea 3"}  # type: ignore[union-attr]
    assert keys(await store.asearch(NS, query="tea 3"))[0] == "k3"
    assert await store.alist_namespaces() == [NS]
    await store.adelete(NS, "k3")
    assert await store.aget(NS, "k3") is None
    assert store.get(NS, "k4") is not None, "sync, inside a running loop"
    clock.advance(timedelta(hours=1).total_seconds())
    assert await store.asweep_ttl() == 4
    with pytest.raises(InvalidInput):
        await store.aput(NS, "k", {"a": object()})


def _newest(memory: Memory) -> int:
    return max(run(memory.inner.store.seqs(Scope("ada"), Filter())), default=0)


def _append(memory: Memory, message: Message) -> None:
    run(memory.inner.store.append(Scope("ada"), "", [message]))

"""The same operations on LangGraph's own SQLite store and on ours have the same results.

(Its store in memory lists namespaces that were only asked about, or whose items are gone.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.sqlite import SqliteStore

from jiyi import Memory
from jiyi.config import Settings
from jiyi.integrations.langgraph import JiyiStore
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite")

PARTS = ["notes", "朋友", "v1"]
namespaces = st.lists(st.sampled_from(PARTS), max_size=2).map(lambda parts: ("users", "ada", *parts))
keys = st.sampled_from(["a", "b", "键"])
values = st.fixed_dictionaries(
    {"n": st.integers(-2, 2), "text": st.sampled_from(["tea", "绿茶", ""])},
    optional={
        "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2),
        "deep": st.fixed_dictionaries({"ok": st.booleans()}),
    },
)
filters = st.one_of(
    st.none(),
    st.fixed_dictionaries({"n": st.integers(-2, 2)}),
    st.fixed_dictionaries({"text": st.sampled_from(["tea", "绿茶"])}),
    st.tuples(st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), st.integers(-2, 2)).map(
        lambda found: {"n": dict([found])}
    ),
    st.fixed_dictionaries({"n": st.fixed_dictionaries({"$gte": st.integers(-2, 0), "$lt": st.integers(0, 3)})}),
)
paths = st.lists(st.sampled_from([*PARTS, "users", "ada", "*"]), min_size=1, max_size=3).map(tuple)
conditions = st.builds(MatchCondition, match_type=st.sampled_from(["prefix", "suffix"]), path=paths)
ops: st.SearchStrategy[Op] = st.one_of(
    st.builds(lambda *put: PutOp(*put), namespaces, keys, st.one_of(st.none(), values)),
    st.builds(lambda *put: PutOp(*put), namespaces, keys, values),
    st.builds(lambda *asked: GetOp(*asked), namespaces, keys),
    st.builds(
        lambda prefix, meant: SearchOp(prefix, meant, limit=100),
        st.sampled_from([(), ("users",), ("users", "ada"), ("users", "ada", "notes"), ("nobody",)]),
        filters,
    ),
    st.builds(
        lambda conditions, depth: ListNamespacesOp(conditions, max_depth=depth, limit=100),
        st.lists(conditions, max_size=2).map(tuple),
        st.one_of(st.none(), st.integers(1, 4)),
    ),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open("memory:", embedder=None, tokenizer="estimate", clock=FakeClock(), settings=Settings()) as opened:
        yield opened


@given(st.lists(st.lists(ops, min_size=1, max_size=4), min_size=1, max_size=8))
@settings(max_examples=80, deadline=None)
def test_random_batches(memory: Memory, batches: list[list[Op]]) -> None:
    ours = JiyiStore(memory, user_id=1)
    try:
        with SqliteStore.from_conn_string(":memory:") as reference:
            reference.setup()
            for batch in batches:
                assert [_plain(one) for one in ours.batch(batch)] == [_plain(one) for one in reference.batch(batch)]
    finally:
        memory.forget(user_id="ada")


def _plain(result: Any) -> Any:
    """What of a result does not depend on the clock, nor on the order in which items were written."""
    if isinstance(result, list):
        return sorted(map(repr, map(_plain, result)))
    return (result.namespace, result.key, result.value) if hasattr(result, "key") else result

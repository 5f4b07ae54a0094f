"""The same operations on LangGraph's own store in memory and on Jiyi's: equal results wherever the former is defined.

Not defined by it: the order of a search without a question (each of LangGraph's stores has its own), whether an empty
namespace is listed (it is, here, until the process ends), and comparisons of what cannot be compared (it raises).
``created_at`` is left out: it begins anew there with each put, and stays in LangGraph's PostgreSQL store and in ours.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from jiyi import Memory
from jiyi.config import Settings
from jiyi.integrations.langgraph import JiyiStore

pytestmark = pytest.mark.integration("langgraph", "langgraph-checkpoint")

LABELS = st.sampled_from(["a", "b", "ada", "小李", "*x", "a b"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "键", "", "k/1", "K", "a.b", "😀"])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(["x", "茶", "3", "", "2026-01-05"])
)
JSONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("pqr"), inner, max_size=3)),
    max_leaves=6,
)
VALUES = st.dictionaries(st.sampled_from(["n", "s", "deep", "list", "名"]), JSONS, max_size=4)
COMPARED = st.dictionaries(
    st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
    st.one_of(st.integers(-2, 2), st.floats(-2, 2), st.sampled_from(["1", "3"])),
    min_size=1,
    max_size=2,
)
FILTERS = st.dictionaries(
    st.sampled_from(["n", "s", "deep", "list", "missing"]),
    st.one_of(JSONS, COMPARED, st.dictionaries(st.sampled_from("pq"), st.one_of(LEAVES, COMPARED), max_size=2)),
    max_size=2,
)
PATTERNS = st.lists(st.one_of(LABELS, st.just("*")), max_size=3).map(tuple)
OPS: st.SearchStrategy[Op] = st.one_of(
    st.tuples(NAMESPACES, KEYS, VALUES, st.sampled_from([None, False, ["s", "list[*]"]])).map(lambda put: PutOp(*put)),
    st.tuples(NAMESPACES, KEYS, st.none()).map(lambda put: PutOp(*put)),
    st.tuples(NAMESPACES, KEYS).map(lambda get: GetOp(*get)),
    st.tuples(st.one_of(st.just(()), NAMESPACES), st.one_of(st.none(), FILTERS)).map(
        lambda search: SearchOp(*search, limit=1000)
    ),
    st.tuples(
        st.lists(st.tuples(st.sampled_from(["prefix", "suffix"]), PATTERNS), max_size=2),
        st.one_of(st.none(), st.integers(1, 3)),
        st.sampled_from([1, 2, 100]),
        st.sampled_from([0, 1]),
    ).map(lambda asked: ListNamespacesOp(tuple(MatchCondition(*one) for one in asked[0]), *asked[1:])),
)
USERS: list[Any] = ["ada", 0, lambda namespace: namespace[0][:1]]  # type: ignore[misc]


def told(result: Any) -> Any:
    """What both have to say the same of."""
    if isinstance(result, Item):
        return result.namespace, result.key, repr(result.value)  # 1 is not True here
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted(map(told, result))
    return result


def undefined(reference: InMemoryStore, op: Op) -> bool:
    """Whether the reference alone raises."""
    try:
        reference.batch([op])
    except (TypeError, ValueError):
        return True
    return False


@settings(max_examples=120, deadline=None)
@given(st.lists(st.lists(OPS, max_size=6), max_size=8), st.sampled_from(USERS), st.booleans())
def test_both_say_the_same(batches: list[list[Op]], user: Any, awaited: bool) -> None:
    reference = InMemoryStore()
    with closing(Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings())) as memory:
        store = JiyiStore(memory, user_id=user)
        for batch in batches:
            for namespace in [one for one, held in reference._data.items() if not held]:
                del reference._data[namespace]
            lists = [op for op in batch if isinstance(op, ListNamespacesOp)]  # first, because its reads make namespaces
            defined = [
                op for op in batch if op not in lists and not (isinstance(op, SearchOp) and undefined(reference, op))
            ]
            ops = [*lists, *defined]
            expected = list(map(told, reference.batch(ops)))
            got = asyncio.run(store.abatch(ops)) if awaited else store.batch(ops)
            assert list(map(told, got)) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NAMESPACES, KEYS, VALUES), max_size=12), st.integers(1, 4), st.one_of(st.none(), FILTERS))
def test_pages_hold_everything_once(items: list[Any], size: int, where: dict[str, Any] | None) -> None:
    with closing(Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings())) as memory:
        store = JiyiStore(memory, user_id=0)
        store.batch([PutOp(*item) for item in items])
        for question in (None, "茶 x"):
            whole = [told(item) for item in store.search((), query=question, filter=where, limit=100)]
            paged: list[Any] = []
            while page := store.search((), query=question, filter=where, limit=size, offset=len(paged)):
                paged += map(told, page)
            assert paged == whole

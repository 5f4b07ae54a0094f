"""What goes into the SQLite tables comes out again, whatever it is."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jiyi.stores import database, log, postings, rows, segments
from jiyi.stores.kept import Kept
from jiyi.stores.segments import STEP
from jiyi.stores.wording import Wording
from jiyi.text import terms
from jiyi.types import Indexed, Message, Probe, Scope

ODD = [
    "f#",
    "40%",
    "mb/s",
    "Ａ",
    "é",
    "e\u0301",
    "ß",
    "İ",
    "👩\u200d💻",
    '"',
    "'",
    "a b",
    "\0",
    "\n",
    "猫",
    "\\41;",
    "*",
]
TERMS = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=12) | st.sampled_from([*ODD, "x" * 900])
COUNTS = st.dictionaries(TERMS, st.integers(1, 5), max_size=25)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    made = database.prepare(Path(tmp_path_factory.mktemp("coding")) / "jiyi.db", 5)
    text = "Kauf Ähnliches für die Katze 猫が好き, f# at 40% mb/s\n"
    made.execute("BEGIN IMMEDIATE")
    for user in ("ada", "bob"):
        log.append(made, Scope(user), "s", [Message("1", "s", "user", text), Message("2", "s", "user", None)], "head")
    made.execute("COMMIT")
    yield made
    made.close()


@given(first=COUNTS, second=COUNTS, other=COUNTS)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_terms_come_out_as_they_went_in(
    db: sqlite3.Connection, first: dict[str, int], second: dict[str, int], other: dict[str, int]
) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        postings.put(db, 1, [Indexed(1, first), Indexed(2, second), Indexed(9, first)])
        postings.put(db, 2, [Indexed(1, other)])
        asked = [term for term in (*first, *second) if not term.endswith("*")]
        state = log.state(db, Scope("ada"))
        assert state is not None
        found = Wording(db, state, Kept(state), Probe(asked, postings=10), None, set()).lexical({1, 2})
        assert found.documents == 2
        for term in asked:
            mine = {seq: counts[term] for seq, counts in ((1, first), (2, second)) if term in counts}
            assert found.frequency[term] == len(mine)
            assert {seq: hit[1][term] for seq, hit in found.hits.items() if term in hit[1]} == mine
        whole = {seq: hit[0] for seq, hit in found.hits.items()}
        assert whole == {seq: sum(counts.values()) for seq, counts in ((1, first), (2, second)) if seq in whole}
        assert postings.remove(db, 1) == 2 and postings.remove(db, 2) == 1
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    assert db.execute("SELECT count(*) FROM posting").fetchone() == (0,)
    assert db.execute("SELECT sum(documents), sum(terms) FROM scope").fetchone() == (0, 0)


@given(st.lists(TERMS, unique=True, min_size=2, max_size=30))
def test_different_terms_have_different_codes_and_keep_their_beginnings(terms: list[str]) -> None:
    codes = [postings.encode(term) for term in terms]
    assert len(set(codes)) == len(terms)
    for term, code in zip(terms, codes, strict=True):
        if len(code) <= 200:
            assert code.startswith(postings.encode(term[:1]))
            assert code.isprintable() or not code.isascii()


@given(st.text(max_size=40) | st.binary(max_size=20).map(bytes.hex) | st.sampled_from(["AB", "ab ", "a b0", "0"]))
def test_ids_are_packed_without_loss(text: str) -> None:
    assert rows.unpack(rows.pack(text)) == text


@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=5, max_size=5), min_size=1, max_size=6))
def test_two_planes_hold_a_vector(vectors: list[list[float]]) -> None:
    for made in (segments.planes(vectors), segments._planes_plain(vectors)):  # pyright: ignore[reportPrivateUsage]
        scales, high, low = (
            list(part) for part in (made[0], memoryview(made[1]).cast("b"), memoryview(made[2]).cast("b"))
        )
        for at, vector in enumerate(vectors):
            for place, value in enumerate(vector):
                where = at * 5 + place
                again = (STEP * high[where] + low[where]) * scales[at] / STEP
                assert abs(again - value) <= scales[at] / 480 + 1e-9


HAN = st.text(
    st.sampled_from("猫喜欢鱼，。 a1\n㐀") | st.characters(min_codepoint=0x4E00, max_codepoint=0x4E10), max_size=60
)


@given(text=st.none() | HAN, more=COUNTS, own=st.booleans())
def test_what_is_kept_of_a_text_gives_its_terms_again(text: str | None, more: dict[str, int], own: bool) -> None:
    tokens = {postings.encode(term): count for term, count in ((terms(text or "") if own else {}) | more).items()}
    data = postings._keep(tokens, text)  # pyright: ignore[reportPrivateUsage]
    assert postings._kept(data, text) == tokens  # pyright: ignore[reportPrivateUsage]


def test_the_pairs_of_a_text_are_not_kept_twice() -> None:
    text = "你把我的猫的名字记下来了吗，它叫小雪"
    assert len(postings._keep(terms(text), text)) < 10  # pyright: ignore[reportPrivateUsage]


def test_what_the_first_versions_kept_is_still_removed(db: sqlite3.Connection) -> None:
    text = db.execute("SELECT content FROM message").fetchone()[0]
    tokens = {"kauf": 1, "ähnlich": 3, "猫が": 1, "40%": 2}
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, text.lower().encode())
    old = packer.compress("1:3,3:2\nkauf\nähnlich\n猫が\n40%".encode()) + packer.flush()
    db.execute("BEGIN IMMEDIATE")
    postings.put(db, 1, [Indexed(1, tokens)])
    db.execute("UPDATE indexed SET terms = ?", (old,))
    assert postings.remove(db, 1) == 1
    db.execute("COMMIT")
    assert db.execute("SELECT count(*) FROM posting").fetchone() == (0,)

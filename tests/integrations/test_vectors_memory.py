"""A whole memory whose vectors lie in a vector database: found there, erased there, mended there, nothing told there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jiyi import InvalidInput, Memory
from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.testing import FakeClock

pytestmark = pytest.mark.integration("langchain-chroma", "langchain-milvus", "langchain-qdrant")

Open = Callable[[], Memory]
TALK = [
    ("ada", "The boat to Samos leaves at nine in the morning."),
    ("ada", "我对花生过敏，做菜要注意"),
    ("bob", "The boat to Samos is full."),
]


@pytest.fixture(params=["chroma", "qdrant", "milvus"])
def open_(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same memory and the same database again."""
    place = str(tmp_path / ("vectors.db" if request.param == "milvus" else "vectors"))
    found: list[Memory] = []

    def open_it() -> Memory:
        for memory in found:
            memory.close()
        found[:] = [
            Memory.open(
                tmp_path / "jiyi.db",
                vectors=f"{request.param}:{place}",
                embedder=HashingEmbedder(),
                tokenizer="estimate",
                clock=FakeClock(),
                settings=Settings(),
            )
        ]
        return found[0]

    yield open_it
    for memory in found:
        memory.close()


def told(memory: Memory) -> None:
    for user, text in TALK:
        memory.session("s", user_id=user).add("user", text)
    memory.drain()


def test_it_is_found_filled_and_erased(open_: Open, tmp_path: Path) -> None:
    memory = open_()
    told(memory)
    for _ in range(2):
        found = memory.search("When does the boat to Samos leave?", user_id="ada", floor=0)
        assert found[0].text == TALK[0][1] and found[0].parts["dense"] > 0
        assert {hit.text for hit in found} <= {text for user, text in TALK if user == "ada"}
        assert memory.search("花生过敏", user_id="ada", floor=0)[0].text == TALK[1][1]
        memory = open_()  # it is all there when it is opened again
    assert memory.check_indexes().vectors == memory.check_indexes().leftovers == 0
    first = memory.messages(user_id="ada")[0]
    erased = memory.forget(user_id="ada", message_ids=[first.id])
    assert (erased.messages, erased.vectors) == (1, 2)  # its own there, and here that of the fact that was derived
    assert [hit.text for hit in memory.search("the boat to Samos", user_id="ada", floor=0)] == [TALK[1][1]]
    memory.forget(user_id="ada")
    assert memory.search("the boat to Samos", user_id="ada", floor=0) == []
    assert len(memory.search("the boat to Samos", user_id="bob", floor=0)) == 1
    assert memory.check_indexes().leftovers == 0


def test_no_text_and_no_name_reaches_it(open_: Open, tmp_path: Path) -> None:
    memory = open_()
    told(memory)
    memory.close()
    files = [file for file in tmp_path.rglob("*") if file.is_file() and not file.name.startswith("jiyi.db")]
    assert files
    for file in files:
        data = file.read_bytes()
        assert not any(words in data for words in (b"Samos", "花生".encode(), b"\x00ada\x00")), file


def test_what_is_missing_there_is_made_anew(open_: Open) -> None:
    memory = open_()
    told(memory)
    index = memory.inner.vectors
    assert index is not None
    from jiyi.waiting import run

    scope = memory.inner.scope("ada")
    space = run(memory.inner.store._space(scope))  # type: ignore[attr-defined]  # pyright: ignore
    run(index.drop(space, None))
    assert memory.check_indexes().vectors == 2
    assert memory.check_indexes().vectors == 0
    assert memory.search("boat to Samos", user_id="ada", floor=0)[0].parts["dense"] > 0


def test_a_pinecone_without_a_key_says_where_it_goes() -> None:
    with pytest.raises(InvalidInput, match="PINECONE_API_KEY"):
        Memory.open("memory:", vectors="pinecone:jiyi", embedder="hashing", settings=Settings())

"""Any LangChain vector store keeps Jiyi's vectors; here the one of langchain-core."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from jiyi.errors import InvalidInput, VectorsError, VectorsUnavailable
from jiyi.ports import VectorIndex
from jiyi.testing.vectors import MODEL, VectorIndexConformance, entries, ones, unit
from jiyi.vectors.langchain import LangChainVectors, VectorText
from jiyi.vectors.written import read, write

pytestmark = pytest.mark.integration("langchain-core")

SPACE = "0123456789abcdef0123456789abcdef"


class TestInMemory(VectorIndexConformance):
    durable = False
    sizes = False

    async def open(self, path: Path) -> VectorIndex:
        return LangChainVectors(InMemoryVectorStore(VectorText()))


class Careless(InMemoryVectorStore):
    """Pays no attention to filters, and reports its own scores."""

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, **kwargs: Any) -> list[Document]:
        found = super().similarity_search_by_vector(embedding, k=k)
        return [Document(page_content="a text of somebody else", metadata={"seq": 1}), *found]


class TestAStoreThatFiltersNothing(VectorIndexConformance):
    durable = False
    sizes = False
    many = 1500

    async def open(self, path: Path) -> VectorIndex:
        return LangChainVectors(Careless(VectorText()))


@pytest.mark.parametrize("seed", range(5))
def test_a_vector_is_read_as_it_was_written(seed: int) -> None:
    vector = unit(seed, 384)
    back = read(write(vector))
    assert back == pytest.approx(vector, abs=0.0003)
    assert math.fsum(a * b for a, b in zip(vector, back, strict=True)) == pytest.approx(1, abs=0.0005)


@pytest.mark.parametrize("text", ["dummy_text", "给小侄女的礼物", "", "f16:", "f16:AAA", "f16:礼物", "userdata"])
def test_other_texts_are_not_embedded_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidInput, match="embeds no texts") as failure:
        VectorText().embed_documents([text])
    assert not text or text not in str(failure.value)


def test_a_store_that_embeds_with_something_else_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"VectorText\(\)"):
        LangChainVectors(InMemoryVectorStore(DeterministicFakeEmbedding(size=8)))


async def test_what_lies_there_is_a_vector_and_numbers() -> None:
    store = InMemoryVectorStore(VectorText())
    index = LangChainVectors(store)
    await index.put(SPACE, "secret-model", entries({7: [unit(1), unit(2)]}))
    kept = list(store.store.values())
    assert len(kept) == 3
    assert {key for one in kept for key in one["metadata"]} == {"shelf", "seq", "chunk", "chunks", "shelves"}
    assert "secret-model" not in str(kept)
    await index.drop(SPACE, None)
    assert store.store == {}
    await index.close()


async def test_a_put_that_broke_off_leaves_nothing_that_cannot_be_dropped() -> None:
    class Breaking(InMemoryVectorStore):
        left = 0

        def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
            for document, id_ in zip(documents, ids or [], strict=True):
                self.left -= 1
                if self.left < 0:
                    raise ConnectionResetError("gone")
                super().add_documents([document], ids=[id_], **kwargs)
            return ids or []

    put = entries({seq: [unit(100 * seq + n) for n in range(3)] for seq in (1, 2)})
    for left in range(7):
        store = Breaking(VectorText())
        index = LangChainVectors(store)
        store.left = left
        with pytest.raises(VectorsUnavailable, match="try again"):
            await index.put(SPACE, MODEL, put)
        await index.drop(SPACE, None)
        assert store.store == {}
        await index.close()


async def test_a_closed_index_says_so() -> None:
    index = LangChainVectors(InMemoryVectorStore(VectorText()))
    await index.close()
    with pytest.raises(VectorsError, match="closed"):
        await index.put(SPACE, MODEL, ones([1]))
    with pytest.raises(VectorsError, match="closed"):
        await index.nearest(SPACE, MODEL, unit(1), limit=1)

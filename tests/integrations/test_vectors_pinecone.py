"""Pinecone's real client, and langchain-pinecone, against a stand-in of its data plane."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jiyi.errors import InvalidInput, VectorsError, VectorsUnavailable
from jiyi.ports import VectorIndex
from jiyi.testing.vectors import MODEL, SIZE, VectorIndexConformance, entries, ones, unit
from jiyi.vectors.pinecone import PineconeVectors
from tests.pinecone_server import KEY, METADATA, REQUEST, Index, pinecone_server

pytestmark = [
    pytest.mark.integration("pinecone", "langchain-pinecone"),
    pytest.mark.enable_socket,
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

SPACE = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def server() -> Iterator[Index]:
    with pinecone_server(SIZE) as index:
        yield index


class TestPinecone(VectorIndexConformance):
    sizes = False
    many = 1000

    @pytest.fixture(autouse=True)
    def serve(self, server: Index) -> None:
        self.server = server

    async def open(self, path: Path) -> VectorIndex:
        return PineconeVectors(self.server.url, key=KEY)


async def test_an_index_is_found_by_its_name(server: Index) -> None:
    index = PineconeVectors("memories", key=KEY, control=server.url)
    await index.put(SPACE, MODEL, ones([1]))
    assert await index.nearest(SPACE, MODEL, unit(1), limit=3) == pytest.approx({1: 1.0}, abs=0.002)
    await index.close()
    missing = PineconeVectors("elsewhere", key=KEY, control=server.url)
    with pytest.raises(VectorsError, match="no index 'elsewhere'"):
        await missing.put(SPACE, MODEL, ones([1]))
    await missing.close()


async def test_requests_of_large_vectors_stay_below_the_limits() -> None:
    with pinecone_server(3072) as server:
        index = PineconeVectors(server.url, key=KEY)
        await index.put(SPACE, MODEL, entries({seq: [unit(seq, 3072)] for seq in range(1, 101)}))
        found = await index.nearest(SPACE, MODEL, unit(5, 3072), limit=3)
        assert next(iter(found)) == 5
        sizes = [size for path, size in server.requests if path == "/vectors/upsert"]
        assert len(sizes) > 1 and max(sizes) < REQUEST
        longest = max(len(str(one["metadata"])) for one in server.spaces["jiyi"].values())
        assert longest < METADATA
        await index.close()


async def test_all_that_goes_there_is_numbers(server: Index) -> None:
    index = PineconeVectors(server.url, key=KEY)
    await index.put(SPACE, "openai:secret-model", entries({7: [unit(1), unit(2)]}))
    await index.nearest(SPACE, "openai:secret-model", unit(1), limit=3)
    await index.drop(SPACE, None)
    assert server.spaces["jiyi"] == {}
    assert "secret-model" not in "".join(server.bodies)
    await index.close()


@pytest.mark.parametrize("status", [429, 501])  # not 503, at which the client waits seconds
async def test_a_server_that_is_not_there_is_an_outage(server: Index, status: int) -> None:
    index = PineconeVectors(server.url, key=KEY)
    await index.put(SPACE, MODEL, ones([1]))
    server.failing = status
    with pytest.raises(VectorsUnavailable, match="try again") as failure:
        await index.nearest(SPACE, MODEL, unit(1), limit=1)
    assert isinstance(failure.value, OSError) and KEY not in str(failure.value)
    server.failing = 0
    assert set(await index.nearest(SPACE, MODEL, unit(1), limit=1)) == {1}
    await index.close()


async def test_a_wrong_key_is_named_and_not_shown(server: Index) -> None:
    index = PineconeVectors(server.url, key="pcsk_wrong")
    with pytest.raises(VectorsError, match="PINECONE_API_KEY") as failure:
        await index.put(SPACE, MODEL, ones([1]))
    assert "pcsk_wrong" not in str(failure.value)
    await index.close()
    with pytest.raises(InvalidInput, match="PINECONE_API_KEY"):
        PineconeVectors("memories")

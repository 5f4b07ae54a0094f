"""The suite for embedders, run on the adapter in front of a server that hashes words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from jiyi.embedders.openai import OpenAIEmbedder
from jiyi.endpoint import Limits
from jiyi.ports import Embedder
from jiyi.providers import resolve
from jiyi.testing import EmbedderConformance
from tests.model_server import embeddings, model_server

pytest.importorskip("openai")


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
class TestOpenAI(EmbedderConformance):
    semantic = False

    @pytest.fixture(autouse=True)
    async def _serve(self) -> AsyncIterator[None]:
        self.made: list[OpenAIEmbedder] = []
        async with model_server(embeddings) as server:
            self.url = server.url
            yield
            for embedder in self.made:
                await embedder.close()

    def embedder(self) -> Embedder:
        self.made.append(OpenAIEmbedder(resolve(f"openai:small@{self.url}"), limits=Limits(first=10)))
        return self.made[-1]

"""The embedder over sentence-transformers, with a stand-in for the package: PyTorch is too much for every test run."""

import asyncio
import re
import sys
import threading
import types
from importlib.machinery import ModuleSpec

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.embedders.hashing import HashingEmbedder
from jiyi.embedders.sentence_transformers import SentenceTransformersEmbedder
from jiyi.errors import InvalidInput, MissingDependency, ModelRejected
from jiyi.opening import open_embedder
from jiyi.testing import EmbedderConformance


class FakeTokenizer:
    """Runs of letters, and every other character by itself; two marks of its own around them."""

    is_fast = True

    def __call__(self, text, *, add_special_tokens=True, return_offsets_mapping=False, truncation=True):
        text.encode()  # as the real ones, it takes no half characters
        places = [found.span() for found in re.finditer(r"[a-z]+|\S", text, re.IGNORECASE)]
        return {"input_ids": [0] * (len(places) + 2 * add_special_tokens), "offset_mapping": places}


class FakeModel:
    """As much of a SentenceTransformer as is used."""

    made: list["FakeModel"]
    own_prompts: dict[str, str]
    takes = 40

    def __init__(self, name, *, device=None, local_files_only=False):
        if name == "nobody/nothing":
            raise OSError("We couldn't connect, and couldn't find it in the cached files.")
        self.name, self.device, self.local_files_only = name, device, local_files_only
        self.prompts, self.max_seq_length, self.tokenizer = self.own_prompts, self.takes, FakeTokenizer()
        self.calls, self.threads = [], set()
        self.made.append(self)

    def get_embedding_dimension(self):
        return 256

    def encode(self, texts, *, prompt, batch_size, normalize_embeddings, convert_to_numpy, show_progress_bar):
        assert normalize_embeddings and convert_to_numpy and not show_progress_bar
        self.calls.append((list(texts), prompt))
        self.threads.add(threading.get_ident())
        hashing = HashingEmbedder()
        return asyncio.run(hashing.embed(texts))


@pytest.fixture(autouse=True)
def model(monkeypatch):
    module = types.ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    module.SentenceTransformer = type("SentenceTransformer", (FakeModel,), {"made": [], "own_prompts": {}})
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return module.SentenceTransformer


class TestConformance(EmbedderConformance):
    semantic = False

    @pytest.fixture(autouse=True)
    def _takes_as_much_as_small_models(self, monkeypatch):
        monkeypatch.setattr(FakeModel, "takes", 128)

    def embedder(self):
        return SentenceTransformersEmbedder("a/model")


async def test_a_setting_opens_it_and_nothing_is_loaded_or_fetched(model):
    embedder = open_embedder("sentence_transformers:a/model", Settings())
    assert isinstance(embedder, SentenceTransformersEmbedder) and embedder.name == "sentence_transformers:a/model"
    assert not model.made and embedder.size == 0
    await embedder.embed(["ok"])
    assert embedder.size == 256
    assert model.made[0].name == "a/model" and model.made[0].local_files_only
    with pytest.raises(InvalidInput, match="needs a model behind a colon"):
        open_embedder("sentence_transformers", Settings())


async def test_it_is_loaded_once_in_a_thread_and_takes_batches(model):
    embedder = SentenceTransformersEmbedder("a/model", download=True, device="cpu")
    assert len(await embedder.embed([f"text {number}" for number in range(40)])) == 40
    await embedder.embed_query("where?")
    (made,) = model.made
    assert [len(texts) for texts, _ in made.calls] == [16, 16, 8, 1]
    assert threading.get_ident() not in made.threads and len(made.threads) == 1
    assert made.device == "cpu" and not made.local_files_only


@pytest.mark.parametrize(
    ("name", "own", "query", "passage"),
    [
        ("a/model", {}, "", ""),
        ("a/model", {"query": "Question: ", "document": "", "passage": "Text: "}, "Question: ", "Text: "),
        ("a/model", {"query": "Q: ", "document": "D: "}, "Q: ", "D: "),
        ("BAAI/bge-small-zh-v1.5", {"query": "为这个句子生成表示：", "document": ""}, "为这个句子生成表示：", ""),
        ("intfloat/multilingual-e5-small", {"query": "", "document": ""}, "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", {}, "", ""),
    ],
)
async def test_questions_and_passages_are_told_apart_as_the_model_wants(model, name, own, query, passage):
    model.own_prompts = own
    embedder = SentenceTransformersEmbedder(name)
    await embedder.embed(["a"])
    await embedder.embed_query("b")
    assert model.made[0].calls == [(["a"], passage), (["b"], query)]


async def test_prompts_of_ones_own_have_a_name_of_their_own(model):
    embedder = SentenceTransformersEmbedder("a/model", query_prompt="ask: ", passage_prompt="")
    other = SentenceTransformersEmbedder("a/model", query_prompt="ask: ")
    assert len({embedder.name, other.name, "sentence_transformers:a/model"}) == 3
    await embedder.embed_query("b")
    assert model.made[0].calls == [(["b"], "ask: ")]


@pytest.mark.parametrize("text", ["The parcel is in Rotterdam, said Ann. " * 40, "第一个包裹今天在鹿特丹。" * 40])
def test_pieces_fit_into_the_model_with_its_prompt(model, text):
    model.own_prompts = {"document": "search document: "}
    embedder = SentenceTransformersEmbedder("a/model")
    pieces = embedder.split(text)
    assert "".join(pieces) == text
    counts = [len(FakeTokenizer()("search document: " + piece)["input_ids"]) for piece in pieces]
    assert max(counts) <= 40 and min(counts[:-1]) > 18


def test_of_a_very_long_text_the_beginning_and_the_end_are_kept():
    text = "".join(f"word{number} is here. " for number in range(5000))
    pieces = SentenceTransformersEmbedder("a/model").split(text)
    assert len(pieces) == 32 and text.startswith(pieces[0]) and text.endswith(pieces[-1])
    assert len(FakeTokenizer()(pieces[-1])["input_ids"]) <= 40


def test_without_places_characters_are_counted(monkeypatch):
    monkeypatch.setattr(FakeTokenizer, "is_fast", False)
    text = "The parcel is in Rotterdam. " * 10
    pieces = SentenceTransformersEmbedder("a/model").split(text)
    assert "".join(pieces) == text and max(map(len, pieces)) <= 38


async def test_a_model_that_is_not_there_is_told_with_what_to_do():
    embedder = SentenceTransformersEmbedder("nobody/nothing")
    with pytest.raises(ModelRejected, match=r"finds no model .*hf download nobody/nothing.*download=True"):
        await embedder.embed_query("where?")
    assert embedder.size == 0


def test_without_the_package(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"jiyi\[sentence-transformers\]"):
        SentenceTransformersEmbedder("a/model")


async def test_a_memory_uses_it_and_closes_it(model):
    options = {"embedder": "sentence_transformers:a/model", "settings": Settings()}
    async with await AsyncMemory.open("memory:", **options) as memory:
        await memory.session("s", user_id="ada").add("user", "The parcel is in Rotterdam. " * 30)
        await memory.drain()
        assert await memory.store.models() == {"sentence_transformers:a/model": (256, (await memory.stats()).vectors)}
        assert (await memory.stats()).vectors > 3
        assert (await memory.search("Where is the parcel?", user_id="ada"))[0].parts["dense"]
        embedder = memory.searcher.embedder
    await embedder.close()
    with pytest.raises(RuntimeError):
        await embedder.embed(["ok"])

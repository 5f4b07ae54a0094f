"""The systems, each used as its documentation says, with vectors that were made before.

Packages are imported when a system is opened: a measuring process loads only its own.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from corpus import Corpus, Item

STOP_WORDS = (
    "a an and are as at be but by did do does for from had has have he her his how i if in is it its me my no not of "
    "on or our s she so t that the their them then there they this to was we were what when where which who why will "
    "with you your"
)


class System(Protocol):
    """What is measured."""

    def add(self, item: Item) -> None:
        """Stores one message, as a chat does."""
        ...

    def add_many(self, items: Sequence[Item]) -> None:
        """Stores many, with the call that there is for it."""
        ...

    def settle(self) -> None:
        """Returns once everything can be found."""
        ...

    def search(self, user: str, question: str, k: int) -> list[str]:
        """Keys of the user's messages, best first."""
        ...

    def close(self) -> None: ...


class Jiyi:
    """``chat.add``, ``memory.search``.  With vectors and full text, or with full text alone."""

    def __init__(self, folder: Path, corpus: Corpus, *, dense: bool = True, floor: float | None = 0) -> None:
        from jiyi import Memory
        from jiyi.embedders import pieces

        class Given:
            """The vectors at hand; long texts are cut as the bundled embedder cuts them."""

            name, size = "given", 384

            async def embed(self, texts: Sequence[str]) -> list[np.ndarray]:
                return [corpus.passages[text] for text in texts]

            async def embed_query(self, text: str) -> np.ndarray:
                return corpus.asked[text]

            def split(self, text: str) -> Sequence[str]:
                return pieces.split(text)

        self._memory = Memory.open(folder / "jiyi.db", embedder=Given() if dense else None, tokenizer="estimate")
        self._floor = floor
        self._chats: dict[tuple[str, str], Any] = {}

    def _chat(self, item: Item) -> Any:
        place = (item.user, item.session)
        if place not in self._chats:
            self._chats[place] = self._memory.session(item.session, user_id=item.user)
        return self._chats[place]

    @staticmethod
    def _details(item: Item) -> dict[str, Any]:
        at = datetime.fromisoformat(item.at) if item.at else None
        return {"message_id": item.key, "name": item.name, "created_at": at}

    def add(self, item: Item) -> None:
        self._chat(item).add(item.role, item.text, **self._details(item))

    def add_many(self, items: Sequence[Item]) -> None:
        sessions: dict[int, tuple[Any, list[dict[str, Any]]]] = {}
        for item in items:
            chat = self._chat(item)
            message = {"role": item.role, "content": item.text, **self._details(item)}
            sessions.setdefault(id(chat), (chat, []))[1].append(message)
        for chat, messages in sessions.values():
            chat.add_many(messages)

    def settle(self) -> None:
        self._memory.drain()

    def search(self, user: str, question: str, k: int) -> list[str]:
        return [hit.message.id for hit in self._memory.search(question, user_id=user, k=k, floor=self._floor)]

    def close(self) -> None:
        self._memory.close()


def langchain_embeddings(corpus: Corpus, *, by_text: bool = False) -> Any:
    """The vectors at hand as LangChain's ``Embeddings``.

    Args:
        corpus: has the vectors.
        by_text: Mem0 embeds what it stores with ``embed_query`` too.  The model wants passages and questions
            told apart, so what is known as a passage gets its passage's vector.
    """
    from langchain_core.embeddings import Embeddings

    class Given(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [corpus.passages[text].tolist() for text in texts]

        def embed_query(self, text: str) -> list[float]:
            passage = corpus.passages.get(text) if by_text else None
            return (corpus.asked[text] if passage is None else passage).tolist()

    return Given()


class Chroma:
    """LangChain's ``Chroma`` on disk: ``add_texts``, ``similarity_search_with_score`` with a filter by user."""

    def __init__(self, folder: Path, corpus: Corpus, *, told: bool = False) -> None:
        from langchain_chroma import Chroma as Collection

        self._told = told
        self._collection = Collection(
            collection_name="memory",
            embedding_function=langchain_embeddings(corpus),
            persist_directory=str(folder / "chroma"),
        )

    def add(self, item: Item) -> None:
        self.add_many([item])

    def add_many(self, items: Sequence[Item]) -> None:
        self._collection.add_texts(
            [item.told if self._told else item.text for item in items],
            metadatas=[_metadata(item) | {"user": item.user} for item in items],
            ids=[item.key for item in items],
        )

    def settle(self) -> None:
        pass

    def search(self, user: str, question: str, k: int) -> list[str]:
        found = self._collection.similarity_search_with_score(question, k=k, filter={"user": user})
        return [document.id for document, _ in found]

    def close(self) -> None:
        pass  # it has nothing to close


class Mem0:
    """``Memory.add(..., infer=False)``, ``Memory.search``; vectors in its default store, Qdrant on disk.

    Args:
        folder: where everything lies.
        corpus: has the vectors.
        told: date and speaker stand in the texts.
        bm25: with the keyword channel of its optional package fastembed.
    """

    def __init__(self, folder: Path, corpus: Corpus, *, told: bool = False, bm25: bool = False) -> None:
        from mem0 import Memory

        vectors = {"collection_name": "memory", "path": str(folder / "qdrant"), "embedding_model_dims": 384}
        self._told = told
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": vectors},
                "embedder": {"provider": "langchain", "config": {"model": langchain_embeddings(corpus, by_text=True)}},
                "llm": {"provider": "openai", "config": {"api_key": "never used"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        # what Mem0 looks up itself: False where fastembed is not installed, else a model that is downloaded
        self._memory.vector_store._bm25_encoder = _bm25(folder) if bm25 else False

    def _message(self, item: Item) -> dict[str, str]:
        name = {"name": item.name} if item.name else {}
        return {"role": item.role, "content": item.told if self._told else item.text, **name}

    def add(self, item: Item) -> None:
        self._memory.add([self._message(item)], user_id=item.user, metadata=_metadata(item), infer=False)

    def add_many(self, items: Sequence[Item]) -> None:
        # One call takes several messages, but only one metadata for all of them: the key would be lost.
        for item in items:
            self.add(item)

    def settle(self) -> None:
        pass

    def search(self, user: str, question: str, k: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=k, threshold=0)
        return [memory["metadata"]["key"] for memory in found["results"]]

    def close(self) -> None:
        self._memory.close()
        client = getattr(self._memory.vector_store, "client", None)
        if hasattr(client, "close"):
            client.close()


def _bm25(folder: Path) -> Any:
    """The model that Mem0 takes for keywords, with a stop list of our own."""
    from fastembed.sparse.bm25 import Bm25

    return Bm25("Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOP_WORDS.split()))


def _metadata(item: Item) -> dict[str, Any]:
    return {"key": item.key, "session": item.session} | ({"at": item.at} if item.at else {})


class Plain:
    """A yardstick: SQLite with FTS5, and NumPy over the user's vectors; both rankings joined by reciprocal ranks."""

    def __init__(self, folder: Path, corpus: Corpus, *, told: bool = False) -> None:
        self._corpus, self._told = corpus, told
        self._matrices: dict[str, tuple[list[int], np.ndarray]] = {}
        self._db = sqlite3.connect(folder / "plain.db", isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE IF NOT EXISTS messages"
            "(id INTEGER PRIMARY KEY, key TEXT, user TEXT, role TEXT, at TEXT, text TEXT, vector BLOB);"
            "CREATE INDEX IF NOT EXISTS by_user ON messages(user);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, user UNINDEXED, tokenize = 'porter')"
        )

    def add(self, item: Item) -> None:
        self.add_many([item])

    def add_many(self, items: Sequence[Item]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        for item in items:
            text = item.told if self._told else item.text
            vector = self._corpus.passages[text].tobytes()
            row = (item.key, item.user, item.role, item.at, text, vector)
            made = self._db.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?)", row)
            self._db.execute(
                "INSERT INTO words(rowid, text, user) VALUES (?, ?, ?)", (made.lastrowid, apart(text), item.user)
            )
            self._matrices.pop(item.user, None)
        self._db.execute("COMMIT")

    def settle(self) -> None:
        pass

    def search(self, user: str, question: str, k: int) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", apart(question))))
        lexical = [
            row[0]
            for row in self._db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? AND user = ? ORDER BY rank LIMIT 50", (match, user)
            )
        ]
        ids, matrix = self._matrix(user)
        nearness = matrix @ self._corpus.asked[question]
        dense = [ids[place] for place in np.argsort(-nearness)[:50]]
        score: dict[int, float] = {}
        for ranking in (lexical, dense):
            for place, row_id in enumerate(ranking):
                score[row_id] = score.get(row_id, 0) + 1 / (60 + place)
        best = sorted(score, key=lambda row_id: -score[row_id])[:k]
        rows = self._db.execute(f"SELECT id, key, text FROM messages WHERE id IN ({','.join(map(str, best))})")
        keys = {row_id: key for row_id, key, _ in rows}
        return [keys[row_id] for row_id in best]

    def _matrix(self, user: str) -> tuple[list[int], np.ndarray]:
        if user not in self._matrices:
            rows = self._db.execute("SELECT id, vector FROM messages WHERE user = ?", (user,)).fetchall()
            matrix = np.frombuffer(b"".join(vector for _, vector in rows), np.float32).reshape(len(rows), -1)
            self._matrices[user] = ([row_id for row_id, _ in rows], matrix)
        return self._matrices[user]

    def close(self) -> None:
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()


def apart(text: str) -> str:
    """Spaces around each Han character: FTS5 knows no Chinese words."""
    return re.sub(r"([\u3400-\u9fff])", r" \1 ", text)


def jiyi_full_text(folder: Path, corpus: Corpus) -> System:
    return Jiyi(folder, corpus, dense=False)


def jiyi_default_floor(folder: Path, corpus: Corpus) -> System:
    return Jiyi(folder, corpus, floor=None)


def mem0_bm25(folder: Path, corpus: Corpus) -> System:
    return Mem0(folder, corpus, bm25=True)


SYSTEMS: Mapping[str, Callable[[Path, Corpus], System]] = {
    "jiyi": Jiyi,
    "jiyi-text": jiyi_full_text,
    "chroma": Chroma,
    "mem0": Mem0,
    "mem0-bm25": mem0_bm25,
    "plain": Plain,
}
"""Those whose speed is measured."""

VARIANTS: Mapping[str, Callable[[Path, Corpus], System]] = {
    "jiyi, its default floor": jiyi_default_floor,
    "chroma, date and speaker added": lambda folder, corpus: Chroma(folder, corpus, told=True),
    "mem0, date and speaker added": lambda folder, corpus: Mem0(folder, corpus, told=True),
    "mem0-bm25, date and speaker added": lambda folder, corpus: Mem0(folder, corpus, told=True, bm25=True),
    "plain, date and speaker added": lambda folder, corpus: Plain(folder, corpus, told=True),
}
"""Those of whom only recall is measured as well."""

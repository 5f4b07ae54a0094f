"""Checkpoints: names for places on a session's paths, which nothing but an erasure moves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jiyi.errors import Conflict, NotFound
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, EVERYTHING, StoreCase, at, statement
from jiyi.testing.store.hostile import JSON_VALUES
from jiyi.types import Checkpoint, Erased, Filter, Scope, Stats

ODD_NAMES = ["cp", "CP", " cp", "cp ", "cp%", "%", "_", "*", "cp'", '"', "; DROP TABLE checkpoint; --", "null", "head",
             "0", "00", "\u65b9\u6848\u4e00", "\uff43\uff50", "cp\u0301", "\U0001f4be", "auto:00000001", "../cp", "a/b",
             "x" * 512]  # fmt: skip


def place(name: str, message_id: str | None = None, /, *, session: str = "s", when: float = 50, **more: Any
          ) -> Checkpoint:  # fmt: skip
    """A checkpoint as the engine hands it over."""
    return Checkpoint(name, session, message_id, created_at=at(when), **more)


class Checkpoints(StoreCase):
    """``put_checkpoint``, ``checkpoints``, ``delete_checkpoints``; what an erasure does to them; the way back."""

    async def _all(self, store: Store, session: str = "s", scope: Scope = ADA) -> dict[str, tuple[str | None, int]]:
        return {c.name: (c.message_id, c.messages) for c in await store.checkpoints(scope, session)}

    async def test_a_checkpoint_comes_back_as_it_was_saved(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        given = place("方案一", "b", state={"step": 3, "待办": ["x", None]}, automatic=True, messages=99)
        put = await store.put_checkpoint(ADA, given)
        assert put == replace(given, messages=2)
        assert await store.checkpoints(ADA, "s") == [put] == await store.checkpoints(ADA, "s", "方案一")
        assert await store.checkpoints(ADA, "s", "方案") == []
        assert (await store.stats(ADA)).checkpoints == (await store.stats()).checkpoints == 1

    async def test_what_the_caller_changes_later_is_not_stored(self, store: Store) -> None:
        await self.add(store, "a")
        state: dict[str, Any] = {"list": [1]}
        await store.put_checkpoint(ADA, place("cp", "a", state=state))
        state["list"].append(2)
        assert (await store.checkpoints(ADA, "s"))[0].state == {"list": [1]}

    @pytest.mark.parametrize("state", JSON_VALUES, ids=range(len(JSON_VALUES)))
    async def test_any_state_comes_back(self, store: Store, state: dict[str, Any]) -> None:
        await store.put_checkpoint(ADA, place("cp", state=state))
        assert (await store.checkpoints(ADA, "s"))[0].state == state

    async def test_oldest_first_ties_by_name(self, store: Store) -> None:
        for name, when in (("b", 2), ("\uff01", 1), ("a", 2), ("A", 2), ("\U0001f4be", 1), ("z", 0)):
            await store.put_checkpoint(ADA, place(name, when=when))
        assert list(await self._all(store)) == ["z", "\uff01", "\U0001f4be", "A", "a", "b"]

    async def test_a_name_is_taken_once(self, store: Store) -> None:
        await self.add(store, "a", "b")
        first = await store.put_checkpoint(ADA, place("cp", "a", state={"n": 1}))
        with pytest.raises(Conflict, match="cp"):
            await store.put_checkpoint(ADA, place("cp", "b", when=60))
        assert await store.checkpoints(ADA, "s") == [first]
        moved = await store.put_checkpoint(ADA, place("cp", "b", when=60), overwrite=True)
        assert await store.checkpoints(ADA, "s") == [moved]
        assert (moved.message_id, moved.messages, moved.state, moved.created_at) == ("b", 2, {}, at(60))

    async def test_overwriting_what_is_not_there_saves_it(self, store: Store) -> None:
        await store.put_checkpoint(ADA, place("cp"), overwrite=True)
        assert await self._all(store) == {"cp": (None, 0)}

    async def test_names_that_look_alike_are_not_one(self, store: Store) -> None:
        await self.add(store, "a")
        for number, name in enumerate(ODD_NAMES):
            await store.put_checkpoint(ADA, place(name, "a", state={"n": number}))
        for number, name in enumerate(ODD_NAMES):
            assert [c.state["n"] for c in await store.checkpoints(ADA, "s", name)] == [number]
        assert await store.delete_checkpoints(ADA, "s", ODD_NAMES[::2]) == len(ODD_NAMES[::2])
        assert set(await self._all(store)) == set(ODD_NAMES[1::2])

    # -- sessions

    async def test_before_anything_is_said(self, store: Store) -> None:
        put = await store.put_checkpoint(ADA, place("start"))
        assert (put.message_id, put.messages) == (None, 0)
        (session,) = await store.sessions(ADA)
        assert (session.id, session.head_id, session.messages) == ("s", None, 0)
        assert (session.created_at, session.updated_at) == (at(50), at(50))
        assert await store.scopes() == [ADA]
        await self.add(store, "a", "b")
        assert await self._all(store) == {"start": (None, 0)}

    async def test_the_session_stays_as_it_is(self, store: Store) -> None:
        await self.add(store, "a", "b", when=1)
        before = await store.sessions(ADA), await store.messages(ADA, EVERYTHING)
        await store.put_checkpoint(ADA, place("cp", "a"))
        await store.put_checkpoint(ADA, place("start"))
        await store.delete_checkpoints(ADA, "s", ["cp"])
        assert (await store.sessions(ADA), await store.messages(ADA, EVERYTHING)) == before

    @pytest.mark.parametrize("where", ["missing", "", "A", "in-other", "fact", "bobs"])
    async def test_a_message_that_is_not_in_the_session_is_an_error(self, store: Store, where: str) -> None:
        await self.add(store, "a")
        await self.add(store, "in-other", session="other")
        await self.add(store, "bobs", scope=BOB)
        await store.append(ADA, "", [statement("fact")])
        before = await store.sessions(ADA), await store.scopes()
        for session, scope in (("s", ADA), ("new", ADA), ("s", Scope("new"))):
            with pytest.raises(NotFound):
                await store.put_checkpoint(scope, place("cp", where, session=session), overwrite=True)
            assert await store.checkpoints(scope, session) == []
        assert (await store.sessions(ADA), await store.scopes()) == before

    async def test_each_session_and_user_has_its_own_names(self, store: Store) -> None:
        for number, (scope, session) in enumerate(((ADA, "s"), (ADA, "S"), (BOB, "s"), (Scope("ada", "other"), "s"))):
            await self.add(store, "a" if session == "s" else "b", session=session, scope=scope)
            await store.put_checkpoint(scope, place("cp", session=session, state={"n": number}))
        assert [c.state["n"] for c in await store.checkpoints(ADA, "s")] == [0]
        assert [c.state["n"] for c in await store.checkpoints(BOB, "s")] == [2]
        assert await store.delete_checkpoints(BOB, "S", ["cp"]) == 0
        assert await store.delete_checkpoints(ADA, "s", ["cp"]) == 1
        assert [await self._all(store, *at) for at in (("S", ADA), ("s", BOB))] == [{"cp": (None, 0)}] * 2
        assert (await store.stats(ADA)).checkpoints == 1
        assert (await store.stats()).checkpoints == 3

    async def test_what_is_not_there(self, store: Store) -> None:
        assert await store.checkpoints(ADA, "s") == []
        assert await store.delete_checkpoints(ADA, "s", ["cp"]) == 0
        await self.add(store, "a")
        assert await store.checkpoints(ADA, "s", "cp") == []
        assert (
            await store.delete_checkpoints(ADA, "s", ["cp", "a"]) == await store.delete_checkpoints(ADA, "s", []) == 0
        )
        assert await self.path(store) == ["a"]

    # -- branches

    async def test_it_stays_where_it_is_when_the_path_goes_elsewhere(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await store.put_checkpoint(ADA, place("cp", "b"))
        await self.add(store, "x", after="a")
        await self.add(store, "d", after="c")
        await self.add(store, "y", after=None)
        assert await self._all(store) == {"cp": ("b", 2)}
        await store.update_session(ADA, "s", at=at(60), head="b")
        assert await self.path(store) == ["a", "b"]

    async def test_on_a_branch_that_was_left(self, store: Store) -> None:
        await self.add(store, "a", "b", "c")
        await self.add(store, "x", after=None)
        assert (await store.put_checkpoint(ADA, place("left", "c"))).messages == 3

    async def test_going_back_to_the_very_beginning(self, store: Store) -> None:
        await self.add(store, "a", "b")
        session = await store.update_session(ADA, "s", at=at(60), head="")
        assert (session.head_id, session.messages, session.updated_at) == (None, 0, at(60))
        assert await self.path(store) == []
        left = await store.messages(ADA, Filter(session_id="s", active=False))
        assert [m.id for m in left] == ["a", "b"]
        (x,) = await self.add(store, "x")
        assert (x.position, x.parent_id, x.active) == (1, None, True)
        await store.update_session(ADA, "s", at=at(61), head="b")
        assert await self.path(store) == ["a", "b"]

    # -- erasure

    async def test_when_its_message_is_erased_it_moves_to_the_one_before(self, store: Store) -> None:
        await self.add(store, *"abcde")
        await self.add(store, "x", after="b")
        for name, head in (("one", "a"), ("two", "c"), ("three", "e"), ("side", "x")):
            await store.put_checkpoint(ADA, place(name, head))
        assert await store.forget(ADA, message_ids=["b", "c", "x"]) == Erased(messages=3)
        expected = {"one": ("a", 1), "two": ("a", 1), "three": ("e", 3), "side": ("a", 1)}
        assert await self._all(store) == dict(sorted(expected.items()))
        await store.forget(ADA, message_ids=["a"])
        assert await self._all(store) == {"one": (None, 0), "side": (None, 0), "three": ("e", 2), "two": (None, 0)}
        await store.forget(ADA, message_ids=["d", "e"])
        assert set((await self._all(store)).values()) == {(None, 0)}

    async def test_a_session_takes_its_checkpoints_with_it(self, store: Store) -> None:
        await self.add(store, "a", "b")
        await self.add(store, "z", session="t")
        for name, session, head in (("one", "s", "a"), ("two", "s", None), ("one", "t", "z")):
            await store.put_checkpoint(ADA, place(name, head, session=session))
        assert await store.forget(ADA, session_id="s") == Erased(messages=2, sessions=1, checkpoints=2)
        assert await store.checkpoints(ADA, "s") == []
        assert await self._all(store, "t") == {"one": ("z", 1)}
        await self.add(store, "a")
        assert await store.checkpoints(ADA, "s") == []
        await store.put_checkpoint(ADA, place("one", "a"))

    async def test_a_user_takes_all_checkpoints_along(self, store: Store) -> None:
        for scope in (ADA, BOB):
            await self.add(store, "a", scope=scope)
            await store.put_checkpoint(scope, place("cp", "a"))
            await store.put_checkpoint(scope, place("cp", session="empty"))
        assert await store.forget(ADA, everything=True) == Erased(messages=1, sessions=2, checkpoints=2)
        assert await store.checkpoints(ADA, "s") == await store.checkpoints(ADA, "empty") == []
        assert replace(await store.stats(ADA), bytes=0) == Stats()
        assert await self._all(store, scope=BOB) == {"cp": ("a", 1)}

    # -- a second handle, as another process has it

    async def test_of_two_who_save_one_name_one_is_told(self, store: Store, tmp_path: Path) -> None:
        other = await self.open(tmp_path) if self.durable else store
        try:
            await self.add(store, "a")
            for round_ in range(8):
                name, sides = f"cp{round_}", [(store, 1), (other, 2)]
                puts = [handle.put_checkpoint(ADA, place(name, "a", state={"n": n})) for handle, n in sides]
                done = await asyncio.gather(*puts, return_exceptions=True)
                (told,) = [one for one in done if isinstance(one, Exception)]
                (kept,) = [one for one in done if isinstance(one, Checkpoint)]
                assert isinstance(told, Conflict)
                assert await store.checkpoints(ADA, "s", name) == await other.checkpoints(ADA, "s", name) == [kept]
        finally:
            if other is not store:
                await other.close()

"""One user never sees another's memory: scopes that look alike, in every method that takes one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jiyi.errors import NotFound
from jiyi.ports import Store
from jiyi.testing.store.case import (
    EVERYTHING,
    MEANING,
    NOTES,
    WORDS,
    StoreCase,
    at,
    meaning,
    record,
    said,
    statement,
    words,
)
from jiyi.testing.store.index import close, unit
from jiyi.types import Changes, Checkpoint, Filter, Scope

MINE, YOURS = Scope("acct-4"), Scope("acct-42")

LOOKALIKES = [
    *map(
        Scope,
        ["acct", "acct-", "ACCT-4", "ACCT-42", " acct-42 ", "acct-4 ", "acct-4%", "acct-4_", "acct-4*", "acct*",
         "acct_4", "%", "_", "*", "", "null", "None", "0", "4", "acct-4\n", "acct-4'", 'acct-4"', "acct-4;--",
         "acct-4:", "acct-4/42", "acct\u20104", "\u0430cct-4", "acct-\uff14", "acct-4\u200b", "acct-4\u0301",
         "default"],
    ),
    Scope("acct-4", tenant="Default"),
    Scope("acct-4", tenant="default "),
    Scope("acct-4", tenant=""),
    Scope("acct-4", agent="DEFAULT"),
    Scope("acct-4", agent="other"),
    Scope("acct-4", tenant="default", agent=""),
    Scope("default", tenant="acct-4"),
    Scope("default", agent="acct-4"),
    Scope("acct-4default", tenant="", agent="default"),
    Scope("", tenant="acct-4", agent="default"),
]  # fmt: skip

QUERY = ["harbor", "cafe", "港湾", "har*", "*"]


class Isolation(StoreCase):
    """Field case D14 on the level of the store."""

    async def _fill(self, store: Store, scope: Scope, texts: dict[str, str], *, secret: str = "") -> None:
        await store.append(scope, "s", [said(name, text) for name, text in texts.items()])
        await store.append(scope, "", [statement("fact", f"fact of {scope.user} {secret}")])
        await store.put_checkpoint(scope, Checkpoint("cp", "s", "m1", created_at=at(9), state={"secret": secret}))
        numbers = range(1, len(texts) + 1)
        await self.index(store, dict(zip(numbers, (text.lower() for text in texts.values()), strict=True)), scope)
        await self.embed(store, {number: [unit(1, number)] for number in numbers}, scope)
        await self.note(store, record("r", "m1", data={"secret": secret}), scope=scope)

    async def _accounts(self, store: Store) -> None:
        await self._fill(store, MINE, {"m1": "The Harbor Cafe closes at 6."})
        texts = {"m1": "The Harbor Cafe wifi password is pelican-42.", "m2": "我在 港湾 咖啡的会员号是 556-010。"}
        await self._fill(store, YOURS, texts, secret="pelican-42")

    async def _seen(self, store: Store, scope: Scope) -> dict[str, Any]:
        """Whatever the reading methods give for a scope."""
        return {
            "messages": await store.messages(scope, EVERYTHING),
            "by id": await store.messages(scope, Filter(ids=("m1", "m2", "fact"), active=None)),
            "by seq": await store.messages(scope, Filter(seqs=(1, 2, 3), active=None)),
            "by session": await store.messages(scope, Filter(session_id="s")),
            "statements": await store.messages(scope, Filter(session_id="")),
            "sessions": await store.sessions(scope),
            "session": await store.sessions(scope, "s"),
            "checkpoints": await store.checkpoints(scope, "s"),
            "checkpoint": await store.checkpoints(scope, "s", "cp"),
            "records": await store.records(scope, current=None),
            "records by id": await store.records(scope, ids=["r"]),
            "words": await words(store, QUERY, scope=scope),
            "meaning": await meaning(store, unit(1, 1), scope=scope),
            "meaning by seq": await meaning(store, unit(1, 1), scope=scope, seqs=[1, 2, 3]),
            "models": await store.models(scope),
            "cursors": await store.cursors(scope, [WORDS, MEANING]),
            "progress": await store.progress([WORDS, MEANING], scope),
            "stats": replace(await store.stats(scope), bytes=0),
        }

    async def test_no_layer_shows_what_another_user_said(self, store: Store) -> None:
        await self._accounts(store)
        mine, yours = await self._seen(store, MINE), await self._seen(store, YOURS)
        assert not any(secret in repr(mine) for secret in ("pelican", "556-010"))
        assert mine["words"].documents == 1
        assert mine["words"].frequency == {"harbor": 1, "cafe": 1, "港湾": 0, "har*": 1, "*": 1}
        assert mine["words"].mean_length == 6
        assert (mine["meaning"].scanned, yours["meaning"].scanned) == (1, 2)
        assert close(mine["meaning"], {1: 1.0})
        assert yours["words"].frequency["港湾"] == 1
        assert "pelican-42" in repr(yours)

    async def test_ids_that_look_alike_show_nothing(self, store: Store) -> None:
        nothing = await self._seen(store, Scope("somebody who never was here"))
        await self._accounts(store)
        mine, yours = await self._seen(store, MINE), await self._seen(store, YOURS)
        assert nothing == await self._seen(store, Scope("somebody who never was here"))
        for scope in LOOKALIKES:
            assert await self._seen(store, scope) == nothing, scope
        assert (await self._seen(store, MINE), await self._seen(store, YOURS)) == (mine, yours)
        assert await store.scopes() == [MINE, YOURS]

    async def test_ids_that_look_alike_change_nothing(self, store: Store) -> None:
        await self._accounts(store)
        mine, yours = await self._seen(store, MINE), await self._seen(store, YOURS)
        salts = await store.salt(MINE), await store.salt(YOURS)
        for scope in LOOKALIKES:
            with pytest.raises(NotFound):
                await store.update_session(scope, "s", at=at(9), title="taken", head="m1")
            with pytest.raises(NotFound):
                await store.append(scope, "s", [said("x")], after="m1")
            assert await store.claim([WORDS, MEANING, NOTES], now=at(9999), lease=60, scope=scope) is None
            with pytest.raises(NotFound):
                await store.put_checkpoint(scope, Checkpoint("cp", "s", "m1"), overwrite=True)
            assert await store.delete_checkpoints(scope, "s", ["cp"]) == 0
            await store.reset([WORDS, MEANING, NOTES], scope)
            for erased in (
                await store.forget(scope, session_id="s"),
                await store.forget(scope, message_ids=["m1", "m2", "fact"]),
                await store.forget(scope, everything=True),
            ):
                assert not any((erased.messages, erased.sessions, erased.records, erased.vectors, erased.indexed,
                                erased.checkpoints))  # fmt: skip
            assert await store.salt(scope) not in salts
        assert (await self._seen(store, MINE), await self._seen(store, YOURS)) == (mine, yours)
        assert (await store.salt(MINE), await store.salt(YOURS)) == salts

    async def test_all_of_them_side_by_side(self, store: Store) -> None:
        """The same ids, numbers and sessions in every scope; each finds its own, and one leaves."""
        scopes = [MINE, YOURS, *LOOKALIKES]
        for number, scope in enumerate(scopes):
            await self._fill(store, scope, {"m1": f"harbor word{number}"}, secret=f"secret{number}")
        assert len(await store.scopes()) == len(set(scopes)) == len(scopes)
        terms = [f"word{number}" for number in range(len(scopes))]
        for number, scope in enumerate(scopes):
            seen = await self._seen(store, scope)
            assert [m.seq for m in seen["messages"]] == [1, 2]
            assert seen["messages"][0].text == f"harbor word{number}"
            assert seen["records"][0].data == {"secret": f"secret{number}"}
            found = await words(store, terms, scope=scope)
            assert found.documents == 1 and set(found.hits[1][1]) == {f"word{number}"}
        everybody = [await self._seen(store, scope) for scope in scopes]
        await store.forget(MINE, everything=True)
        await store.forget(YOURS, message_ids=["m1"])
        await store.update_session(LOOKALIKES[0], "s", at=at(5), title="mine")
        for scope, before in zip(scopes[3:], everybody[3:], strict=True):
            assert await self._seen(store, scope) == before
        assert MINE not in await store.scopes()

    async def test_claims_and_commits_stay_in_their_scope(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, "m1", scope=MINE)
        await self.add(store, "m1", "m2", scope=YOURS)
        claim = await self.claimed(store, NOTES, MINE)
        changes = Changes(cursor=1, put=(record("r", "m2"), record("q", "m1")), close={"r": at(1)})
        await store.commit(claim, changes, now=at(1000))
        assert [r.id for r in await store.records(MINE, current=None)] == ["q"]
        assert await store.records(YOURS, current=None) == []
        assert await store.cursors(YOURS, [NOTES]) == {"notes": 0}

    async def test_a_record_of_the_same_id_in_two_scopes(self, store: Store) -> None:
        for scope in (MINE, YOURS):
            await self.add(store, "m1", scope=scope)
            await self.note(store, record("r", "m1", key=scope.user), scope=scope)
        await self.note(store, record("r", "m1", key="new"), scope=MINE)
        await self.note(store, scope=MINE, close={"r": at(1)})
        assert [r.key for r in await store.records(YOURS)] == ["acct-42"]

    @pytest.mark.parametrize("session", ["s", "S", "s ", "s%", "s_", "*", "%", "s'", "ｓ", "s\u0301", "head", "null"])
    async def test_sessions_that_look_alike_are_not_one(self, store: Store, session: str) -> None:
        await self.add(store, "a", "b", session="ss")
        await self.add(store, "c", session=session)
        (one,) = await store.sessions(Scope("ada"), session)
        assert (one.id, one.messages) == (session, 1)
        assert await self.path(store, session) == ["c"]
        await store.forget(Scope("ada"), session_id=session)
        assert await self.path(store, "ss") == ["a", "b"]

    async def test_message_ids_that_look_alike_are_not_one(self, store: Store) -> None:
        names = ["a", "A", " a", "a ", "á", "a\u0301", "ab", "AB", "ab ", "aB", "deadbeef", "DEADBEEF",
                 "dead beef", "%",
                 "*", "a%", "_", "1", "01", "1.0", "0x1", "null", "head", "a'", 'a"', "\uff41", "\\x61", "00",
                 "0000"]  # fmt: skip
        await self.add(store, *names)
        assert await self.path(store) == names
        for name in names:
            assert [m.id for m in await store.messages(Scope("ada"), Filter(ids=(name,)))] == [name]
        for name in names[::2]:
            assert (await store.forget(Scope("ada"), message_ids=[name])).messages == 1
        assert await self.path(store) == names[1::2]

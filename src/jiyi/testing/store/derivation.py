"""What a derivation writes, and how far each step is."""

from __future__ import annotations

from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
    DONE,
    EVERYTHING,
    MEANING,
    NOTES,
    WORDS,
    StoreCase,
    at,
    entry,
    ids,
    meaning,
    record,
    statement,
    words,
)
from jiyi.testing.store.index import close, unit
from jiyi.types import Changes, Embedded, Lexical, Progress, Scope, Step


class Derivation(StoreCase):
    """``commit``, ``progress``, ``cursors``, ``reset``; new versions of a step."""

    # -- which steps

    async def test_steps_that_have_begun_are_known(self, store: Store) -> None:
        assert await store.begun() == []
        await self.two(store, MEANING)
        assert await store.begun() == []  # it has not derived anything
        await store.commit(await self.claimed(store, MEANING), Changes(cursor=2), now=at(1000))
        assert await store.begun() == [MEANING]
        await store.reset([MEANING])
        assert await store.begun() == []

    # -- what is written

    async def test_a_commit_writes_everything_at_once(self, store: Store) -> None:
        await self.two(store, MEANING)
        await self.note(store, record("r0", "a"))
        changes = Changes(
            cursor=2,
            put=(record("r1", "a", "b"),),
            close={"r0": at(7)},
            index=(entry(1, "red"), entry(2, "blue")),
            vectors=(Embedded(1, 0, unit(1, 0)), Embedded(2, 0, unit(0, 1))),
        )
        await store.commit(await self.claimed(store, MEANING), changes, now=at(1000))
        assert ids(await store.records(ADA)) == ["r1"]
        assert ids(await store.records(ADA, current=False)) == ["r0"]
        assert (await words(store, ["red"])).hits == {1: (1, {"red": 1})}
        assert close(await meaning(store, [1.0, 0.0]), {1: 1, 2: 0})
        assert await store.cursors(ADA, [MEANING]) == {"dense:m": 2}

    async def test_what_was_erased_meanwhile_is_left_out(self, store: Store) -> None:
        await self.two(store, MEANING)
        claim = await self.claimed(store, MEANING)
        await store.forget(ADA, message_ids=["a"])
        changes = Changes(
            cursor=2,
            put=(record("r1", "a"), record("r2", "a", "b"), record("r3", "b")),
            index=(entry(1, "red"), entry(2, "blue"), entry(99, "never")),
            vectors=(Embedded(1, 0, unit(1, 0)), Embedded(2, 0, unit(0, 1)), Embedded(99, 0, unit(0, 1))),
        )
        await store.commit(claim, changes, now=at(1000))
        assert ids(await store.records(ADA, current=None)) == ["r3"]
        found = await words(store, ["red", "blue", "never"])
        assert (found.documents, found.frequency) == (1, {"red": 0, "blue": 1, "never": 0})
        assert close(await meaning(store, [1.0, 0.0]), {2: 0})
        assert await store.cursors(ADA, [MEANING]) == {"dense:m": 2}

    async def test_everything_to_be_indexed_was_erased(self, store: Store) -> None:
        await self.two(store, MEANING)
        claim = await self.claimed(store, MEANING)
        await store.forget(ADA, message_ids=["a", "b"])
        vectors = (Embedded(1, 0, unit(1, 0)), Embedded(2, 0, unit(1, 0)))
        await store.commit(claim, Changes(cursor=2, index=(entry(1, "red"),), vectors=vectors), now=at(1000))
        stats = await store.stats(ADA)
        assert (stats.indexed, stats.vectors, await store.models()) == (0, 0, {})
        assert await self.idle(store, MEANING)

    # -- how far

    async def test_progress_and_cursors(self, store: Store) -> None:
        await self.two(store, WORDS, NOTES)
        await self.add(store, "c", scope=BOB)
        await store.append(BOB, "", [statement("fact")])
        await store.commit(await self.claimed(store, WORDS, ADA), Changes(cursor=1), now=at(1000))
        await store.commit(await self.claimed(store, WORDS, BOB), Changes(cursor=2), now=at(1000))
        unknown = Step("unknown", "1")
        assert await store.progress([NOTES, WORDS, unknown]) == [
            Progress(NOTES, 0, 4), Progress(WORDS, 3, 4), Progress(unknown, 0, 4)
        ]  # fmt: skip
        assert await store.progress([WORDS], ADA) == [Progress(WORDS, 1, 2)]
        assert await store.progress([WORDS], BOB) == [Progress(WORDS, 2, 2)]
        assert await store.progress([WORDS], Scope("nobody")) == [Progress(WORDS, 0, 0)]
        assert await store.progress([]) == []
        assert await store.cursors(ADA, [WORDS, NOTES, unknown]) == {"lexical": 1, "notes": 0, "unknown": 0}
        assert await store.cursors(Scope("nobody"), [WORDS]) == {"lexical": 0}

    async def test_progress_counts_messages_not_numbers(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, *"abcdef")
        await store.commit(await self.claimed(store), Changes(cursor=4), now=at(1000))
        await store.forget(ADA, message_ids=["b", "f"])
        assert await store.progress([WORDS]) == [Progress(WORDS, 3, 4)]
        await store.commit(await self.claimed(store), Changes(cursor=6), now=at(1000))
        assert await store.progress([WORDS]) == [Progress(WORDS, 4, 4)]

    # -- starting over

    async def test_a_new_version_starts_over_and_the_old_index_serves_until_then(self, store: Store) -> None:
        await self.two(store)
        await self.index(store, {1: "red", 2: "blue"})
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        new = Step(WORDS.name, "2")
        await store.register([new])
        assert await store.cursors(ADA, [new]) == {"lexical": 0}
        assert await store.cursors(ADA, [WORDS]) == {"lexical": 0}  # the old one is no more
        assert await self.idle(store, WORDS)
        assert (await words(store, ["red"])).hits
        claim = await self.claimed(store, new)
        assert (claim.after, claim.head, claim.attempts) == (0, 2, 0)
        await store.commit(claim, Changes(cursor=2, index=(entry(1, "rot"),)), now=at(1000))
        assert (await words(store, ["red", "rot", "blue"])).frequency == {"red": 0, "rot": 1, "blue": 1}

    async def test_a_new_version_of_one_step_leaves_the_others(self, store: Store) -> None:
        await self.two(store, WORDS, NOTES)
        for step in (WORDS, NOTES):
            await store.commit(await self.claimed(store, step), DONE, now=at(1000))
        await store.register([Step(WORDS.name, "2"), NOTES])
        assert await store.cursors(ADA, [NOTES]) == {"notes": 2}
        assert await self.idle(store, NOTES)

    async def _derived(self, store: Store) -> None:
        for scope in (ADA, BOB):
            await self.add(store, "a", "b", scope=scope)
            await self.index(store, {1: "red", 2: "blue"}, scope)
            await self.embed(store, {1: [unit(1, 0)]}, scope, "m")
            await self.embed(store, {1: [unit(1, 0)]}, scope, "n")
            await self.note(
                store, record("r1", "a"), record("r2", "a", strategy="other"), scope=scope, close={"r1": at(1)}
            )
            for step in (WORDS, MEANING, NOTES):
                await store.commit(await self.claimed(store, step, scope), DONE, now=at(1000))

    async def _shape(self, store: Store, scope: Scope) -> tuple[object, ...]:
        cursors = await store.cursors(scope, [WORDS, MEANING, NOTES])
        stats, models = await store.stats(scope), await store.models(scope)
        return tuple(cursors.values()), stats.indexed, tuple(models), ids(await store.records(scope, current=None))

    async def test_a_reset_throws_away_what_its_steps_derived(self, store: Store) -> None:
        await self._derived(store)
        full = ((2, 2, 2), 2, ("m", "n"), ["r1", "r2"])
        assert await self._shape(store, ADA) == full
        await store.reset([WORDS], ADA)
        assert await self._shape(store, ADA) == ((0, 2, 2), 0, ("m", "n"), ["r1", "r2"])
        assert await words(store, ["red"]) == Lexical(frequency={"red": 0})
        await store.reset([MEANING, NOTES], ADA)
        assert await self._shape(store, ADA) == ((0, 0, 0), 0, ("n",), ["r2"])
        assert (await meaning(store, [1.0, 0.0])).scanned == 0
        assert await self._shape(store, BOB) == full
        claim = await self.claimed(store, MEANING)
        assert (claim.scope, claim.after, claim.head) == (ADA, 0, 2)
        await store.reset([WORDS, MEANING, NOTES])
        assert await self._shape(store, BOB) == ((0, 0, 0), 0, ("n",), ["r2"])
        assert len(await store.messages(ADA, EVERYTHING)) == len(await store.messages(BOB, EVERYTHING)) == 2

    async def test_after_a_reset_other_dimensions_are_welcome(self, store: Store) -> None:
        await self.two(store)
        await self.embed(store, {1: [unit(1, 0)]})
        await store.reset([MEANING])
        await self.embed(store, {1: [unit(1, 0, 0)]})
        assert await store.models() == {"m": (3, 1)}

    async def test_a_reset_takes_errors_and_attempts_away(self, store: Store) -> None:
        await self.two(store)
        await store.release(await self.claimed(store), error="broken", due=at(9000))
        await store.reset([WORDS])
        assert await store.progress([WORDS]) == [Progress(WORDS, 0, 2)]
        assert (await self.claimed(store)).attempts == 0

    async def test_a_reset_of_the_unknown_changes_nothing(self, store: Store) -> None:
        await self._derived(store)
        before = await self._shape(store, ADA), await self._shape(store, BOB)
        await store.reset([Step("unknown", "1"), Step("dense:unknown", "1"), Step("dense:", "1"), Step("", "1")])
        await store.reset([WORDS, MEANING, NOTES], Scope("nobody"))
        assert (await self._shape(store, ADA), await self._shape(store, BOB)) == before
        assert await store.scopes() == [ADA, BOB]

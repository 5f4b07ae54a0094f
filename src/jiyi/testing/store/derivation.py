"""Who derives what next, and how far each step is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from jiyi.errors import Conflict
from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
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
from jiyi.types import Changes, Claim, Embedded, Lexical, Progress, Scope, Step

DONE = Changes(cursor=2)


class Derivation(StoreCase):
    """``register``, ``claim``, ``commit``, ``release``, ``progress``, ``cursors``, ``reset``."""

    async def _two(self, store: Store, *steps: Step) -> None:
        """Two messages, and these steps."""
        await store.register(steps or [WORDS])
        await self.add(store, "a", "b")

    async def _none(self, store: Store, *steps: Step, now: float = 1000, scope: Scope | None = None) -> bool:
        return await store.claim(steps or [WORDS], now=at(now), lease=60, scope=scope) is None

    # -- what there is to do

    async def test_a_claim_says_what_to_do(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        assert (claim.scope, claim.step, claim.after, claim.head, claim.attempts) == (ADA, WORDS, 0, 2, 0)

    async def test_nothing_to_do(self, store: Store) -> None:
        assert await self._none(store)  # nothing registered, nobody there
        await store.register([WORDS])
        assert await self._none(store)
        await store.salt(ADA)
        assert await self._none(store)
        await self.add(store, "a")
        assert await store.claim([], now=at(1000), lease=60) is None
        assert await self._none(store, NOTES)  # not registered
        assert await self._none(store, Step(WORDS.name, "2"))  # not in this version
        assert await self._none(store, scope=BOB)
        await store.commit(await self.claimed(store), Changes(cursor=1), now=at(1000))
        assert await self._none(store)

    async def test_steps_are_there_in_old_scopes_and_new_ones(self, store: Store) -> None:
        await self.add(store, "a", scope=ADA)
        await store.register([WORDS, MEANING])
        await store.register([WORDS, MEANING])  # a second time changes nothing
        await self.add(store, "a", scope=BOB)
        for step in (WORDS, MEANING):
            for scope in (ADA, BOB):
                assert (await self.claimed(store, step, scope)).scope == scope

    async def test_new_messages_are_new_work(self, store: Store) -> None:
        await self._two(store)
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        await store.append(ADA, "", [statement("fact", when=1001)])
        claim = await self.claimed(store, now=1001)
        assert (claim.after, claim.head) == (2, 3)

    async def test_a_known_message_is_no_work(self, store: Store) -> None:
        await self._two(store)
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        await self.add(store, "a", "b", when=1001)
        assert await self._none(store, now=2000)

    async def test_a_part_done_leaves_the_rest(self, store: Store) -> None:
        await self._two(store)
        await store.commit(await self.claimed(store), Changes(cursor=1), now=at(1000))
        claim = await self.claimed(store)
        assert (claim.after, claim.head) == (1, 2)

    async def test_messages_that_come_during_a_lease_are_left_for_the_next(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await self.add(store, "c", when=1001)
        assert await self._none(store, now=1002)
        await store.commit(claim, DONE, now=at(1003))
        assert (await self.claimed(store, now=1003)).after == 2

    # -- whose turn it is

    async def test_who_waits_longest_comes_first(self, store: Store) -> None:
        await store.register([WORDS])
        cat = Scope("cat")
        for scope, when in ((BOB, 30), (ADA, 10), (cat, 20)):
            await self.add(store, "a", "b", scope=scope, when=when)
            await self.add(store, "c", scope=scope, when=500 - when)  # more work does not change the turn
        order: list[Scope] = []
        for _ in range(3):
            claim = await self.claimed(store)
            order.append(claim.scope)
            await store.commit(claim, Changes(cursor=1), now=at(1000 + len(order)))
        assert order == [ADA, cat, BOB]
        assert (await self.claimed(store, now=2000)).scope == ADA  # in turn again

    async def test_equal_waits_go_in_the_order_of_the_steps(self, store: Store) -> None:
        await self._two(store, NOTES, WORDS, MEANING)
        for steps in ([MEANING, NOTES, WORDS], [NOTES, WORDS], [WORDS]):
            claim = await store.claim(steps, now=at(1000), lease=60)
            assert claim is not None and claim.step == steps[0]

    async def test_one_scope_can_be_asked_for(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, "a", scope=ADA, when=1)
        await self.add(store, "a", scope=BOB, when=2)
        assert (await self.claimed(store, scope=BOB)).scope == BOB
        assert await self._none(store, scope=BOB)
        assert (await self.claimed(store)).scope == ADA

    # -- leases

    async def test_a_lease_keeps_others_away_until_it_ends(self, store: Store) -> None:
        await self._two(store)
        first = await self.claimed(store, now=1000)
        assert await self._none(store, now=1059.9)
        second = await self.claimed(store, now=1060)
        assert second.token != first.token
        assert (second.after, second.head) == (0, 2)

    async def test_leases_of_different_steps_and_scopes_do_not_meet(self, store: Store) -> None:
        await self._two(store, WORDS, MEANING)
        await self.add(store, "a", "b", scope=BOB)
        claims = [await self.claimed(store, step, scope) for step in (WORDS, MEANING) for scope in (ADA, BOB)]
        for claim in claims:
            await store.commit(claim, DONE, now=at(1000))
        assert await self._none(store, WORDS, MEANING)

    async def test_many_workers_never_have_the_same(self, store: Store) -> None:
        await store.register([WORDS])
        scopes = [Scope(f"u{i}") for i in range(10)]
        for scope in scopes:
            await self.add(store, "a", scope=scope)
        claims = await asyncio.gather(*(store.claim([WORDS], now=at(1000), lease=60) for _ in range(25)))
        taken = [claim.scope for claim in claims if claim is not None]
        assert sorted(taken, key=str) == sorted(scopes, key=str)

    async def test_a_lease_that_ran_out_still_commits_while_nobody_took_over(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store, now=1000)
        await store.commit(claim, DONE, now=at(5000))
        assert await store.cursors(ADA, [WORDS]) == {"lexical": 2}

    # -- fencing

    async def _written(self, store: Store) -> tuple[object, ...]:
        stats = replace(await store.stats(), bytes=0)
        return await store.records(ADA, current=None), await store.cursors(ADA, [WORDS]), stats

    async def _refused(self, store: Store, claim: Claim) -> None:
        """A commit with this claim raises and writes nothing; a release does nothing."""
        before = await self._written(store)
        changes = Changes(
            cursor=2,
            put=(record("late", "a"), record("loose")),
            close={"r": at(1)},
            index=(entry(1, "late"),),
            vectors=(Embedded(1, 0, unit(1, 0)),),
        )
        with pytest.raises(Conflict):
            await store.commit(claim, changes, now=at(3000))
        await store.release(claim, error="late", due=at(9999))
        assert await self._written(store) == before
        (progress,) = await store.progress([WORDS])
        assert progress.errors == ()

    async def test_whoever_took_over_wins(self, store: Store) -> None:
        await self._two(store)
        first = await self.claimed(store, now=1000)
        second = await self.claimed(store, now=1060)
        await self._refused(store, first)
        await store.commit(second, Changes(cursor=2, put=(record("r", "a"),)), now=at(1061))
        await self._refused(store, first)
        await self._refused(store, second)  # a claim serves once
        assert await self._none(store, now=9000)

    async def test_a_renewed_lease_lasts_longer(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        assert await store.renew(claim, now=at(1050), lease=60)
        assert await self._none(store, now=1100)
        assert not await self._none(store, now=1111)
        assert not await store.renew(claim, now=at(1111), lease=60), "somebody else has it now"
        await self._refused(store, claim)

    async def test_a_release_ends_the_claim(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await store.release(claim, error=None, due=at(1000))
        await self._refused(store, claim)
        assert not await self._none(store)

    async def test_a_reset_ends_the_claim(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await store.reset([WORDS])
        await self._refused(store, claim)

    async def test_a_new_version_ends_the_claim(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await store.register([Step(WORDS.name, "2")])
        await self._refused(store, claim)

    async def test_a_claim_does_not_outlive_its_scope(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await store.forget(ADA, everything=True)
        await self._refused(store, claim)
        assert await store.scopes() == []
        await self.add(store, "a", "b")
        await self._refused(store, claim)
        again = await self.claimed(store)  # the same numbers, but another lease
        assert again != claim
        await self._refused(store, claim)
        await store.commit(again, DONE, now=at(1001))

    async def test_a_claim_somebody_made_up(self, store: Store) -> None:
        await self._two(store)
        for scope, step in ((ADA, WORDS), (ADA, NOTES), (Scope("nobody"), WORDS), (ADA, Step(WORDS.name, "2"))):
            await self._refused(store, Claim(scope, step, 0, 2, token=987654321))

    # -- failures

    async def test_a_failure_is_counted_told_and_tried_later(self, store: Store) -> None:
        await self._two(store)
        for attempt in range(3):
            claim = await self.claimed(store, now=1000 + 100 * attempt)
            assert (claim.attempts, claim.after) == (attempt, 0)
            await store.release(claim, error=f"broken {attempt}", due=at(1100 + 100 * attempt))
            assert await self._none(store, now=1099.9 + 100 * attempt)
            await self.add(store, f"m{attempt}", when=1050 + 100 * attempt)  # does not bring the work forward
            assert await self._none(store, now=1099.9 + 100 * attempt)
            assert await store.progress([WORDS]) == [Progress(WORDS, 0, 3 + attempt, (f"broken {attempt}",))]
        claim = await self.claimed(store, now=1300)
        await store.commit(claim, Changes(cursor=2), now=at(1300))
        assert await store.progress([WORDS]) == [Progress(WORDS, 2, 5, ())]
        assert (await self.claimed(store, now=1300)).attempts == 0

    async def test_a_release_without_an_error_is_no_failure(self, store: Store) -> None:
        await self._two(store)
        claim = await self.claimed(store)
        await store.release(claim, error="broken", due=at(1000))
        await store.release(await self.claimed(store), error=None, due=at(1000))
        claim = await self.claimed(store)
        assert claim.attempts == 1
        await store.release(claim, error=None, due=at(1200))
        assert await self._none(store, now=1199)
        assert (await self.claimed(store, now=1200)).attempts == 1

    async def test_a_failing_step_does_not_hold_up_others(self, store: Store) -> None:
        await self._two(store, WORDS, NOTES)
        await store.release(await self.claimed(store, NOTES), error="broken", due=at(9000))
        claim = await store.claim([NOTES, WORDS], now=at(1000), lease=60)
        assert claim is not None and claim.step == WORDS

    # -- what is written

    async def test_a_commit_writes_everything_at_once(self, store: Store) -> None:
        await self._two(store, MEANING)
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
        await self._two(store, MEANING)
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
        await self._two(store, MEANING)
        claim = await self.claimed(store, MEANING)
        await store.forget(ADA, message_ids=["a", "b"])
        vectors = (Embedded(1, 0, unit(1, 0)), Embedded(2, 0, unit(1, 0)))
        await store.commit(claim, Changes(cursor=2, index=(entry(1, "red"),), vectors=vectors), now=at(1000))
        stats = await store.stats(ADA)
        assert (stats.indexed, stats.vectors, await store.models()) == (0, 0, {})
        assert await self._none(store, MEANING)

    # -- how far

    async def test_progress_and_cursors(self, store: Store) -> None:
        await self._two(store, WORDS, NOTES)
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
        await self._two(store)
        await self.index(store, {1: "red", 2: "blue"})
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        new = Step(WORDS.name, "2")
        await store.register([new])
        assert await store.cursors(ADA, [new]) == {"lexical": 0}
        assert await store.cursors(ADA, [WORDS]) == {"lexical": 0}  # the old one is no more
        assert await self._none(store, WORDS)
        assert (await words(store, ["red"])).hits
        claim = await self.claimed(store, new)
        assert (claim.after, claim.head, claim.attempts) == (0, 2, 0)
        await store.commit(claim, Changes(cursor=2, index=(entry(1, "rot"),)), now=at(1000))
        assert (await words(store, ["red", "rot", "blue"])).frequency == {"red": 0, "rot": 1, "blue": 1}

    async def test_a_new_version_of_one_step_leaves_the_others(self, store: Store) -> None:
        await self._two(store, WORDS, NOTES)
        for step in (WORDS, NOTES):
            await store.commit(await self.claimed(store, step), DONE, now=at(1000))
        await store.register([Step(WORDS.name, "2"), NOTES])
        assert await store.cursors(ADA, [NOTES]) == {"notes": 2}
        assert await self._none(store, NOTES)

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
        await self._two(store)
        await self.embed(store, {1: [unit(1, 0)]})
        await store.reset([MEANING])
        await self.embed(store, {1: [unit(1, 0, 0)]})
        assert await store.models() == {"m": (3, 1)}

    async def test_a_reset_takes_errors_and_attempts_away(self, store: Store) -> None:
        await self._two(store)
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

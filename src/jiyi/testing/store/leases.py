"""Who derives what next."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from jiyi.errors import Conflict
from jiyi.ports import Store
from jiyi.testing.store.case import (
    ADA,
    BOB,
    DONE,
    MEANING,
    NOTES,
    WORDS,
    StoreCase,
    at,
    entry,
    record,
    statement,
)
from jiyi.testing.store.index import unit
from jiyi.types import Changes, Claim, Embedded, Progress, Scope, Step


class Leases(StoreCase):
    """``register``, ``claim``, ``renew``, ``release``: the order, leases, fencing tokens, failures."""

    # -- what there is to do

    async def test_a_claim_says_what_to_do(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        assert (claim.scope, claim.step, claim.after, claim.head, claim.attempts) == (ADA, WORDS, 0, 2, 0)

    async def test_nothing_to_do(self, store: Store) -> None:
        assert await self.idle(store)  # nothing registered, nobody there
        await store.register([WORDS])
        assert await self.idle(store)
        await store.salt(ADA)
        assert await self.idle(store)
        await self.add(store, "a")
        assert await store.claim([], now=at(1000), lease=60) is None
        assert await self.idle(store, NOTES)  # not registered
        assert await self.idle(store, Step(WORDS.name, "2"))  # not in this version
        assert await self.idle(store, scope=BOB)
        await store.commit(await self.claimed(store), Changes(cursor=1), now=at(1000))
        assert await self.idle(store)

    async def test_steps_are_there_in_old_scopes_and_new_ones(self, store: Store) -> None:
        await self.add(store, "a", scope=ADA)
        await store.register([WORDS, MEANING])
        await store.register([WORDS, MEANING])  # a second time changes nothing
        await self.add(store, "a", scope=BOB)
        for step in (WORDS, MEANING):
            for scope in (ADA, BOB):
                assert (await self.claimed(store, step, scope)).scope == scope

    async def test_new_messages_are_new_work(self, store: Store) -> None:
        await self.two(store)
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        await store.append(ADA, "", [statement("fact", when=1001)])
        claim = await self.claimed(store, now=1001)
        assert (claim.after, claim.head) == (2, 3)

    async def test_a_known_message_is_no_work(self, store: Store) -> None:
        await self.two(store)
        await store.commit(await self.claimed(store), DONE, now=at(1000))
        await self.add(store, "a", "b", when=1001)
        assert await self.idle(store, now=2000)

    async def test_a_part_done_leaves_the_rest(self, store: Store) -> None:
        await self.two(store)
        await store.commit(await self.claimed(store), Changes(cursor=1), now=at(1000))
        claim = await self.claimed(store)
        assert (claim.after, claim.head) == (1, 2)

    async def test_messages_that_come_during_a_lease_are_left_for_the_next(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        await self.add(store, "c", when=1001)
        assert await self.idle(store, now=1002)
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
        await self.two(store, NOTES, WORDS, MEANING)
        for steps in ([MEANING, NOTES, WORDS], [NOTES, WORDS], [WORDS]):
            claim = await store.claim(steps, now=at(1000), lease=60)
            assert claim is not None and claim.step == steps[0]

    async def test_one_scope_can_be_asked_for(self, store: Store) -> None:
        await store.register([WORDS])
        await self.add(store, "a", scope=ADA, when=1)
        await self.add(store, "a", scope=BOB, when=2)
        assert (await self.claimed(store, scope=BOB)).scope == BOB
        assert await self.idle(store, scope=BOB)
        assert (await self.claimed(store)).scope == ADA

    # -- leases

    async def test_a_lease_keeps_others_away_until_it_ends(self, store: Store) -> None:
        await self.two(store)
        first = await self.claimed(store, now=1000)
        assert await self.idle(store, now=1059.9)
        second = await self.claimed(store, now=1060)
        assert second.token != first.token
        assert (second.after, second.head) == (0, 2)

    async def test_leases_of_different_steps_and_scopes_do_not_meet(self, store: Store) -> None:
        await self.two(store, WORDS, MEANING)
        await self.add(store, "a", "b", scope=BOB)
        claims = [await self.claimed(store, step, scope) for step in (WORDS, MEANING) for scope in (ADA, BOB)]
        for claim in claims:
            await store.commit(claim, DONE, now=at(1000))
        assert await self.idle(store, WORDS, MEANING)

    async def test_many_workers_never_have_the_same(self, store: Store) -> None:
        await store.register([WORDS])
        scopes = [Scope(f"u{i}") for i in range(10)]
        for scope in scopes:
            await self.add(store, "a", scope=scope)
        claims = await asyncio.gather(*(store.claim([WORDS], now=at(1000), lease=60) for _ in range(25)))
        taken = [claim.scope for claim in claims if claim is not None]
        assert sorted(taken, key=str) == sorted(scopes, key=str)

    async def test_a_lease_that_ran_out_still_commits_while_nobody_took_over(self, store: Store) -> None:
        await self.two(store)
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
        await self.two(store)
        first = await self.claimed(store, now=1000)
        second = await self.claimed(store, now=1060)
        await self._refused(store, first)
        await store.commit(second, Changes(cursor=2, put=(record("r", "a"),)), now=at(1061))
        await self._refused(store, first)
        await self._refused(store, second)  # a claim serves once
        assert await self.idle(store, now=9000)

    async def test_a_renewed_lease_lasts_longer(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        assert await store.renew(claim, now=at(1050), lease=60)
        assert await self.idle(store, now=1100)
        assert not await self.idle(store, now=1111)
        assert not await store.renew(claim, now=at(1111), lease=60), "somebody else has it now"
        await self._refused(store, claim)

    async def test_a_release_ends_the_claim(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        await store.release(claim, error=None, due=at(1000))
        await self._refused(store, claim)
        assert not await self.idle(store)

    async def test_a_reset_ends_the_claim(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        await store.reset([WORDS])
        await self._refused(store, claim)

    async def test_a_new_version_ends_the_claim(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        await store.register([Step(WORDS.name, "2")])
        await self._refused(store, claim)

    async def test_a_claim_does_not_outlive_its_scope(self, store: Store) -> None:
        await self.two(store)
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
        await self.two(store)
        for scope, step in ((ADA, WORDS), (ADA, NOTES), (Scope("nobody"), WORDS), (ADA, Step(WORDS.name, "2"))):
            await self._refused(store, Claim(scope, step, 0, 2, token=987654321))

    # -- failures

    async def test_a_failure_is_counted_told_and_tried_later(self, store: Store) -> None:
        await self.two(store)
        for attempt in range(3):
            claim = await self.claimed(store, now=1000 + 100 * attempt)
            assert (claim.attempts, claim.after) == (attempt, 0)
            await store.release(claim, error=f"broken {attempt}", due=at(1100 + 100 * attempt))
            assert await self.idle(store, now=1099.9 + 100 * attempt)
            await self.add(store, f"m{attempt}", when=1050 + 100 * attempt)  # does not bring the work forward
            assert await self.idle(store, now=1099.9 + 100 * attempt)
            assert await store.progress([WORDS]) == [Progress(WORDS, 0, 3 + attempt, (f"broken {attempt}",))]
        claim = await self.claimed(store, now=1300)
        await store.commit(claim, Changes(cursor=2), now=at(1300))
        assert await store.progress([WORDS]) == [Progress(WORDS, 2, 5, ())]
        assert (await self.claimed(store, now=1300)).attempts == 0

    async def test_a_release_without_an_error_is_no_failure(self, store: Store) -> None:
        await self.two(store)
        claim = await self.claimed(store)
        await store.release(claim, error="broken", due=at(1000))
        await store.release(await self.claimed(store), error=None, due=at(1000))
        claim = await self.claimed(store)
        assert claim.attempts == 1
        await store.release(claim, error=None, due=at(1200))
        assert await self.idle(store, now=1199)
        assert (await self.claimed(store, now=1200)).attempts == 1

    async def test_a_failing_step_does_not_hold_up_others(self, store: Store) -> None:
        await self.two(store, WORDS, NOTES)
        await store.release(await self.claimed(store, NOTES), error="broken", due=at(9000))
        claim = await store.claim([NOTES, WORDS], now=at(1000), lease=60)
        assert claim is not None and claim.step == WORDS

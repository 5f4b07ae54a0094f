"""What is derived anew: whole strides, what an erasure took, new versions, rebuilds, and what was passed over."""

from __future__ import annotations

from typing import Any

import pytest

from jiyi.errors import Conflict
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, NOTES, WORDS, StoreCase, at, ids, record
from jiyi.types import Changes, Claim, Failure, Progress, Record, Scope, Step

FOURS = Step("fours", "1", stride=4)
AGAIN = Step(NOTES.name, "2")


def made(name: str, *sources: str, step: Step = NOTES, **more: Any) -> Record:
    """A record of a step."""
    return record(name, *sources, strategy=step.name, version=step.version, **more)


class Anew(StoreCase):
    """``Step.stride``, gaps after ``forget``, ``rebuild``, new versions of steps that make records, failures."""

    async def do_next(
        self, store: Store, step: Step, cursor: int, *put: Record, now: float = 1000, **more: Any
    ) -> Claim:
        """Takes the next batch of a step and writes it."""
        claim = await self.claimed(store, step, ADA, now=now)
        await store.commit(claim, Changes(cursor, put=put, **more), now=at(now))
        return claim

    # -- strides

    async def test_a_stride_is_work_when_it_is_full(self, store: Store) -> None:
        await store.register([FOURS])
        await self.add(store, *"abc")
        assert await self.idle(store, FOURS)
        assert await store.progress([FOURS]) == [Progress(FOURS, 3, 3)], "nobody waits for what waits for more"
        await self.add(store, "d", when=7)
        claim = await self.claimed(store, FOURS, now=7)
        assert (claim.after, claim.upto, claim.head) == (0, None, 4)
        await self.add(store, *"efg")
        await store.commit(claim, Changes(4), now=at(1000))
        assert await self.idle(store, FOURS)
        await self.add(store, "h")
        assert await store.progress([FOURS]) == [Progress(FOURS, 4, 8)]
        assert (await self.claimed(store, FOURS)).after == 4

    async def test_a_part_of_a_stride_leaves_the_rest(self, store: Store) -> None:
        await store.register([FOURS])
        await self.add(store, *"abcdef")
        await self.do_next(store, FOURS, 2)
        assert await store.progress([FOURS]) == [Progress(FOURS, 4, 6)]
        claim = await self.claimed(store, FOURS)
        await store.release(claim, error=None, due=at(1000))
        assert (await self.do_next(store, FOURS, 4)).after == 2
        assert await self.idle(store, FOURS)

    async def test_strides_are_there_in_old_scopes_and_new_ones(self, store: Store) -> None:
        await self.add(store, *"abcd")
        await self.add(store, *"abc", scope=BOB)
        await store.register([FOURS])
        assert await self.idle(store, FOURS, scope=BOB)
        assert (await self.claimed(store, FOURS, ADA)).head == 4
        cat = Scope("cat")
        await self.add(store, *"abc", scope=cat)
        assert await self.idle(store, FOURS, scope=cat)

    async def test_another_stride_is_another_version(self, store: Store) -> None:
        await store.register([FOURS])
        await self.add(store, *"abcd")
        claim = await self.claimed(store, FOURS)
        twos = Step(FOURS.name, FOURS.version, stride=2)
        await store.register([twos])
        with pytest.raises(Conflict):
            await store.commit(claim, Changes(4), now=at(1000))
        assert await self.idle(store, FOURS)
        assert (await self.do_next(store, twos, 2)).after == 0
        assert (await self.claimed(store, twos)).after == 2

    # -- what an erasure took from others

    async def test_what_rested_on_others_too_is_derived_anew(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcdefgh")
        await self.do_next(store, NOTES, 3, made("ab", "a", "b"), made("c", "c"))
        await self.do_next(store, NOTES, 6, made("be", "b", "e"), made("f", "f"))
        await self.do_next(store, NOTES, 8, made("gh", "g", "h"))
        assert await self.idle(store, NOTES)
        await store.forget(ADA, message_ids=["b"])
        assert ids(await store.records(ADA)) == ["c", "f", "gh"]
        assert await store.progress([NOTES]) == [Progress(NOTES, 2, 7)]
        assert await store.cursors(ADA, [NOTES]) == {"notes": 8}
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (0, 6)  # both batches, which lie together
        await store.commit(claim, Changes(3, put=(made("ab", "a"),)), now=at(1000))
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (3, 6)
        await store.release(claim, error="broken", due=at(1000))
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto, claim.attempts) == (3, 6, 1)
        await store.commit(claim, Changes(6, put=(made("be", "e"),)), now=at(1000))
        assert await self.idle(store, NOTES)
        assert await store.progress([NOTES]) == [Progress(NOTES, 7, 7)]
        assert ids(await store.records(ADA)) == ["ab", "be", "c", "f", "gh"]
        assert await store.cursors(ADA, [NOTES]) == {"notes": 8}

    async def test_gaps_come_before_what_is_new(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 2, made("ab", "a", "b"))
        await store.forget(ADA, message_ids=["a"])
        spans = list[tuple[int, int | None]]()
        for _ in range(2):
            claim = await self.claimed(store, NOTES)
            spans.append((claim.after, claim.upto))
            await store.commit(claim, Changes(claim.upto or claim.head), now=at(1000))
        assert spans == [(0, 2), (2, None)]
        assert await self.idle(store, NOTES)

    async def test_what_rested_on_nothing_else_is_not_derived_anew(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abc")
        await self.do_next(store, NOTES, 3, made("a", "a"), made("ab", "a", "b"), made("s", "c", session_id="s"))
        await store.forget(ADA, message_ids=["a", "b"])
        assert await self.idle(store, NOTES)
        await self.add(store, "d", session="t")
        await self.do_next(store, NOTES, 4)
        await store.forget(ADA, session_id="s")
        assert await self.idle(store, NOTES), "the session's own records go with it"

    async def test_a_session_takes_from_others_what_also_rested_on_it(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, "a", session="s")
        await self.add(store, "b", session="t")
        await self.do_next(store, NOTES, 2, made("ab", "a", "b"))
        await store.forget(ADA, session_id="s")
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (0, 2)

    async def test_only_what_is_behind_the_cursor_is_a_gap(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 4, made("abcd", *"abcd"))
        await store.rebuild([NOTES])
        await self.do_next(store, NOTES, 2)
        await store.forget(ADA, message_ids=["d"])
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (0, 2)
        await store.commit(claim, Changes(2), now=at(1000))
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (2, None)

    async def test_whoever_derives_while_something_is_erased_begins_again(self, store: Store) -> None:
        await store.register([NOTES, WORDS])
        await self.add(store, *"ab")
        claim, words = await self.claimed(store, NOTES), await self.claimed(store, WORDS)
        await store.forget(ADA, message_ids=["a"])
        with pytest.raises(Conflict):  # it may have read what is gone
            await store.commit(claim, Changes(2, put=(made("b", "b"),)), now=at(1000))
        assert await store.records(ADA) == []
        await self.do_next(store, NOTES, 2, made("b", "b"))
        await store.commit(words, Changes(2), now=at(1000))  # an index entry rests on its message alone

    async def test_a_gap_is_its_users_own(self, store: Store) -> None:
        await store.register([NOTES])
        for scope in (ADA, BOB):
            await self.add(store, *"ab", scope=scope)
            claim = await self.claimed(store, NOTES, scope)
            await store.commit(claim, Changes(2, put=(made("ab", "a", "b"),)), now=at(1000))
        await store.forget(ADA, message_ids=["a"])
        assert await self.idle(store, NOTES, scope=BOB)
        await store.forget(ADA, everything=True)
        assert await self.idle(store, NOTES)

    # -- rebuilds and new versions

    async def _four_notes(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 2, made("1", "a"), made("2", "b", key="k"))
        await self.do_next(store, NOTES, 4, made("3", "c"), record("x", "d", strategy="other"), close={"1": at(5)})

    async def _texts(self, store: Store, **which: Any) -> dict[str, str]:
        return {r.id: r.version for r in await store.records(ADA, current=None, **which)}

    @pytest.mark.parametrize("step", [NOTES, AGAIN])
    async def test_the_old_serves_until_the_new_has_caught_up(self, store: Store, step: Step) -> None:
        await self._four_notes(store)
        if step is NOTES:
            await store.rebuild([NOTES])
        else:
            await store.register([AGAIN])
        before = {"1": "1", "2": "1", "3": "1", "x": "1"}
        assert await self._texts(store) == before
        assert await self._texts(store, maker=step.name) == {"x": "1"}, "the step itself begins with nothing of its own"
        claim = await self.claimed(store, step)
        assert (claim.after, claim.upto) == (0, None)
        changes = Changes(2, put=(made("1", "a", step=step), made("4", "b", step=step)), close={"4": at(6), "2": at(6)})
        await store.commit(claim, changes, now=at(1000))
        assert await self._texts(store) == before
        assert (await store.records(ADA, ids=["2"]))[0].closed_at is None
        assert await self._texts(store, maker=step.name) == {"1": step.version, "4": step.version, "x": "1"}
        assert ids(await store.records(ADA, current=False, maker=step.name)) == ["4"]
        assert (await store.stats(ADA)).records == 4
        await self.do_next(store, step, 4, made("3", "c", step=step))
        after = {"1": step.version, "3": step.version, "4": step.version, "x": "1"}
        assert await self._texts(store) == await self._texts(store, maker=step.name) == after
        assert ids(await store.records(ADA, current=False)) == ["4"]
        assert await self.idle(store, step)

    async def test_what_came_meanwhile_need_not_be_waited_for(self, store: Store) -> None:
        await self._four_notes(store)
        await store.rebuild([NOTES])
        await self.add(store, *"efgh")
        await self.do_next(store, NOTES, 3)
        assert len(await store.records(ADA, current=None)) == 4
        await self.do_next(store, NOTES, 4, made("new", "a"))
        assert ids(await store.records(ADA)) == ["new", "x"]

    async def test_a_rebuild_that_begins_again_still_has_the_old(self, store: Store) -> None:
        await self._four_notes(store)
        await store.rebuild([NOTES])
        await self.do_next(store, NOTES, 2, made("half", "a"))
        claim = await self.claimed(store, NOTES)
        await store.register([AGAIN])
        with pytest.raises(Conflict):
            await store.commit(claim, Changes(4), now=at(1000))
        assert await self._texts(store, maker=NOTES.name) == {"x": "1"}
        await self.do_next(store, AGAIN, 2)
        assert len(await store.records(ADA, current=None)) == 4
        await self.do_next(store, AGAIN, 4, made("new", "a", step=AGAIN))
        assert await self._texts(store) == {"new": "2", "x": "1"}

    async def test_an_erasure_reaches_the_old_and_the_new(self, store: Store) -> None:
        await self._four_notes(store)
        await store.rebuild([NOTES])
        await self.do_next(store, NOTES, 2, made("1", "a", "b"))
        assert (await store.forget(ADA, message_ids=["a"])).records == 2
        assert ids(await store.records(ADA, current=None)) == ["2", "3", "x"]
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (0, 2)
        await store.commit(claim, Changes(2, put=(made("1", "b"),)), now=at(1000))
        await self.do_next(store, NOTES, 4)
        assert ids(await store.records(ADA, current=None)) == ["1", "x"]

    async def test_a_stride_that_is_not_full_does_not_hold_a_rebuild_up(self, store: Store) -> None:
        await self._four_notes(store)
        threes = Step(NOTES.name, "3", stride=3)
        await store.register([threes])
        await self.do_next(store, threes, 3, made("new", "a", step=threes))
        assert await self._texts(store) == {"new": "3", "x": "1"}

    async def test_a_rebuild_can_be_one_users(self, store: Store) -> None:
        await self._four_notes(store)
        await self.add(store, "a", scope=BOB)
        await store.commit(await self.claimed(store, NOTES, BOB), Changes(1), now=at(1000))
        await store.rebuild([NOTES, Step("unknown", "1")], ADA)
        await store.rebuild([NOTES], Scope("nobody"))
        assert await self.idle(store, NOTES, scope=BOB)
        assert (await self.claimed(store, NOTES, ADA)).after == 0

    async def test_records_can_be_dropped(self, store: Store) -> None:
        """Old and made anew; nothing is derived anew for it, and nobody else's go."""
        await self._four_notes(store)
        await store.drop(ADA, ["1", "x", "unknown"])
        assert (await self._texts(store)).keys() == {"2", "3"}
        assert await self.idle(store, NOTES)
        await store.rebuild([NOTES])
        await self.do_next(store, NOTES, 2, made("1", "a"), made("2", "b"))
        await store.drop(ADA, ["2"])
        await store.drop(BOB, ["1", "3"])
        assert (await self._texts(store)).keys() == {"3"}
        await self.do_next(store, NOTES, 4, made("3", "c"))
        assert (await self._texts(store)).keys() == {"1", "3"}

    # -- what was passed over

    async def test_what_is_passed_over_is_listed(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 2, failed={2: "ModelError: no", 99: "never was"})
        assert await store.failures() == [Failure(ADA, "notes", "b", "ModelError: no", at(1000))]
        assert await store.failures(ADA) == await store.failures()
        assert await store.failures(BOB) == await store.failures(Scope("nobody")) == []
        assert await store.progress([NOTES]) == [Progress(NOTES, 2, 4, (), 1)]
        await self.do_next(store, NOTES, 4)
        assert await store.progress([NOTES]) == [Progress(NOTES, 4, 4, (), 1)]

    async def test_what_was_passed_over_can_be_tried_again(self, store: Store) -> None:
        await store.register([NOTES, FOURS])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 4, failed={1: "no", 3: "no"})
        await self.do_next(store, FOURS, 1)
        await self.do_next(store, FOURS, 2, failed={2: "no"})
        await self.do_next(store, FOURS, 4)
        assert await store.retry([NOTES], BOB) == await store.retry([WORDS]) == 0
        assert await store.retry([NOTES, FOURS], ADA) == 3
        assert await store.failures() == []
        first = await self.do_next(store, NOTES, 1)
        second = await self.do_next(store, NOTES, 3, failed={3: "still no"})
        assert [(first.after, first.upto), (second.after, second.upto)] == [(0, 1), (2, 3)]
        claim = await self.do_next(store, FOURS, 4)
        assert (claim.after, claim.upto) == (0, 4)  # with those it is derived together with
        assert await self.idle(store, NOTES, FOURS)
        assert [failure.reason for failure in await store.failures()] == ["still no"]

    async def test_a_failure_goes_with_its_message_and_the_words_of_others(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abc")
        await self.do_next(store, NOTES, 3, failed={1: "ModelError: 'a'", 2: "ModelError: after 'a' said"})
        await store.forget(ADA, message_ids=["a"])
        assert [(f.message_id, f.reason) for f in await store.failures()] == [("b", "ModelError")]
        await store.rebuild([NOTES])
        assert await store.failures() == []

    # -- reading

    async def test_records_by_key_and_the_newest(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, "a")
        put = [made(f"r{n}", "a", key="odd" if n % 2 else None, when=n // 2) for n in range(6)]
        await self.do_next(store, NOTES, 1, *put)
        assert ids(await store.records(ADA, key="odd")) == ["r1", "r3", "r5"]
        assert ids(await store.records(ADA, newest=True, limit=3)) == ["r3", "r4", "r5"]
        assert ids(await store.records(ADA, newest=True)) == [f"r{n}" for n in range(6)]
        assert ids(await store.records(ADA, key="odd", newest=True, limit=1)) == ["r5"]
        assert await store.records(ADA, newest=True, limit=0) == []

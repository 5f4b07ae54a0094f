"""What a commit takes away: records that go, and records that other steps are to make again; and after an erasure."""

from __future__ import annotations

from typing import Any

import pytest

from jiyi.errors import Conflict
from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, MEANING, NOTES, WORDS, StoreCase, at, ids, record
from jiyi.types import Changes, Claim, Progress, Record, Step

RULES = Step("notes:rules", "1")
FOURS = Step("fours", "1", stride=4)


def made(name: str, *sources: str, step: Step = NOTES, **more: Any) -> Record:
    """A record of a step."""
    return record(name, *sources, strategy=step.name, version=step.version, **more)


class Stale(StoreCase):
    """``Changes.drop``, ``Changes.stale``; every stretch that may have made a record that an erasure takes."""

    async def do_next(self, store: Store, step: Step, cursor: int, *put: Record, **more: Any) -> Claim:
        """Takes the next batch of a step and writes it."""
        claim = await self.claimed(store, step, ADA)
        await store.commit(claim, Changes(cursor, put=put, **more), now=at(1000))
        return claim

    async def spans(self, store: Store, step: Step) -> list[tuple[int, int | None]]:
        """What is left to do, which is then done."""
        found = list[tuple[int, int | None]]()
        while (claim := await store.claim([step], now=at(1000), lease=60, scope=ADA)) is not None:
            found.append((claim.after, claim.upto))
            await store.commit(claim, Changes(claim.upto or claim.head), now=at(1000))
        return found

    # -- an erasure

    async def test_what_was_said_in_three_batches_is_derived_from_the_first_two(self, store: Store) -> None:
        await store.register([NOTES, FOURS])
        await self.add(store, *(f"m{i}" for i in range(1, 13)))
        for step, batch in ((NOTES, 3), (FOURS, 4)):
            said = list[str]()
            for upto in range(batch, 13, batch):  # said again in every batch: one record with one more source
                said.append(f"m{upto - 1}")
                await self.do_next(store, step, upto, made(f"tea:{step.name}", *said, step=step))
        await store.forget(ADA, message_ids=["m11"])
        assert await store.records(ADA, current=None) == []
        assert await self.spans(store, FOURS) == [(0, 12)]
        assert await self.spans(store, NOTES) == [(1, 2), (4, 5), (7, 8), (9, 12)], "each message, and the last batch"

    async def test_the_closing_message_goes_and_it_is_open_again(self, store: Store) -> None:
        await store.register([FOURS])
        await self.add(store, *(f"m{i}" for i in range(1, 13)))
        await self.do_next(store, FOURS, 4, made("job", "m2", step=FOURS))
        await self.do_next(store, FOURS, 8)
        await self.do_next(store, FOURS, 12, made("job", "m2", "m10", step=FOURS, closed_at=at(10)))
        assert await store.records(ADA) == []
        await store.forget(ADA, message_ids=["m10"])
        claim = await self.claimed(store, FOURS)
        assert (claim.after, claim.upto) == (0, 4)
        await store.commit(claim, Changes(4, put=(made("job", "m2", step=FOURS),)), now=at(1000))
        assert ids(await store.records(ADA)) == ["job"]
        assert await self.spans(store, FOURS) == [(8, 12)]

    async def test_who_may_stand_in_for_it_derives_anew_as_well(self, store: Store) -> None:
        near, far = Step("notes:rules:more", "1", stride=2), Step("notes2", "1")
        await store.register([NOTES, RULES, near, far, FOURS])
        await self.add(store, *(f"m{i}" for i in range(1, 9)))
        for step in (NOTES, RULES, near, far, FOURS):
            await self.do_next(store, step, 8)
        await self.add(store, "m9")
        await self.do_next(store, NOTES, 9, made("n", "m2", "m6", "m9"))
        await self.do_next(store, RULES, 9, made("r", "m9"))
        await store.forget(ADA, message_ids=["m9"])
        assert await self.spans(store, RULES) == [(1, 2), (5, 6)], "what it rested on, not the other's batch"
        assert await self.spans(store, near) == [(0, 2), (4, 6)]
        assert await self.spans(store, NOTES) == [(1, 2), (5, 6), (8, 9)]
        assert await self.spans(store, far) == [(8, None)]
        assert await self.idle(store, FOURS)

    async def test_only_as_far_as_the_cursor(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcdef")
        await self.do_next(store, NOTES, 2, made("abf", "a", "b", "f"))
        await store.forget(ADA, message_ids=["b"])
        assert await self.spans(store, NOTES) == [(0, 2), (2, None)]

    async def test_in_a_rebuild_too(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"abcd")
        await self.do_next(store, NOTES, 2, made("ab", "a", "b"))
        await self.do_next(store, NOTES, 4, made("ab", "a", "b", "d"))
        await store.rebuild([NOTES])
        await self.do_next(store, NOTES, 2, made("ab", "a", "b"))
        await store.forget(ADA, message_ids=["b"])
        assert await store.records(ADA) == [] == await store.records(ADA, maker=NOTES.name)
        claim = await self.claimed(store, NOTES)
        assert (claim.after, claim.upto) == (0, 2)
        await store.commit(claim, Changes(2, put=(made("ab", "a"),)), now=at(1000))
        assert await store.records(ADA) == []
        await self.do_next(store, NOTES, 4, made("ab", "a", "d"))
        assert [source.message_id for source in (await store.records(ADA))[0].sources] == ["a", "d"]

    # -- drop

    async def test_records_go_whoever_made_them(self, store: Store) -> None:
        await store.register([NOTES, RULES])
        await self.add(store, *"ab")
        await self.add(store, "a", scope=BOB)
        await self.note(store, made("r1", "a"), scope=BOB)
        await self.do_next(store, RULES, 2, *(made(f"r{i}", "a", step=RULES) for i in (1, 2, 3)))
        await self.do_next(store, NOTES, 1, made("n1", "a"), made("n2", "a"))
        await self.do_next(store, NOTES, 2, made("r3", "b"), drop=("r1", "n1", "r3", "nobody"), close={"r1": at(3)})
        assert ids(await store.records(ADA, current=None)) == ["n2", "r2", "r3"]
        assert (await store.records(ADA, ids=["r3"]))[0].strategy == NOTES.name, "what is put in the same commit stays"
        assert ids(await store.records(BOB)) == ["r1"]
        assert await self.idle(store, RULES, scope=ADA), "dropped is not stale"

    async def test_in_a_rebuild_what_is_shown_of_it_stays(self, store: Store) -> None:
        await store.register([NOTES, RULES])
        await self.add(store, *"ab")
        await self.do_next(store, RULES, 2, made("r", "a", step=RULES))
        await self.do_next(store, NOTES, 2, made("n", "a"), made("m", "b"))
        await store.rebuild([NOTES, RULES])
        await self.do_next(store, RULES, 1, made("r", "a", step=RULES))
        await self.do_next(store, NOTES, 1, made("n", "a"), drop=("r",))
        assert ids(await store.records(ADA)) == ["m", "n"], "the other's go, those shown and those made anew"
        assert await store.records(ADA, maker=RULES.name, kind="none") == []
        await self.do_next(store, NOTES, 1, drop=("n", "m"))
        assert ids(await store.records(ADA)) == ["m", "n"]
        assert ids(await store.records(ADA, maker=NOTES.name)) == []
        await self.do_next(store, RULES, 2)
        await self.do_next(store, NOTES, 2)
        assert await store.records(ADA) == []

    # -- a path that was left

    async def test_what_comes_to_the_path_or_leaves_it_is_derived_anew(self, store: Store) -> None:
        await store.register([WORDS, NOTES, FOURS])
        await self.add(store, *(f"m{i}" for i in range(1, 10)))
        for step, upto in ((WORDS, 9), (NOTES, 9), (FOURS, 8)):
            await self.do_next(store, step, upto, *([made("n", "m2")] if step is NOTES else []))
        await store.update_session(ADA, "s", at=at(20), head="m7")
        assert await self.spans(store, NOTES) == [(7, 9)]
        assert await self.spans(store, FOURS) == [(4, 8)]
        await self.add(store, "x", after="m1")
        assert await self.spans(store, FOURS) == [(0, 8)]
        assert await self.spans(store, NOTES) == [(1, 7), (9, None)]
        await store.update_session(ADA, "s", at=at(21), head="m9")
        assert await self.spans(store, NOTES) == [(1, 10)]
        await store.update_session(ADA, "s", at=at(22), head="m9")
        await self.add(store, "m10", after="m9")
        assert await self.spans(store, NOTES) == [(10, None)], "nothing was left"
        assert await self.spans(store, WORDS) == [(9, None)], "an index has every message"
        assert ids(await store.records(ADA)) == ["n"], "serves until then"

    async def test_who_derives_from_a_path_that_was_left_begins_again(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, "a", "b")
        claim = await self.claimed(store, NOTES)
        await store.update_session(ADA, "s", at=at(20), head="a")
        with pytest.raises(Conflict):
            await store.commit(claim, Changes(2), now=at(1000))
        assert (await self.claimed(store, NOTES)).after == 0

    async def test_what_a_stand_in_told_of_behind_the_cursor_it_tells_again(self, store: Store) -> None:
        near = Step("fours:rules", "1")
        await store.register([FOURS, near, RULES])
        await self.add(store, *(f"m{i}" for i in range(1, 7)))
        await self.do_next(store, RULES, 6)
        await self.do_next(store, FOURS, 4, made("tea", "m1", step=FOURS))
        await self.do_next(store, near, 6, made("tea", "m1", "m6", step=FOURS), made("own", "m5", step=near))
        await store.rebuild([FOURS])
        assert await self.idle(store, near)
        await self.do_next(store, FOURS, 4, made("tea", "m1", step=FOURS))
        assert [len(one.sources) for one in await store.records(ADA, ids=["tea"])] == [1]
        assert await self.spans(store, near) == [(5, 6)], "what only the old record rested on"
        assert await self.idle(store, RULES) and await self.idle(store, FOURS)

    # -- stale

    async def test_other_steps_derive_anew_what_rests_on_a_message(self, store: Store) -> None:
        await store.register([WORDS, NOTES, FOURS])
        await self.add(store, *(f"m{i}" for i in range(1, 13)))
        await store.commit(await self.claimed(store, WORDS), Changes(12), now=at(1000))
        for upto in (4, 8, 12):
            await self.do_next(store, FOURS, upto, made(f"f{upto}", f"m{upto}", "m1", step=FOURS))
        await self.do_next(store, NOTES, 6, made("n1", "m8"))
        await self.do_next(store, NOTES, 12, made("n2", "m8"), made("n3", "m9"), stale=("m8", "nobody"))
        assert ids(await store.records(ADA)) == ["f12", "f4", "n1", "n2", "n3"], "its own stay, old and new"
        assert await self.idle(store, WORDS, NOTES)
        assert await store.progress([FOURS]) == [Progress(FOURS, 4, 12)]
        assert await self.spans(store, FOURS) == [(0, 8)], "its batch, and the strides of what it rests on"
        assert await store.cursors(ADA, [FOURS]) == {"fours": 12}

    async def test_what_is_about_names_stays(self, store: Store) -> None:
        await store.register([NOTES, RULES])
        await self.add(store, *"ab")
        await self.do_next(store, RULES, 2, made("r", "a", step=RULES), made("tom", "a", step=RULES, links=("tom",)))
        await self.do_next(store, NOTES, 2, stale=("a",))
        assert ids(await store.records(ADA)) == ["tom"]
        assert await self.spans(store, RULES) == [(0, 2)]
        await store.forget(ADA, message_ids=["a"])
        assert await store.records(ADA) == [], "but an erasure takes it"

    async def test_who_says_so_derives_nothing_anew(self, store: Store) -> None:
        await store.register([NOTES, RULES])
        await self.add(store, *"ab")
        await self.do_next(store, NOTES, 2, made("n", "a"))
        await self.do_next(store, RULES, 2, made("r", "a", step=RULES), stale=("a",))
        assert ids(await store.records(ADA)) == ["r"]
        assert await self.idle(store, RULES)
        assert await self.spans(store, NOTES) == [(0, 2)]

    async def test_who_is_at_it_begins_again(self, store: Store) -> None:
        await store.register([NOTES, RULES, MEANING])
        await self.add(store, *"abcd")
        await self.do_next(store, RULES, 2, made("r", "a", step=RULES))
        busy, dense = await self.claimed(store, RULES), await self.claimed(store, MEANING)
        await self.do_next(store, NOTES, 4, stale=("b",))
        assert await store.renew(busy, now=at(1000), lease=60), "nothing of it rests on that"
        claim = await self.claimed(store, NOTES) if not await self.idle(store, NOTES) else None
        assert claim is None
        await self.add(store, "e")
        await self.do_next(store, NOTES, 5, stale=("a",))
        with pytest.raises(Conflict):
            await store.commit(busy, Changes(4), now=at(1000))
        await store.commit(dense, Changes(5), now=at(1000))
        assert await self.spans(store, RULES) == [(0, 2), (2, None)]

    async def test_what_another_made_anew_goes_too(self, store: Store) -> None:
        await store.register([NOTES, RULES])
        await self.add(store, *"abcd")
        await self.do_next(store, RULES, 4, made("r", "a", "d", step=RULES))
        await store.rebuild([RULES])
        await self.do_next(store, RULES, 2, made("r", "a", step=RULES))
        await self.do_next(store, NOTES, 4, stale=("a",))
        assert await store.records(ADA) == [] == await store.records(ADA, maker=RULES.name)
        assert await self.spans(store, RULES) == [(0, 2), (2, None)]

    async def test_nothing_is_stale_for_a_step_that_is_no_more(self, store: Store) -> None:
        await store.register([NOTES])
        await self.add(store, *"ab")
        await self.do_next(store, NOTES, 1, made("old", "a", step=Step("nobody", "1")))
        await self.do_next(store, NOTES, 2, stale=("a",))
        assert await store.records(ADA) == []

"""What models were used for, by user, day and purpose."""

from __future__ import annotations

from datetime import date, timedelta

from jiyi.ports import Store
from jiyi.testing.store.case import ADA, BOB, StoreCase
from jiyi.types import Scope, Spent, Usage

DAY = date(2025, 3, 1)
NEXT = DAY + timedelta(days=1)


class Spending(StoreCase):
    """``spend``, ``spent``."""

    async def test_it_adds_up_by_user_day_and_purpose(self, store: Store) -> None:
        await self.add(store, "a")
        await self.add(store, "b", scope=BOB)
        await store.spend(ADA, "notes", NEXT, Usage(1, 50, 5))
        await store.spend(ADA, "answer", DAY, Usage(1, 100, 10), saved=900)
        await store.spend(BOB, "answer", DAY, Usage(1, 7))
        await store.spend(ADA, "answer", DAY, Usage(2, 200, 20), saved=100)
        await store.spend(ADA, "Answer", DAY, Usage(0, 1))
        ada = [
            Spent(ADA, DAY, "Answer", Usage(0, 1)),
            Spent(ADA, DAY, "answer", Usage(3, 300, 30), 1000),
            Spent(ADA, NEXT, "notes", Usage(1, 50, 5)),
        ]
        bob = Spent(BOB, DAY, "answer", Usage(1, 7))
        assert await store.spent() == [*ada[:2], bob, ada[2]]
        assert await store.spent(ADA) == ada
        assert await store.spent(since=NEXT) == await store.spent(ADA, since=NEXT) == ada[2:]
        assert await store.spent(ADA, since=DAY) == ada
        assert await store.spent(ADA, since=NEXT + timedelta(days=1)) == []
        assert await store.spent(Scope("nobody")) == []

    async def test_days_in_order_whatever_the_year(self, store: Store) -> None:
        await self.add(store, "a")
        days = [date.max, date(2025, 10, 1), date(2025, 9, 30), date(999, 1, 1), date.min]
        for day in days:
            await store.spend(ADA, "answer", day, Usage(1))
        assert [spent.day for spent in await store.spent()] == days[::-1]

    async def test_it_is_erased_with_the_user_and_makes_none(self, store: Store) -> None:
        await store.spend(ADA, "answer", DAY, Usage(1, 1, 1))
        assert (await store.spent(), await store.scopes()) == ([], [])
        await self.add(store, "a", "b")
        await store.spend(ADA, "answer", DAY, Usage(1, 1, 1))
        await store.forget(ADA, message_ids=["a"])
        assert len(await store.spent(ADA)) == 1
        await store.forget(ADA, everything=True)
        assert await store.spent() == []
        await self.add(store, "a")
        assert await store.spent() == []

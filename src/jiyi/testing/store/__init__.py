"""The suite that every store passes: each sentence of ``Store`` in ``jiyi.ports`` as a test."""

from __future__ import annotations

from jiyi.testing.store.anew import Anew
from jiyi.testing.store.branches import Branches
from jiyi.testing.store.checkpoints import Checkpoints
from jiyi.testing.store.commands import Commands
from jiyi.testing.store.derivation import Derivation
from jiyi.testing.store.durability import Durability
from jiyi.testing.store.erasure import Erasure
from jiyi.testing.store.found import RecordLook, RecordVectors
from jiyi.testing.store.given import Given
from jiyi.testing.store.hostile import Hostile
from jiyi.testing.store.index import Meaning, Words
from jiyi.testing.store.isolation import Isolation
from jiyi.testing.store.leases import Leases
from jiyi.testing.store.links import Links
from jiyi.testing.store.log import Log
from jiyi.testing.store.look import Look
from jiyi.testing.store.machine import Machine
from jiyi.testing.store.records import Records
from jiyi.testing.store.spending import Spending
from jiyi.testing.store.stale import Stale


class StoreConformance(
    Log,
    Commands,
    Branches,
    Checkpoints,
    Words,
    Meaning,
    Look,
    Given,
    Records,
    Links,
    RecordLook,
    RecordVectors,
    Leases,
    Derivation,
    Anew,
    Stale,
    Erasure,
    Spending,
    Isolation,
    Hostile,
    Durability,
    Machine,
):
    """Subclass it, and give ``open``::

        class TestMyStore(StoreConformance):
            async def open(self, path):
                return await MyStore.open(path / "jiyi.db")

    A store that keeps nothing beyond its process sets ``durable = False``.
    """


__all__ = ["StoreConformance"]

"""Measures one system on one corpus in a process of its own; prints one JSON object.

python bench/compare/measure.py CORPUS FOLDER SYSTEM speed|reopen|recall
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import offline
import psutil
from corpus import Corpus, Item, load
from systems import SYSTEMS, VARIANTS, System

K = 10
SEARCHES = 200
BATCH = 100
SINGLE = 1000
"""Messages that are added one by one, the last of a corpus."""
SLOW = 60.0
"""Seconds after which a run of searches ends, though not before 30 of them."""


class Watch:
    """Time and CPU of the whole process, since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def wall(self) -> float:
        return time.perf_counter() - self._wall

    def cpu(self) -> float:
        return time.process_time() - self._cpu


def resident() -> int:
    return psutil.Process().memory_info().rss


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def speed(make: Callable[[], System], corpus: Corpus, folder: Path) -> dict[str, float]:
    """In batches up to the last thousand, those one by one, then searches; the bytes on disk after closing."""
    before = resident()
    system = make()
    first, last = corpus.items[:-SINGLE], corpus.items[-SINGLE:]
    found = bulk(system, sorted(first, key=lambda item: item.user)) if first else {}
    found |= singly(system, last)
    found |= search(system, corpus)
    found["memory_mb"] = (resident() - before) / 1e6
    system.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and "mem0-home" not in file.parts)
    text = sum(len(item.text.encode()) for item in corpus.items)
    return found | {"disk_bytes": size / len(corpus.items), "text_bytes": text / len(corpus.items)}


def bulk(system: System, items: Sequence[Item]) -> dict[str, float]:
    """A hundred messages in a call, user after user."""
    watch = Watch()
    for first in range(0, len(items), BATCH):
        system.add_many(items[first : first + BATCH])
    system.settle()
    return {"bulk_per_s": len(items) / watch.wall(), "bulk_cpu_ms": watch.cpu() / len(items) * 1e3}


def singly(system: System, items: Sequence[Item]) -> dict[str, float]:
    """One message in a call, as a chat does; of several users in turns."""
    times: list[float] = []
    watch = Watch()
    for item in items:
        one = Watch()
        system.add(item)
        times.append(one.wall() * 1e3)
    acknowledged = watch.wall()
    system.settle()
    return {
        "add_per_s": len(items) / acknowledged,
        "findable_per_s": len(items) / watch.wall(),
        "add_p50_ms": percentile(times, 0.5),
        "add_p95_ms": percentile(times, 0.95),
        "add_cpu_ms": watch.cpu() / len(items) * 1e3,
    }


def search(system: System, corpus: Corpus) -> dict[str, float]:
    """Questions one after the other, each to the next user; the first ten only warm up."""
    users = list(dict.fromkeys(item.user for item in corpus.items))
    questions = [question.text for question in corpus.questions]

    def ask(number: int) -> None:
        system.search(users[number % len(users)], questions[number % len(questions)], K)

    for number in range(10):
        ask(number)
    times: list[float] = []
    watch = Watch()
    for number in range(10, 10 + SEARCHES):
        one = Watch()
        ask(number)
        times.append(one.wall() * 1e3)
        if watch.wall() > SLOW and len(times) >= 30:
            break
    return {
        "search_p50_ms": percentile(times, 0.5),
        "search_p95_ms": percentile(times, 0.95),
        "search_cpu_ms": watch.cpu() / len(times) * 1e3,
        "searches": len(times),
    }


def reopen(make: Callable[[], System], corpus: Corpus) -> dict[str, float]:
    """A process that starts again: importing, opening what ``speed`` left, the first answer."""
    watch = Watch()
    system = make()
    if not any(system.search(corpus.items[0].user, question.text, K) for question in corpus.questions[:20]):
        raise RuntimeError("nothing is found after opening again")
    found = {"reopen_ms": watch.wall() * 1e3}
    system.close()
    return found


def recall(make: Callable[[], System], corpus: Corpus) -> dict[str, object]:
    """The first ten for every question."""
    system = make()
    for first in range(0, len(corpus.items), BATCH):
        system.add_many(corpus.items[first : first + BATCH])
    system.settle()
    rankings = [system.search(question.user, question.text, K) for question in corpus.questions]
    system.close()
    return {"rankings": rankings}


def main() -> None:
    """Measures what the command line says."""
    place, where, name, task = sys.argv[1:]
    offline.forbid_network()
    corpus, folder = load(Path(place)), Path(where)
    folder.mkdir(parents=True, exist_ok=True)

    def make() -> System:
        return {**SYSTEMS, **VARIANTS}[name](folder, corpus)

    if task == "speed":
        found: dict[str, object] = {**speed(make, corpus, folder)}
    elif task == "reopen":
        found = {**reopen(make, corpus)}
    else:
        found = recall(make, corpus)
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""Jiyi beside other memories, in one run, with the same embedder, messages and questions.

    python bench/compare/run.py --data DIR [--quick] [--json FILE] [--page FILE] [--cache DIR] [--only SYSTEM,...]
        [--part speed|recall]

DIR holds the folders of the sets (``locomo``, ``memorybank_zh``), each with ``conversations.jsonl`` and
``questions.jsonl``.  Needs an environment with ``requirements.txt``: ``make compare`` makes one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import offline
import tables
from corpus import save
from prepare import DataSet, Embedding, read, speed_items
from systems import SYSTEMS, VARIANTS

from jiyi.eval import Row, score, summary

HERE = Path(__file__).parent
SETS = ("locomo", "memorybank_zh")
SIZES = {"1 user × 1,000": (1, 1000), "1 user × 10,000": (1, 10_000), "200 users × 100": (200, 100)}
QUICK = {"1 user × 200": (1, 200), "20 users × 60": (20, 60)}
PACKAGES = (
    "jiyi",
    "chromadb",
    "langchain-chroma",
    "langchain-core",
    "mem0ai",
    "qdrant-client",
    "fastembed",
    "numpy",
    "onnxruntime",
)


def processor() -> str:
    """The kind of processor, as Linux names it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def child(corpus: Path, folder: Path, system: str, task: str) -> dict[str, object]:
    """Runs ``measure.py``; what goes wrong there is a row that says so, not the end of the run."""
    print(f"  {task:7} {corpus.name:18} {system}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, str(HERE / "measure.py"), str(corpus), str(folder), system, task],
        env=offline.environment(folder), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(done.stderr[-3000:], file=sys.stderr)
        return {"error": (done.stderr.strip().splitlines() or ["?"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def recall_row(found: DataSet, rankings: Sequence[Sequence[str]]) -> dict[str, object]:
    """The measures of one system on one set, over the answerable questions, by messages."""
    rows: list[Row] = []
    answers = iter(rankings)
    for conversation in found.conversations:
        for label in conversation.labels:
            ranking = [key.removeprefix(f"{conversation.id}/") for key in next(answers)]
            rows += [row for row in score(label, ranking, conversation.session_of, (5, 10)) if row.level == "message"]
    return summary(rows, "message")[0]


class Run:
    """Measures row by row."""

    def __init__(self, sets: Sequence[DataSet], chosen: Sequence[str], work: Path, cache: Path) -> None:
        self._sets, self._chosen, self._work = sets, chosen, work
        self._questions = [question for found in sets for question in found.questions]
        self._embedding = Embedding(cache)

    def embedder(self) -> dict[str, float]:
        """The embedder's own time."""
        return self._embedding.speed([item for found in self._sets for item in found.items], self._questions)

    def speed(self, sizes: Mapping[str, tuple[int, int]]) -> Iterator[tuple[str, str, dict[str, object]]]:
        """Size, system, figures; one process after the other."""
        for size, (users, each) in sizes.items():
            place = self._work / f"{users}x{each}"
            save(self._embedding.corpus(speed_items(self._sets, users, each), self._questions), place)
            for system in self._chosen:
                folder = self._work / system / place.name
                load = {"load": round(os.getloadavg()[0], 1)}  # what else ran: a busy machine stretches every wall time
                yield (
                    size,
                    system,
                    load | child(place, folder, system, "speed") | child(place, folder, system, "reopen"),
                )

    def recall(self) -> Iterator[tuple[str, str, dict[str, object]]]:
        """Set, system, measures; nothing is timed, so processes run beside each other."""
        recalled = [name for base in self._chosen for name in (base, *VARIANTS) if name.split(",")[0] == base]
        for found in self._sets:
            place = self._work / found.name
            save(self._embedding.corpus(found.items, found.questions), place)

            def one(system: str, found: DataSet = found, place: Path = place) -> dict[str, object]:
                row = child(place, self._work / "recall" / found.name / system, system, "recall")
                return recall_row(found, row["rankings"]) if "rankings" in row else row

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for system, row in zip(recalled, pool.map(one, recalled), strict=True):
                    yield found.name, system, row


def main() -> None:
    """Measures, prints the tables, writes the JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--quick", action="store_true", help="small corpora, one conversation of each set")
    parser.add_argument("--json", type=Path, help="write all numbers to this file, after each row")
    parser.add_argument("--page", type=Path, help="put the tables into this page, between its two marks")
    parser.add_argument("--cache", type=Path, default=Path(sys.prefix) / "vectors", help="where vectors are kept")
    parser.add_argument("--only", default=",".join(SYSTEMS), help="systems to measure, of " + ", ".join(SYSTEMS))
    parser.add_argument("--part", choices=("speed", "recall"), help="only this part")
    given = parser.parse_args()
    chosen = given.only.split(",")
    if unknown := set(chosen) - set(SYSTEMS):
        parser.error(f"there is no system {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}")
    start = time.time()
    result: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d", time.gmtime(start)),
        "quick": given.quick,
        "machine": {
            "cpu": processor(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "python": platform.python_version(),
        },
        "versions": {name: version(name) for name in PACKAGES},
        "speed": {},
        "recall": {},
    }
    with tempfile.TemporaryDirectory() as work:
        sets = [read(given.data / name, most=1 if given.quick else None) for name in SETS]
        run = Run(sets, chosen, Path(work), given.cache)
        parts = {"speed": lambda: run.speed(QUICK if given.quick else SIZES), "recall": run.recall}
        for part in [given.part] if given.part else parts:
            for group, system, row in parts[part]():
                result[part].setdefault(group, {})[system] = row
                result["minutes"] = round((time.time() - start) / 60, 1)
                if given.json:
                    given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        result["embedder"] = run.embedder()
    shown = tables.markdown(result)
    print(shown)
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if given.page:
        given.page.write_text(tables.inserted(given.page.read_text(encoding="utf-8"), shown), encoding="utf-8")


if __name__ == "__main__":
    main()

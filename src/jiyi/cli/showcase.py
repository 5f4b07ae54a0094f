"""``demo``: the whole way in a minute, on shipped conversations in English and Chinese."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

import click

from jiyi.cli.app import Interrupted, State, opened, run, shared
from jiyi.cli.indexing import with_bars
from jiyi.cli.output import clean, console, progress_bars, short, show_bar, when, write_json
from jiyi.cli.values import hit_json
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.eval.dataset import Label, Question, read_dataset
from jiyi.importing import Entry
from jiyi.tokens import count_message
from jiyi.types import Hit

LANGUAGES = {"en": "English", "zh": "中文"}

ASKED = {"en": ("en-q10", "en-q03", "en-q01", "en-q02"), "zh": ("zh-q03", "zh-q06", "zh-q08", "zh-q04")}
"""Questions of the samples that are asked; the first one of each gives the context that is shown."""

HITS = 3
BUDGET = 1000


@dataclass
class Shown:
    """One sample: what it holds, what was found, and what a model would get."""

    language: str
    user: str
    messages: int
    sessions: int
    history_tokens: int
    asked: list[tuple[Question, Label, list[Hit]]]
    context: Context | None = None
    question: str = ""


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), metavar="PATH", help="Keep the demo's database in this file.")
@shared
@click.pass_obj
def demo(state: State, keep: Path | None) -> None:
    """Import two shipped conversations, ask about them in other words, and show the context."""
    if keep is not None and keep.exists():
        raise InvalidInput("keep", f"{keep.absolute()} exists already; name a new file")
    with tempfile.TemporaryDirectory(prefix="jiyi-demo-") as folder:
        path = keep or Path(folder) / "demo.db"
        state.db = str(path)
        try:
            embedder, shown = run(_work(state))
        except KeyboardInterrupt as error:
            raise Interrupted("stopped; `jiyi demo` begins anew") from error
    if state.json:
        write_json({"embedder": embedder, "db": str(keep.absolute()) if keep else None, "samples": _as_json(shown)})
        return
    _show(shown, embedder, keep)


async def _work(state: State) -> tuple[str, list[Shown]]:
    async with opened(state, create=True) as memory:
        shown = [await _store(memory, language) for language in LANGUAGES]
        await with_bars(memory.drain)
        for sample in shown:
            await _ask(memory, sample)
        return memory.searcher.embedder.name if memory.searcher.embedder else "", shown


async def _store(memory: AsyncMemory, language: str) -> Shown:
    entries, questions = _sample(language)
    sessions: dict[str, list[Entry]] = {}
    for entry in entries:
        sessions.setdefault(entry.session_id, []).append(entry)
    user = entries[0].user_id
    with progress_bars() as bars:
        task = bars.add_task(f"storing ({LANGUAGES[language]})", total=len(entries))
        for session_id, said in sessions.items():
            await memory.session(session_id, user_id=user).add_many([entry.fields for entry in said])
            bars.advance(task, len(said))
    tokens = sum(count_message(memory.counter, _plain(entry)) for entry in entries)
    asked: list[tuple[Question, Label, list[Hit]]] = [(question, label, []) for question, label in questions]
    return Shown(language, user, len(entries), len(sessions), tokens, asked)


def _plain(entry: Entry) -> dict[str, object]:
    return {"role": entry.fields["role"], "content": entry.fields["content"]}


def _sample(language: str) -> tuple[Sequence[Entry], list[tuple[Question, Label]]]:
    """A shipped conversation, read with the reader that `import` and `eval` use."""
    files = resources.files("jiyi.cli") / "samples"
    with tempfile.TemporaryDirectory(prefix="jiyi-demo-") as folder:
        for name, origin in (("conversations", f"{language}.jsonl"), ("questions", f"{language}.questions.jsonl")):
            (Path(folder) / f"{name}.jsonl").write_bytes((files / origin).read_bytes())
        (sample,) = read_dataset(Path(folder), hidden=False)
    pairs = {
        label.question_id: (question, label) for question, label in zip(sample.questions, sample.labels, strict=True)
    }
    return sample.entries, [pairs[question_id] for question_id in ASKED[language]]


async def _ask(memory: AsyncMemory, sample: Shown) -> None:
    for question, _, hits in sample.asked:
        hits += await memory.search(question.text, user_id=sample.user, k=HITS)
    sample.question = sample.asked[0][0].text
    sample.context = await memory.session(user_id=sample.user).context(sample.question, max_tokens=BUDGET)


def _as_json(shown: Sequence[Shown]) -> list[dict[str, Any]]:
    return [
        {
            "language": sample.language,
            "user_id": sample.user,
            "messages": sample.messages,
            "history_tokens": sample.history_tokens,
            "questions": [
                {"question": question.text, "evidence": label.evidence, "hits": [hit_json(hit) for hit in hits]}
                for question, label, hits in sample.asked
            ],
            "context": sample.context.to_dict() if sample.context else None,
        }
        for sample in shown
    ]


# -- what people see ----------------------------------------------------------------------------------------------


def _show(shown: Sequence[Shown], embedder: str, keep: Path | None) -> None:
    from rich.rule import Rule
    from rich.text import Text

    out = console()
    if not embedder:
        out.print(
            "Without an embedder: full text alone finds only what shares words with the question.\n"
            'pip install "jiyi[local]" finds by meaning, on this machine, without network.'
        )
    for sample in shown:
        out.print(Rule(Text(LANGUAGES[sample.language], style="bold")))
        out.print(
            f"{sample.messages} messages of {sample.user} in {sample.sessions} sessions, "
            f"{sample.history_tokens:,} tokens. Asked in other words,\n"
            "with no model and no network (✓ holds the answer; in brackets: session, message, relevance):\n"
        )
        for question, label, hits in sample.asked:
            _show_answer(question, label, hits)
        _show_context(sample)
    _show_end(shown, embedder, keep)


def _show_answer(question: Question, label: Label, hits: Sequence[Hit]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(Text(f"? {question.text}", style="bold cyan"))
    # in columns: Chinese has no blanks, and a line would break right after the name
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bright_black")
    table.add_column(overflow="fold")
    for hit in hits:
        found = hit.message.id in label.evidence
        mark = Text("  ✓" if found else "  ·", style="bold green" if found else "bright_black")
        said = Text(clean(short(hit.text, 200)), style="green" if found else "")
        said.append(f"  [{hit.message.session_id}, {hit.message.id}, {hit.relevance:.2f}]", style="bright_black")
        table.add_row(mark, Text(f"{when(hit.message.created_at)} {hit.message.name or hit.message.role}:"), said)
    out.print(table)
    if not hits:
        out.print("  nothing above the relevance floor")
    out.print()


def _show_context(sample: Shown) -> None:
    from rich.panel import Panel
    from rich.text import Text

    context = sample.context
    if context is None:
        return
    out = console()
    body = Text()
    for message in cast("Sequence[dict[str, object]]", context.messages):
        body.append(f"{message['role']}: ", style="bold")
        body.append(clean(str(message["content"])) + "\n")
    body.rstrip()
    out.print(
        Panel(
            body,
            title=Text(f"what a model would get for: {sample.question}"),
            title_align="left",
            width=min(out.width, 110),
        )
    )
    show_bar(context, title="context")
    share = context.tokens / sample.history_tokens if sample.history_tokens else 0
    out.print(Text(f"the full history has {sample.history_tokens:,} tokens: {1 - share:.0%} saved\n", style="bold"))


def _show_end(shown: Sequence[Shown], embedder: str, keep: Path | None) -> None:
    from rich.rule import Rule
    from rich.text import Text

    out = console()
    out.print(Rule(Text("How to go on", style="bold")))
    if embedder:
        out.print(f"embedder: {embedder}, on this machine's CPU")
    user = shown[0].user
    if keep is not None:
        out.print(f'  jiyi --db {keep} search --user {user} "your question"')
    else:
        out.print("  jiyi demo --keep demo.db            keeps the database of this demo, to ask more of it")
        out.print(f'  jiyi --db demo.db search --user {user} "your question"')
    out.print("  jiyi import FILE --user NAME        imports your own chats: OpenAI messages, JSONL, a directory")
    out.print('  jiyi context --user NAME "…"        shows what a model would get, and why')
    out.print("  jiyi doctor                         what is installed, and what could be")

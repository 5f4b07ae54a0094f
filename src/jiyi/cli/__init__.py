"""The command line: ``jiyi``, or ``python -m jiyi``."""

from __future__ import annotations

from jiyi.cli.about import about
from jiyi.cli.app import App
from jiyi.cli.chat import chat
from jiyi.cli.checkpoint import checkpoint
from jiyi.cli.choosing import recipes as eval_recipes
from jiyi.cli.costing import cost
from jiyi.cli.decaying import decay
from jiyi.cli.doctor import completion, doctor
from jiyi.cli.drafting import export_questions
from jiyi.cli.erase import forget
from jiyi.cli.evaluate import evaluate
from jiyi.cli.expiring import expire
from jiyi.cli.fitting import fit_weights
from jiyi.cli.flooring import floor
from jiyi.cli.graphs import entities, graph
from jiyi.cli.grouping import merge, rename, split
from jiyi.cli.history import add, remember, sessions, users
from jiyi.cli.moving import export, import_
from jiyi.cli.quizzing import answers
from jiyi.cli.recall import context, search
from jiyi.cli.recalling import recall
from jiyi.cli.recipes import recipes
from jiyi.cli.records import records
from jiyi.cli.reporting import report
from jiyi.cli.showcase import demo
from jiyi.cli.snapshots import snapshots
from jiyi.cli.topics import topics
from jiyi.cli.upkeep import backup, failures, rebuild, reindex, restore, stats

COMMANDS = (
    chat, add, remember, import_, export, sessions, users, search, context, about, entities, graph, records,
    topics, snapshots, recipes, checkpoint, forget, expire, reindex, rebuild, failures, backup, restore, stats,
    doctor, demo, evaluate, completion,
)  # fmt: skip

for command in (merge, split, rename):
    records.add_command(command)
evaluate.add_command(decay)
evaluate.add_command(floor)
evaluate.add_command(eval_recipes)
evaluate.add_command(recall)
evaluate.add_command(fit_weights)
evaluate.add_command(export_questions)
evaluate.add_command(answers)
evaluate.add_command(cost)
evaluate.add_command(report)
app = App(COMMANDS)


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    app()


__all__ = ["app", "main"]

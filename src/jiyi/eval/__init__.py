"""Measures recall on conversations with questions and marked evidence, one's own or a public set; and over time."""

from jiyi.eval.dataset import Conversation, Label, Question, read_dataset
from jiyi.eval.recall import Replay
from jiyi.eval.scores import Row, score, summary
from jiyi.eval.vectors import KeptVectors

__all__ = [
    "Conversation",
    "KeptVectors",
    "Label",
    "Question",
    "Replay",
    "Row",
    "read_dataset",
    "score",
    "summary",
]

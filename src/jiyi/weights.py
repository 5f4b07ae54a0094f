"""The constants of the ranking, and how somebody sets them: a file, a mapping, or a value that is ready."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeAlias, cast

from jiyi.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the ranking, chosen by hand and one at a time on public conversation sets (decision 16).

    Scores count in standard deviations over the scope.

    Attributes:
        dense, words: of a message's own cosine and BM25.
        near_dense, near_words: of those of the message before and of the one after.
        answer: how much more a question lends to the message after it: ``1.5`` is two and a half times as much.
        session_words: of the best BM25 in the session.
        session_sum: of the session's best three messages together, standardised over the sessions.
        session_mix: of BM25 in that sum, where a cosine counts 1.
        session_terms: of the question's words that the session's candidates have together, standardised over the
            sessions, where it has more than one.
        piece: taken off for every doubling of a long message's pieces (see ``ranking``).
        speaker: for a message of the speaker whom the query names; against those of the others.
        date: for a message of a time that the query names.
        user: for the user's messages when the user asks about himself.
        assistant: for the assistant's when it is asked what it said.
        alone: of the cosine, when the user asks about himself, of a message that has nothing else to lift it: a fact
            told once among other talk has neither neighbours nor session.
        short_question: terms up to which a question counts as one for a single fact; ``alone`` is for those.
        spread: taken off, when a question is longer, for every message that its session has before it: who says much
            needs more than one session.
        gate_low, gate_span, gate_least: BM25 weighs ``(c - low) / span``, from ``least`` to 1; c is the largest share
            of the query's idf that one message covers.  Stray words say little.
        prior: messages' worth of belief in ``dense_mean`` … ``words_deviation`` when a scope is small.
        dense_mean, dense_deviation: of cosines, centred as the bundled embedder's are.
        words_mean, words_deviation: of BM25.
        slope, middle: of the relevance, see ``relevance``: how steep it is in the cosine, and where it is a half.
        cover: of the share of the query's idf that a message covers, in cosines.
        scope_mean: of the scope's mean cosine, against it.
        growth: by how much the middle rises with the logarithm of the scope's size.
        small_scope: by how much it is lower in the smallest.
        speaker_named, stranger_named: by how much it is lower when the query names a speaker of the scope, higher when
            it names somebody of whom there is no word.
        companions: how far (logits) below even odds a message is let in beside a relevant one.
        cover_slope, cover_middle: of the relevance where there is no vector.
        exact: the share of a telling question's idf at which a message is as likely as not meant, whatever its cosine.
        floor: least relevance of a hit; what it turns away and costs is measured in docs/benchmarks/floor.md.
    """

    dense: float = 1.5
    words: float = 0.6
    near_dense: float = 0.2
    near_words: float = 0.1
    answer: float = 1.5
    session_words: float = 0.14
    session_sum: float = 0.2
    session_mix: float = 0.7
    session_terms: float = 0.4
    piece: float = 0.5
    speaker: float = 0.3
    date: float = 4.0
    user: float = 2.0
    assistant: float = 1.5
    alone: float = 2.2
    short_question: float = 12.0
    spread: float = 0.6
    gate_low: float = 0.15
    gate_span: float = 0.5
    gate_least: float = 0.45
    prior: float = 20.0
    dense_mean: float = 0.0
    dense_deviation: float = 0.12
    words_mean: float = 0.5
    words_deviation: float = 1.5
    slope: float = 30.0
    middle: float = 0.15
    scope_mean: float = 0.3
    cover: float = 0.15
    growth: float = 0.03
    small_scope: float = 0.05
    speaker_named: float = 0.1
    stranger_named: float = 0.03
    companions: float = 6.0
    cover_slope: float = 20.0
    cover_middle: float = 0.12
    exact: float = 0.85
    floor: float = 0.5

    def gate(self, cover: float) -> float:
        """Weight of full text when the best message covers this share of the query's idf."""
        return min(1.0, max(self.gate_least, (cover - self.gate_low) / self.gate_span))


DEFAULT = Weights()


Ranking: TypeAlias = "Weights | Mapping[str, object] | str | Path | None"
"""``Weights``; a mapping of some of its fields; the path of a JSON file with such an object; None or "" for the
shipped ones."""

_ABOVE_ZERO = frozenset({"prior", "gate_span", "dense_deviation", "words_deviation"})  # something is divided by them
_MOST = 1_000_000
"""Of any weight, so that no score becomes infinite."""


def settable() -> dict[str, float]:
    """Every field with its shipped value, in the order of ``Weights``."""
    return {field.name: getattr(DEFAULT, field.name) for field in fields(Weights)}


def weights_of(ranking: Ranking) -> Weights:
    """The constants that ``ranking`` stands for; what it leaves out is as shipped.

    Raises:
        InvalidInput: a file that cannot be read, a field that is not there or cannot be set, a value that is no usable
            number; names the field.
    """
    if ranking is None or ranking == "":
        return DEFAULT
    if isinstance(ranking, Weights):
        return _checked(changes(ranking), "ranking")
    if isinstance(ranking, str | Path):
        return _checked(_read(Path(ranking).expanduser()), str(ranking))
    if isinstance(ranking, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _checked(ranking, "ranking")
    raise InvalidInput("ranking", f"must be a file's path, a mapping or Weights, not {type(ranking).__name__}")


def changes(weights: Weights) -> dict[str, float]:
    """The fields in which weights differ from the shipped ones."""
    values = {field.name: getattr(weights, field.name) for field in fields(Weights)}
    return {name: value for name, value in values.items() if value != getattr(DEFAULT, name)}


def _read(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = error.strerror or str(error)
        raise InvalidInput(
            "ranking", f"cannot read {path.absolute()}: {why}. Name a JSON file with weights, or leave the setting out"
        ) from error
    except ValueError as error:  # neither UTF-8 nor JSON
        raise InvalidInput("ranking", f"{path} is not a JSON file: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput("ranking", f'{path} must hold one object such as {{"floor": 0.6}}')
    return cast("Mapping[str, object]", value)


def _checked(given: Mapping[str, object], origin: str) -> Weights:
    known = settable()
    values: dict[str, float] = {}
    for name, value in given.items():
        field = f"ranking.{name}"
        if name not in known:
            raise InvalidInput(field, f"there is no such weight ({origin}); there are {', '.join(sorted(known))}")
        values[name] = _number(field, value)
        if name in _ABOVE_ZERO and values[name] <= 0:
            raise InvalidInput(field, f"must be above 0, not {value!r}")
    if not 0 <= values.get("floor", 0) <= 1:
        raise InvalidInput("ranking.floor", f"must be a number from 0 to 1, not {values['floor']!r}")
    return replace(DEFAULT, **values)


def _number(field: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= _MOST:
        raise InvalidInput(field, f"must be a number from -{_MOST:,} to {_MOST:,}")
    return float(value)

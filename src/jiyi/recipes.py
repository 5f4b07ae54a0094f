"""Named combinations of strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from types import MappingProxyType
from typing import Any, cast, get_args

from jiyi.attributes import Attribute, Values
from jiyi.errors import InvalidInput, NotFound
from jiyi.plugins import load
from jiyi.ports import LLM, Deriver, Deriving, Strategy
from jiyi.strategies.entities import Entities
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.graph import Graph
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.strategies.snapshot import Snapshot
from jiyi.strategies.topics import Topics
from jiyi.types import Step

Strategies = tuple[Strategy, ...]
Parts = Sequence[Mapping[str, object]]
"""A recipe as a file writes it: for each strategy its plugin name, under ``strategy``, and what it is given."""

NONE: Mapping[str, Parts] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Recipe:
    """A combination of strategies that ships.

    Attributes:
        make: makes them, in the order of their parts.
        purpose: what it is for.
    """

    make: Callable[[], Strategies]
    purpose: str


RECIPES: Mapping[str, Recipe] = {
    "balanced": Recipe(
        # what was said about the question, what the user stated, what the session was about, the last turns
        lambda: (Recall(share=0.35), KeyFacts(share=0.35), RollingSummary(share=0.15), SlidingWindow(8)),
        "most products",
    ),
    "casual": Recipe(lambda: (SlidingWindow(12),), "small talk, plain customer service"),
    "support_bot": Recipe(lambda: (FullHistory(), SlidingWindow(8)), "an ordinary service bot"),
    "personal_assistant": Recipe(
        # who the user is and where things stand, what the talks were about, what was said about the question
        lambda: (Recall(share=0.3), Snapshot(share=0.3), RollingSummary(levels=2, share=0.2), SlidingWindow(8)),
        "a long-lived personal assistant",
    ),
    "preferences": Recipe(lambda: (KeyFacts(), SlidingWindow(8)), "shopping, travel, anything with tastes and limits"),
    "project_agent": Recipe(
        # what the project is about, what was decided and is open; who and what it is about; what this session was about
        lambda: (Topics(share=0.3), Entities(share=0.15), RollingSummary(share=0.2), SlidingWindow(8)),
        "a project worked on over weeks",
    ),
    "knowledge_assistant": Recipe(
        lambda: (Recall(share=0.4), Entities(share=0.15), Graph(share=0.25), SlidingWindow(6)), "company knowledge"
    ),
    "medical": Recipe(
        # every line with its quote and message: the words themselves, who and what they name, what relates these
        lambda: (
            Recall(share=0.25, cited=True),
            KeyFacts(share=0.3, cited=True),
            Entities(share=0.1, cited=True),
            Graph(share=0.15, cited=True),
            SlidingWindow(8),
        ),
        "intake and care, where each claim must be traced",
    ),
    "task_agent": Recipe(
        # the whole session with places to go back to; what no longer fits as a summary, what is further back by recall
        lambda: (Recall(share=0.25), RollingSummary(share=0.15), FullHistory(checkpoint_every=10), SlidingWindow(8)),
        "agents with many steps",
    ),
    "coding": Recipe(lambda: (RollingSummary(), KeyFacts(), SlidingWindow(8)), "days of writing code or documents"),
    "marathon": Recipe(lambda: (Recall(), RollingSummary(), KeyFacts(), SlidingWindow(6)), "hundreds of turns"),
}
"""By name; the first one is the default."""


def recipe(name: str, own: Mapping[str, Parts] = NONE) -> Strategies:
    """The strategies of a recipe, made anew; a strategy's own name stands for that strategy with its defaults.

    Args:
        name: of a recipe that ships, of one's own, or of a strategy.
        own: recipes of one's own, by name.

    Raises:
        NotFound: no recipe and no strategy of that name; lists those there are.
        InvalidInput: a part of a recipe of one's own is wrong; names it.
        MissingDependency: the strategy needs a package that is not installed.
    """
    if name in RECIPES and name in own:
        raise InvalidInput(f"recipes.{name}", "is the name of a recipe that ships; give yours another")
    if name in RECIPES:
        return RECIPES[name].make()
    if name in own:
        return compose([_made(part, f"recipes.{name}[{at}]") for at, part in enumerate(own[name])])
    try:
        made = load("strategies", name)
    except NotFound as error:
        there = ", ".join((*RECIPES, *own))
        raise NotFound(f"no recipe {name!r}; there are {there}, or name a strategy ({error})") from error
    return compose([made()])


def _made(part: Mapping[str, object], field: str) -> Strategy:
    """One strategy as a file describes it."""
    given = {name: value for name, value in part.items() if name != "strategy"}
    try:
        kind = load("strategies", str(part["strategy"]))
    except NotFound as error:
        raise InvalidInput(field, str(error)) from error
    takes = [name for name in signature(kind).parameters if name != "self"]
    if wrong := sorted(given.keys() - set(takes)):
        there = f"it takes {', '.join(takes)}" if takes else "it takes none"
        raise InvalidInput(f"{field}.{wrong[0]}", f"{part['strategy']} has no such option; {there}")
    if "attributes" in given:
        given["attributes"] = _attributes(given["attributes"], f"{field}.attributes")
    if isinstance(sections := given.get("fields"), dict):
        named = cast("dict[str, object]", sections).items()
        given["fields"] = {name: _attributes(value, f"{field}.fields.{name}") for name, value in named}
    try:
        return kind(**given)
    except InvalidInput as error:
        raise InvalidInput(field, str(error)) from error
    except TypeError as error:
        raise InvalidInput(field, str(error)) from error


def _attributes(value: object, field: str) -> list[Attribute]:
    """Attributes of facts, each a table."""
    try:
        found = [Attribute(**table) for table in cast("list[dict[str, Any]]", value)]
    except TypeError as error:
        raise InvalidInput(field, f"must be a list of tables with name, values, importance…: {error}") from error
    if wrong := [one.values for one in found if one.values not in get_args(Values)]:
        raise InvalidInput(field, f"values must be {', '.join(get_args(Values))}, not {wrong[0]!r}")
    return found


def compose(recipe_: str | Sequence[Strategy], own: Mapping[str, Parts] = NONE) -> Strategies:
    """What ``Memory.open(recipe=…)`` means: a recipe's or strategy's name, or strategies in the order of their parts.

    Every combination ends with a window over the session, so that no message of it goes unaccounted for: where none of
    the strategies given is one (``window = True``), a ``SlidingWindow`` of 8 turns is added.  Give
    ``SlidingWindow(turns=1)`` for the newest turn alone.

    Raises:
        NotFound: no recipe of that name.
        InvalidInput: something in the list is not a strategy.
    """
    if isinstance(recipe_, str):
        return recipe(recipe_, own)
    if not isinstance(recipe_, Sequence) or not recipe_:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("recipe", f"must be a recipe's name or a list of strategies, not {recipe_!r}")
    for at, strategy in enumerate(recipe_):
        if isinstance(strategy, type):
            raise InvalidInput(f"recipe[{at}]", f"is the class {strategy.__name__}; make an instance of it")
        if not (isinstance(getattr(strategy, "name", None), str) and callable(getattr(strategy, "recall", None))):
            raise InvalidInput(f"recipe[{at}]", f"must have a name and a method recall, not {strategy!r}")
    if any(getattr(strategy, "window", False) for strategy in recipe_):
        return tuple(recipe_)
    return (*recipe_, SlidingWindow())


def derivers(strategies: Sequence[Strategy], llm: LLM | None) -> list[Deriver]:
    """What these strategies need derived in the background, each step once."""
    found: dict[Step, Deriver] = {}
    for strategy in strategies:
        for deriver in strategy.derivers(llm) if isinstance(strategy, Deriving) else ():
            found.setdefault(deriver.step, deriver)
    return list(found.values())

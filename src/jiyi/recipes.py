"""Named combinations of strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jiyi.errors import InvalidInput, NotFound
from jiyi.plugins import load
from jiyi.ports import LLM, Deriver, Deriving, Strategy
from jiyi.strategies.full_history import FullHistory
from jiyi.strategies.key_facts import KeyFacts
from jiyi.strategies.recall import Recall
from jiyi.strategies.rolling_summary import RollingSummary
from jiyi.strategies.sliding_window import SlidingWindow
from jiyi.types import Step

Strategies = tuple[Strategy, ...]


RECIPES: Mapping[str, Callable[[], Strategies]] = {
    # most products: what was said about the question, what the user stated, what the session was about, the last turns
    "balanced": lambda: (Recall(share=0.35), KeyFacts(share=0.35), RollingSummary(share=0.15), SlidingWindow(8)),
    # small talk and plain customer service
    "casual": lambda: (SlidingWindow(12),),
    # an ordinary service bot: the whole session as far as it fits
    "support_bot": lambda: (FullHistory(), SlidingWindow(8)),
    # shopping, travel, anything with tastes and limits
    "preferences": lambda: (KeyFacts(), SlidingWindow(8)),
    # days of writing code or documents
    "coding": lambda: (RollingSummary(), KeyFacts(), SlidingWindow(8)),
    # hundreds of turns
    "marathon": lambda: (Recall(), RollingSummary(), KeyFacts(), SlidingWindow(6)),
}
"""Name -> how to make it; the first one is the default."""


def recipe(name: str) -> Strategies:
    """The strategies of a recipe, made anew; a strategy's own name stands for that strategy with its defaults.

    Raises:
        NotFound: no recipe and no strategy of that name; lists those there are.
        MissingDependency: the strategy needs a package that is not installed.
    """
    if name in RECIPES:
        return RECIPES[name]()
    try:
        made = load("strategies", name)
    except NotFound as error:
        raise NotFound(f"no recipe {name!r}; there are {', '.join(RECIPES)}, or name a strategy ({error})") from error
    return compose([made()])


def compose(recipe_: str | Sequence[Strategy]) -> Strategies:
    """What ``Memory.open(recipe=…)`` means: a recipe's or strategy's name, or strategies in the order of their parts.

    Every combination ends with a window over the session, so that no message of it goes unaccounted for: where none of
    the strategies given is one (``window = True``), a ``SlidingWindow`` of 8 turns is added.  Give
    ``SlidingWindow(turns=1)`` for the newest turn alone.

    Raises:
        NotFound: no recipe of that name.
        InvalidInput: something in the list is not a strategy.
    """
    if isinstance(recipe_, str):
        return recipe(recipe_)
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

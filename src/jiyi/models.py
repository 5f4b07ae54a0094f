"""The two chat models of a memory: the one that answers, and the one that derives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jiyi.errors import MissingDependency, ModelRejected
from jiyi.opening import open_llm
from jiyi.usage import Metered

if TYPE_CHECKING:
    from jiyi.config import Settings
    from jiyi.options import Options
    from jiyi.ports import LLM, TokenCounter
    from jiyi.spending import Spending
    from jiyi.types import Usage


class Models:
    """Opened as the options say, else the settings; without one of its own, memory is derived by the one that answers.

    A model that only the settings name, and that lacks its key or package, is done without: what needs no model still
    works.

    Attributes:
        llm, memory_llm: counted apart, also where both are the same; None without.
        warnings: which model is done without, and why.
    """

    def __init__(self, options: Options, settings: Settings, spending: Spending, counter: TokenCounter) -> None:
        self.warnings: list[str] = []
        self._settings = settings
        answering = options.get("llm", settings.llm or None)
        deriving = options.get("memory_llm", settings.memory_llm or None) or answering
        llm = self._open(answering, asked="llm" in options)
        memory_llm = llm if deriving == answering else self._open(deriving, asked="memory_llm" in options)
        self.llm = None if llm is None else Metered(llm, spending, counter)
        self.memory_llm = None if memory_llm is None else Metered(memory_llm, spending, counter)
        # those we were given are their owner's to close
        roles = ((answering, self.llm), (deriving, self.memory_llm))
        self._ours = [model for spec, model in roles if isinstance(spec, str) and model is not None]

    @property
    def usage(self) -> dict[str, Usage]:
        """Role -> what its model was used for since it was opened."""
        roles = (("llm", self.llm), ("memory_llm", self.memory_llm))
        return {role: model.usage for role, model in roles if model is not None}

    async def close(self) -> None:
        """Lets go of the models that were opened by name."""
        for model in self._ours:
            await model.close()

    def _open(self, spec: str | LLM | None, *, asked: bool) -> LLM | None:
        try:
            return open_llm(spec, self._settings)
        except (ModelRejected, MissingDependency) as error:
            if asked:
                raise
            self.warnings.append(f"no model: {error}")
            return None

"""Everything Jiyi raises on purpose.

    JiyiError
    ├── InvalidInput (ValueError)      an argument is wrong; .field names it
    │   ├── BudgetTooSmall             the newest turn does not fit; .needed, .budget
    │   └── ImportFailed               lines of a file that could not be read; .problems
    ├── NotFound (LookupError)         a session, message, record or plugin that does not exist
    ├── Conflict                       an id is taken by something else, a lease was lost
    ├── MissingDependency (ImportError)  an extra is not installed; the message says which
    ├── ModelError                     a chat or embedding model gave no usable answer
    │   ├── ModelUnavailable (ConnectionError)  down, silent, busy, broke off: try again later
    │   ├── ModelRejected              key, model name or request refused: change the settings
    │   ├── ContextOverflow            longer than the model takes: lower max_tokens
    │   └── LimitReached               the user's tokens for today are used up; .until, .limit
    ├── VectorsError                   an index that keeps vectors elsewhere could not do it
    │   └── VectorsUnavailable (ConnectionError)  down, silent or busy: try again later
    └── StoreError                     the database could not do it
        ├── StoreBusy (TimeoutError)   another program holds the lock
        ├── StoreCorrupt               not a database, damaged, or made by something else
        └── StoreTooNew                made by a newer version of Jiyi

Each message says what was wrong and what to do next.  Driver errors are wrapped where the store
meets its driver (``raise … from error``), so callers never see one.
"""

from __future__ import annotations

from datetime import datetime


class JiyiError(Exception):
    """Base of everything Jiyi raises on purpose."""


class InvalidInput(JiyiError, ValueError):
    """An argument is wrong.

    Attributes:
        field: name of the argument, for example ``user_id`` or ``messages[3].role``.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class BudgetTooSmall(InvalidInput):
    """The system message and the newest turn alone need more than the budget.

    Attributes:
        needed: tokens that would do.
        budget: tokens that were given.
    """

    def __init__(self, needed: int, budget: int) -> None:
        super().__init__(
            "max_tokens",
            f"{budget} tokens cannot hold the system message and the newest turn; {needed} are needed. "
            "Give a larger max_tokens, or allow_partial=True to shorten the newest message",
        )
        self.needed = needed
        self.budget = budget


class ImportFailed(InvalidInput):
    """A file could not be imported whole; nothing of the named lines was stored.

    Attributes:
        problems: (line number, what is wrong), in order; line numbers start at 1.
    """

    def __init__(self, source: str, problems: list[tuple[int, str]], advice: str) -> None:
        first = "; ".join(f"line {line}: {what}" for line, what in problems[:5])
        more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        super().__init__(source, f"{first}{more}. {advice}")
        self.problems = problems


class NotFound(JiyiError, LookupError):
    """A session, message, record or plugin that does not exist."""


class Conflict(JiyiError):
    """An id is already taken by something else, or a worker's lease was lost."""


class MissingDependency(JiyiError, ImportError):
    """An optional dependency is not installed; the message names the extra."""


class ModelError(JiyiError):
    """A chat or embedding model gave no usable answer; what was said before is stored."""


class ModelUnavailable(ModelError, ConnectionError):
    """The model's server is down, silent, too busy or broke off; the same call may work later.

    Attributes:
        retry_after: seconds the server asked to wait; None when it did not say.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRejected(ModelError):
    """The server refused the key, the model's name or the request; the settings must change first."""


class ContextOverflow(ModelError):
    """The request has more tokens than the model takes; give a smaller ``max_tokens``."""


class LimitReached(ModelError):
    """A user's ``daily_tokens`` are used up; no model was asked.

    Attributes:
        until: when the next day begins, and it goes on.
        limit: tokens a day.
    """

    def __init__(self, user: str, spent: int, limit: int, until: datetime) -> None:
        super().__init__(
            f"{user!r} has used {spent:,} of {limit:,} tokens today, so no model is asked until {until:%Y-%m-%d %H:%M} "
            "UTC. What was said is stored: ask again then, with None, or raise the setting daily_tokens "
            "(JIYI_DAILY_TOKENS; 0 is no limit)"
        )
        self.until = until
        self.limit = limit


class VectorsError(JiyiError):
    """The index that keeps the vectors elsewhere could not do what was asked; the log has everything that was said, and
    what is missing there is made up for later.
    """


class VectorsUnavailable(VectorsError, ConnectionError):
    """The index is down, silent, locked or busy; the same call may work later."""


class StoreError(JiyiError):
    """The database could not do what was asked; nothing was changed."""


class StoreBusy(StoreError, TimeoutError):
    """Another program held the database's lock for longer than the timeout."""


class StoreCorrupt(StoreError):
    """The file is not a database of Jiyi, or is damaged."""


class StoreTooNew(StoreError):
    """The database was made by a newer version of Jiyi."""

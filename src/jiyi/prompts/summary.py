"""The form of what ``summary.*.md`` asks for."""

from pydantic import BaseModel


class Summary(BaseModel):
    """The summary of one conversation; ``number`` 0 where it was not given."""

    summary: str
    number: int = 0

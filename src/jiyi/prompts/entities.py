"""The form of what ``entities.*.md`` asks for."""

from pydantic import BaseModel


class Told(BaseModel):
    """One thing that a model tells of a name: how it is related to another one, what it is, or that it is there."""

    number: int | None = None
    quote: str = ""
    head: str
    head_type: str = ""
    relation: str = ""
    tail: str = ""
    tail_type: str = ""
    negated: bool = False
    ends: bool = False

"""The form of what ``facts.*.md`` asks for."""

from pydantic import BaseModel


class Told(BaseModel):
    """One fact as a model tells it.  A text alone is taken as well: the words are looked for in the messages."""

    number: int | None = None
    quote: str = ""
    text: str
    attribute: str = ""
    value: str = ""
    subject: str = "user"
    negated: bool = False
    ends: bool = False

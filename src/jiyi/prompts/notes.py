"""The form of what ``notes.*.md`` asks for."""

from pydantic import BaseModel


class Noted(BaseModel):
    """One note, the number of the message that it is about, and the words of it that say so."""

    number: int
    note: str
    quote: str

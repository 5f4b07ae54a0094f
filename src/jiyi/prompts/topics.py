"""The form of what ``topics.*.md`` asks for."""

from pydantic import BaseModel


class Told(BaseModel):
    """One thing that a message says about a topic: the topic's name, what kind of thing it is, and the words."""

    number: int | None = None
    quote: str = ""
    topic: str = ""
    kind: str = ""
    text: str

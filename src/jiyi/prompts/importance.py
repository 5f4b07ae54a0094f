"""The form of what ``importance.*.md`` asks for."""

from pydantic import BaseModel, Field

BEST = 10
"""Ratings are whole numbers from 0: models of every size keep to them better than to fractions."""


class Rated(BaseModel):
    """The rating of one message; a fraction is taken as well, but not asked for."""

    number: int
    importance: float = Field(ge=0, le=BEST, json_schema_extra={"type": "integer"})

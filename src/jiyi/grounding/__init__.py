"""Whether what was derived stands in what was said: quotes, and the values of a text, in Chinese and English.  Pure."""

from jiyi.grounding.parts import clauses, sentences
from jiyi.grounding.quotes import locate
from jiyi.grounding.support import Sources, unsupported
from jiyi.grounding.values import Kind, Value, values

__all__ = ["Kind", "Sources", "Value", "clauses", "locate", "sentences", "unsupported", "values"]

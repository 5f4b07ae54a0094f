"""What a user's message surely states about the user and their affairs, found without a model.  Pure and linear.

Chinese, English and both mixed.  Tables of words and short expressions, no grammar: what is not sure is left out, or
kept as the sentence that it is, without an attribute.
"""

from jiyi.rules.dates import Times, dated, named
from jiyi.rules.mentioned import mentioned
from jiyi.rules.others import PRONOUNS, somebody_else, tells_of_others
from jiyi.rules.reading import borrowed, candidates, stated

__all__ = [
    "PRONOUNS",
    "Times",
    "borrowed",
    "candidates",
    "dated",
    "mentioned",
    "named",
    "somebody_else",
    "stated",
    "tells_of_others",
]

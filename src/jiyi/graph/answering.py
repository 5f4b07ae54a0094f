"""Which of the paths of a graph answer what was asked.  Pure."""

from __future__ import annotations

from collections.abc import Sequence

from jiyi.graph.values import Path
from jiyi.graph.whole import EntityGraph

_LOOKED_AT = 200  # paths, the best ones
_LEAST = 0.3  # fit of an answer: more than for its end (``BY_ITS_END``) and a word that much else has too
_NEAR = 0.75  # of the best path's fit: what fits much less is no answer beside it


def answered(graph: EntityGraph, found: Sequence[Path]) -> bool:
    """Whether the paths say what was asked, and do not only lie near it.

    A question that names two ends, or nobody, is answered by what joins them, or what was found for it.  One that names
    one is answered where a relation is spoken of: that a path ends at somebody does not say who the editor is.
    """
    return bool(found) and (not graph.query or bool(graph.to or graph.found) or found[0].fit > _LEAST)


def answers(graph: EntityGraph) -> tuple[list[Path], bool]:
    """The paths that answer a graph's question, best first, and True; else what lies around it, and False.

    Of paths of which one is a part of another the better one stands there.
    """
    found = graph.paths(limit=_LOOKED_AT)
    if answered(graph, found):
        return _apart([path for path in found if path.fit >= _NEAR * found[0].fit]), True
    return _apart([path for path in found if len(path.relations) == 1] or found), False


def _apart(paths: Sequence[Path]) -> list[Path]:
    """The paths without those that are only a part of a better one."""
    found: list[Path] = []
    for path in paths:
        own = {relation.ids for relation in path.relations}
        if not any(own <= {relation.ids for relation in other.relations} for other in found):
            found.append(path)
    return found

"""Entities and relations read as a graph: from records to values, questions over several hops, exports.

Pure, except that ``walking`` awaits what it is given to read records with.
"""

from jiyi.graph.paths import MOST_HOPS
from jiyi.graph.values import Entity, Path, Quote, Relation, Trait
from jiyi.graph.whole import EntityGraph

__all__ = ["MOST_HOPS", "Entity", "EntityGraph", "Path", "Quote", "Relation", "Trait"]

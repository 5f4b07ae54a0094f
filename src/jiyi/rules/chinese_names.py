"""Names, aliases and relations in Chinese clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jiyi.rules.found import Link, Name, Same, Span, Stretch


def chinese_names(stretches: Sequence[Stretch]) -> Iterator[Name | Same | Link]:
    """What the stretches of a message with Chinese in them say of named things."""
    return iter(())


def chinese_name_in(text: str, span: Span, attribute: str) -> Span | None:
    """The name in the value of a fact with this attribute; None where the value names nothing (一家小公司)."""
    return None

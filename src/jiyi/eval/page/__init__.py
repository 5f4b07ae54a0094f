"""Results as one HTML page that needs nothing else: no script, no font, no picture from elsewhere."""

from jiyi.eval.page.html import render, require
from jiyi.eval.page.sections import Section, sections

__all__ = ["Section", "render", "require", "sections"]

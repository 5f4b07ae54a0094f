"""What models are told: one Markdown file per prompt and language beside this one."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache

from jiyi.errors import NotFound

LANGUAGES = ("en", "zh")

_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt in one language.

    Attributes:
        hash: the first 12 hexadecimal digits of the text's SHA-256; stored with everything that was made by it.
    """

    name: str
    language: str
    text: str
    hash: str

    @property
    def id(self) -> str:
        """Name, language and version, for example ``answer.en@0123456789ab``."""
        return f"{self.name}.{self.language}@{self.hash}"

    def filled(self, **parts: str) -> Prompt:
        """The prompt with texts of the caller's in the places of ``{name}``; a line whose place stays empty goes."""
        text = self.text
        for name, part in parts.items():
            place = f"{{{name}}}"
            text = text.replace(place, part.strip()) if part.strip() else text.replace(f"{place}\n", "")
        text = _EMPTY_LINES.sub("\n\n", text)
        return Prompt(self.name, self.language, text, _hash(text))


@cache
def prompt(name: str, language: str) -> Prompt:
    """A prompt by its name; another language than ``LANGUAGES`` gets the English one.

    Raises:
        NotFound: no prompt of that name.
    """
    from importlib.resources import files  # takes longer than the prompt

    spoken = language if language in LANGUAGES else "en"
    file = files(__name__) / f"{name}.{spoken}.md"
    if not file.is_file():
        raise NotFound(f"prompts: there is no {name!r} in {spoken!r}")
    text = file.read_text(encoding="utf-8").strip()
    return Prompt(name, spoken, text, _hash(text))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]

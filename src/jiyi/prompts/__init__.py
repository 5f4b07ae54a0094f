"""What models are told: one Markdown file per prompt and language beside this one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

from jiyi.errors import NotFound

LANGUAGES = ("en", "zh")


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
    return Prompt(name, spoken, text, hashlib.sha256(text.encode()).hexdigest()[:12])

"""Every Python block of README and docs runs: each page's blocks in order, in one namespace, in an empty directory.

A block is left out only with an HTML comment on the line before it: ``<!-- not run: the reason -->``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n)?^```python\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)


def _pages() -> list[Path]:
    return sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])


def _code(page: Path) -> str:
    """The page's blocks as one program, with every line where it stands on the page."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for found in BLOCK.finditer(text):
        if found["reason"]:
            continue
        first = text.count("\n", 0, found.start("code"))
        for number, line in enumerate(found["code"].splitlines()):
            lines[first + number] = line
    return "\n".join(lines) + "\n"


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")  # a page is for those who have it
@pytest.mark.parametrize(
    "page", [page for page in _pages() if _code(page).strip()], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.syspath_prepend(str(tmp_path))
    code = _code(page)
    namespace: dict[str, object] = {"__name__": "example"}
    try:
        exec(compile(code, str(page), "exec"), namespace)
    finally:
        for value in namespace.values():
            if type(value).__name__ == "Memory":
                value.close()  # type: ignore[attr-defined]


def test_every_block_is_seen() -> None:
    for page in _pages():
        text = page.read_text(encoding="utf-8")
        assert len(BLOCK.findall(text)) == text.count("```python\n"), f"{page.name}: a block that is not closed"


def test_the_readme_has_an_example_that_runs() -> None:
    assert _code(ROOT / "README.md").strip()
    assert _code(ROOT / "README.zh.md").strip()

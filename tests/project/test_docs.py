"""The documentation says everything that the program can do, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import jiyi.config
from jiyi.cli import app
from jiyi.cli.app import EXIT_CODES

ROOT = Path(__file__).parents[2]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def _commands() -> dict[str, click.Command]:
    """Name as typed -> command; groups are opened."""
    found: dict[str, click.Command] = {}
    for name, command in app.commands.items():
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": below for inner, below in command.commands.items()}
        else:
            found[name] = command
    return found


def _section(name: str) -> str:
    found = re.search(rf"^### {re.escape(name)}\n(.*?)(?=^##|\Z)", CLI, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def _options(command: click.Command) -> set[str]:
    return {name for param in command.params if isinstance(param, click.Option) for name in param.opts}


SHARED = _options(app)


@pytest.mark.parametrize("name", _commands())
def test_every_command_and_option_is_documented(name: str) -> None:
    section = _section(name)
    assert section, f"docs/cli.md has no section '### {name}'"
    missing = [option for option in _options(_commands()[name]) - SHARED if f"`{option}" not in section]
    assert missing == []


def test_nothing_is_documented_that_does_not_exist() -> None:
    commands = _commands()
    assert set(re.findall(r"^### (.+)$", CLI, re.MULTILINE)) == set(commands)
    for name, command in commands.items():
        known = _options(command) | SHARED | {"--help"}
        assert set(re.findall(r"^\| `(-{1,2}[\w-]+)", _section(name), re.MULTILINE)) <= known, name


def test_the_shared_options_are_documented() -> None:
    start = CLI.index("## Options of every command")
    section = CLI[start : CLI.index("\n## ", start + 1)]
    assert [option for option in SHARED if f"`{option}" not in section] == []


def test_the_exit_codes_are_documented() -> None:
    for code in re.findall(r"^ +(\d+) ", EXIT_CODES, re.MULTILINE):
        assert f"| {code} |" in CLI


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    assert [name for name in jiyi.config.Settings.__dataclass_fields__ if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text)
    broken = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert broken == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    docs = ROOT / "docs"
    assert [name for page in docs.rglob("*.md") if (name := page.relative_to(docs).as_posix()) not in navigation] == []


def test_a_word_of_the_glossary_means_one_thing() -> None:
    words = re.findall(r"^\| \*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(words) > 40 and sorted(word for word in set(words) if words.count(word) > 1) == []


def test_every_decision_has_its_number_and_stands_in_the_index() -> None:
    files = sorted(path.name for path in (ROOT / "docs" / "adr").glob("0*.md"))
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    index = (ROOT / "docs" / "adr" / "index.md").read_text(encoding="utf-8")
    for number, name in enumerate(files, start=1):
        assert (ROOT / "docs" / "adr" / name).read_text(encoding="utf-8").startswith(f"# {number}. ")
        assert re.search(rf"^{number}\. \[.+\]\({re.escape(name)}\)$", index, re.MULTILINE)

"""The cookbook: every program runs in both languages, shows what it is meant to show, and the pages show what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.cooking import LANGUAGES, NAMES, OUTPUTS, PROGRAMS, ROOT, run

pytestmark = pytest.mark.filterwarnings("default")  # these are programs, run as users run them

TOLD = re.compile(r"(?:The model is told|模型看到) ([\d,]+) .*?(?:takes|全部对话要) ([\d,]+)")

SHOWS = {
    "full_history": (["walking distance", "2026-03-09"], ["走路到河边", "放不下的"]),
    "sliding_window": (["Nothing of it stands there", "Still stored: My budget is 500"], ["里面没有提到", "仍然存着： 我的预算最多 500"]),
    "token_buffer": (["'system', 'user'"], ["'system', 'user'"]),
    "rolling_summary": (["Hostelli", "31 March"], ["海斯", "3 月 31 日"]),
    "summary_buffer": (["for 20 guests", "35 guests now"], ["20 位客人", "现在是 35 位"]),
    "recall": (["must avoid grapefruit", "480 euros", "Nothing of it stands there"], ["葡萄柚", "3800", "里面没有提到"]),
    "notes": (["I get dizzy on ladders", "<- notes: session paint"], ["上梯子就头晕", "<- notes：会话 paint"]),
    "key_facts": (["#said-1] My name is Mara. I'm allergic to peanuts", "correct: I'm allergic to hazelnuts"], ["#said-1] 我叫林薇，我对花生过敏", "correct: 我对榛子过敏"]),
    "facts": (["I moved to Porto.\n      <-", "Known on 2026-04-16:\n  I live in Lisbon"], ["我搬到杭州了。\n      <-", "2026-04-16 所知：\n  我住在成都"]),
    "importance": (["alarm code of the shop is 4417", "31 May", "less important first"], ["报警密码是 4417", "5 月 31 日", "不重要的先出去"]),
    "entities": (["Meridian Grid Authority, MGA", "<- entities"], ["MGA"]),
    "knowledge_graph": (["Chen Mo —has the pen name→ Inkfish —created→ Starling", "said-1 Chen Mo writes"], []),
    "snapshot": (["~ home: Lisbon -> Porto", "budget: My budget for the flat is now 1,100"], ["~ 住址：成都 -> 杭州", "3500"]),
    "topics": (["The logo is still open\n      <- topics"], ["图标还没定\n      <- topics"]),
    "window_summary_facts": (["500 euros at most\n      <- key_facts", "allergic to latex"], ["最多 500 元\n      <- key_facts", "乳胶过敏"]),
    "notes_and_vectors": (["in the drawer under the phone.\n      <- recall", "120 euros\n      <- notes"], ["抽屉里。\n      <- recall", "800 元\n      <- notes"]),
    "checkpoints_summary_recall": (["Back at imported, 4 messages, state {'step': 2}", "<- rolling_summary", "merge duplicates by e-mail"], ["回到 imported，4 条消息", "<- rolling_summary", "按邮箱地址合并"]),
}  # fmt: skip
"""What must stand in the output, in English and in Chinese."""

NEVER = {
    "checkpoints_summary_recall": ["by name.\n      <-", "按姓名合并重复的客户。\n      <-"],
    "importance": ["soup for lunch.\n      <-", "喝了汤。\n      <-"],
    "topics": ["tiles\n      <-", "白色的\n      <-"],
}
"""What must not stand in a prompt."""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's settings, an empty directory."""
    for name in [name for name in os.environ if name.startswith("JIYI_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_program_shows_what_it_is_meant_to_show(name: str, language: str) -> None:
    out = run(name, "--language", language)
    for words in SHOWS[name][language == "zh"]:
        assert words in out, out
    for words in NEVER.get(name, ()):
        assert words not in out, out
    told = [(int(one.replace(",", "")), int(all_.replace(",", ""))) for one, all_ in TOLD.findall(out)]
    assert told and all(one <= all_ for one, all_ in told), out
    assert name in ("full_history", "token_buffer", "sliding_window") or told[-1][0] * 2 <= told[-1][1] + 30, told
    written = OUTPUTS / f"{name}.{language}.txt"
    assert out == written.read_text(encoding="utf-8"), "run `python -m tests.e2e.cooking` and look at what changed"


@pytest.mark.parametrize("name", NAMES)
def test_another_model_is_a_name_away(name: str) -> None:
    out = run(name, "--language", "en", "--llm", "tests.e2e.cooking:Cook")
    assert "tests.e2e.cooking:Cook answers: I was told" in out, out


def test_it_runs_as_the_page_says() -> None:
    command = [sys.executable, str(PROGRAMS / "sliding_window.py"), "--language", "zh"]
    done = subprocess.run(command, capture_output=True, timeout=120, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert done.stderr == b"" and "里面没有提到" in done.stdout.decode("utf-8")


def test_every_program_is_short_and_on_both_pages() -> None:
    assert sorted(SHOWS) == NAMES
    for name in NAMES:
        assert 25 <= len((PROGRAMS / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 60, name
        for page, language in (("index.md", "en"), ("index.zh.md", "zh")):
            text = (ROOT / "docs" / "cookbook" / page).read_text(encoding="utf-8")
            assert f'--8<-- "examples/cookbook/{name}.py"' in text, (page, name)
            assert f'--8<-- "docs/cookbook/output/{name}.{language}.txt"' in text, (page, name)

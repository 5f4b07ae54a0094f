"""The page of results in Chromium, where that is installed: nothing overflows, in light and dark, down to a phone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_eval_page import RESULTS, page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

LOOK = """
<script>
const found = [];
function luminance(colour) {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
async function look(width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 800px; border: 0`;
  frame.src = "page.html";
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const page = frame.contentDocument, style = element => frame.contentWindow.getComputedStyle(element);
  const texts = [...page.querySelectorAll(".plot > svg text")];
  found.push({
    width,
    needed: page.documentElement.scrollWidth,
    paper: luminance(style(page.body).backgroundColor),
    ink: luminance(style(page.body).color),
    plot_ink: texts.map(text => luminance(style(text).fill)),
    letters: Math.min(...texts.map(text => text.getBoundingClientRect().height)),
    outside: [...page.querySelectorAll(".plot > svg")].flatMap(svg => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].filter(text => {
        const inner = text.getBoundingClientRect();
        return inner.left < box.left - 1 || inner.right > box.right + 1 || inner.top < box.top - 1;
      }).map(text => text.textContent);
    }),
    lines: [...page.querySelectorAll(".plot > svg path")].map(path => style(path).stroke),
    bars: [...page.querySelectorAll(".fill")].map(bar => bar.getBoundingClientRect().width),
    requests: frame.contentWindow.performance.getEntriesByType("resource").length,
  });
}
(async () => {
  for (const width of [360, 768, 1200]) await look(width);
  document.body.innerHTML = `<pre id="found"></pre>`;
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>
"""


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "page.html").write_text(page(*RESULTS), encoding="utf-8")
    (tmp_path / "look.html").write_text(f"<!doctype html><meta charset=utf-8><body>{LOOK}", encoding="utf-8")
    for seen in looked_at(tmp_path / "look.html", scheme):
        where = f"{scheme}, {seen['width']} pixels"
        assert seen["needed"] <= seen["width"], f"{where}: scrolls sideways"
        light, dark = (seen["paper"], seen["ink"]) if scheme == "light" else (seen["ink"], seen["paper"])
        assert light > 0.8 > 0.2 > dark, where
        assert all(abs(ink - seen["ink"]) < 0.01 for ink in seen["plot_ink"]), f"{where}: a plot in other colours"
        assert seen["letters"] >= 9, f"{where}: too small to read"
        assert seen["outside"] == [], where
        assert len({stroke for stroke in seen["lines"] if stroke != "none"}) >= 4, where
        assert min(seen["bars"]) > 0 and seen["requests"] == 0


def looked_at(path: Path, scheme: str) -> list[dict[str, Any]]:
    """What the script on the page found."""
    assert BROWSER is not None
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--disable-extensions",
            f"--user-data-dir={path.parent / 'profile'}", "--window-size=1400,1000", "--virtual-time-budget=20000",
            f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    assert found, done.stdout.decode()[-2000:]
    return json.loads(unescape(found[1]))

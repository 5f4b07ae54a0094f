"""Installed size and number of packages, of the core and with the local embedder: two fresh environments."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from results import Row

_ROOT = Path(__file__).parent.parent


def installed() -> list[Row]:
    """Megabytes and packages, without pip itself."""
    rows: list[Row] = []
    for name, extra in (("core", ""), ("local", "[local]")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            subprocess.run([python, "-m", "pip", "install", "-q", f"{_ROOT}{extra}"], check=True, stdout=sys.stderr)
            site = next(Path(folder).rglob("site-packages"))
            mine = [path for path in site.iterdir() if not path.name.startswith(("pip", "setuptools", "_distutils"))]
            size = sum(
                file.stat().st_size
                for path in mine
                for file in (path.rglob("*") if path.is_dir() else [path])
                if file.is_file()
            )
            packages = sum(path.name.endswith(".dist-info") for path in mine)
        rows += [
            Row(f"size_{name}", f"installed size, {name}", size / 1e6, "MB"),
            Row(f"packages_{name}", f"installed packages, {name}", packages, ""),
        ]
    return rows

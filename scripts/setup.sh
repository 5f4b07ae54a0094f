#!/bin/sh
# Makes .venv with one of the extras of pyproject.toml: `onnx` to use Jiyi, `dev` to work on it.
# uv is used where it is installed (it follows uv.lock), otherwise Python's venv and pip.
set -eu

extra=$1
python=${PYTHON:-python3}

say() { printf '%s\n' "$*" >&2; }
die() { say "setup: $*"; exit 1; }

if [ "$extra" = onnx ] && [ -e .venv/.dev ] && [ .venv/.dev -nt pyproject.toml ]; then
    touch .venv/.use  # dev has everything that onnx has
    exit 0
fi

if command -v uv >/dev/null 2>&1; then
    say "setup: installing Jiyi with the extra '$extra' into .venv, with uv"
    uv sync --frozen --inexact --quiet --extra "$extra"
else
    command -v "$python" >/dev/null 2>&1 || die "there is no $python; install Python 3.11 or newer, or name one: make PYTHON=..."
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "$("$python" --version) is too old; Python 3.11 or newer is needed. Name one: make PYTHON=python3.12"
    if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        # Debian and Ubuntu keep these two in a package of their own.
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
            say "setup: installing $package"
            apt-get update -qq
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
        else
            die "Python's venv module is not complete here; run: sudo apt-get install $package"
        fi
    fi
    [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear .venv
    say "setup: installing Jiyi with the extra '$extra' into .venv; the first time this takes a minute or two"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$extra]"
fi

[ "$extra" = dev ] && touch .venv/.dev
touch .venv/.use

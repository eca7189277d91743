# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel of the Python package, installed into an environment of its own. UNROLL_WHEEL names the file; without it the newest one below
build/ is taken. torch and the test packages come from the Python that runs the tests, by a .pth file."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import venv

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "cli"))

import running  # noqa: E402

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]


@pytest.fixture(scope="session")
def wheel():
    named = os.environ.get("UNROLL_WHEEL")
    found = [pathlib.Path(named)] if named else sorted(ROOT.glob("build/*/python/dist/unroll-*.whl"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip("there is no wheel: ./dev wheel makes it")
    return found[-1]


class Installed:
    """The environment's Python."""

    def __init__(self, folder, wheel):
        venv.create(folder, with_pip=False, symlinks=True)
        self.program = folder / "bin" / "python"
        self.site = next((folder / "lib").glob("python3*")) / "site-packages"
        (self.site / "torch_of_the_tests.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
        subprocess.run([*PIP, "--python", self.program, "install", "--no-deps", "--no-index", wheel], check=True)

    def run(self, *words, folder=None, code=0, **environment):
        ended = subprocess.run([self.program, *map(str, words)], cwd=folder or self.site.parent, capture_output=True, text=True, check=False,
                               env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **environment))
        assert ended.returncode == code, f"exit {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def says(self, program, **how):
        """What a text of Python prints."""
        return self.run("-c", program, **how)


@pytest.fixture(scope="session")
def installed(tmp_path_factory, wheel):
    return Installed(tmp_path_factory.mktemp("wheel") / "venv", wheel)


CELLS = {"embedding": ("embedding", {"width": 12}), "sru": ("sru", {"units": 12}), "mru": ("mru", {"units": 12, "matrix_size": 4, "maker": "cayley"}),
         "grumml": ("grumml", {"units": 12}), "lru": ("lru", {"units": 12, "state_size": 10}), "lstm": ("lstm", {"units": 12}), "head": ("head", {})}


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with a run of some cells, `runs/cells`, and its export, `exported`."""
    folder = tmp_path_factory.mktemp("trained")
    text = running.small_text(folder / "small.txt")
    names = ["embedding", "sru", "mru", "grumml", "lru", "lstm"]
    wires = ["text.tokens -> embedding.tokens", *(f"{a}.y -> {b}.x" for a, b in zip(names, names[1:])), "lstm.y -> head.x", "text.targets -> head.targets"]
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": "streams"}), **CELLS}
    document = running.write_document(folder / "cells.unroll", text, nodes=nodes, wires=wires,
                                      training={"learning_rate": 0.003, "final_learning_rate": 0.001})
    running.run("train", document, "--quiet", "--run", folder / "runs" / "cells", "--tag", "small", code=0)
    running.run("export", folder / "runs" / "cells", "--format", "python", "--out", folder / "exported", code=0)
    return folder

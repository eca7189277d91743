# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of a few steps, and copies of them that are sent away. No tracker has a network here."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "python" / "cli"))
sys.path.insert(0, str(ROOT / "app" / "python"))

import running  # noqa: E402
from unroll_runs.sync import __main__ as sync  # noqa: E402


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """A finished run with tags, and its document."""
    folder = tmp_path_factory.mktemp("kept")
    document = running.write_document(folder / "small.unroll", running.small_text(folder / "small.txt"))
    running.run("train", document, "--run", folder / "run", "--quiet", "--tag", "red", "--tag", "blue", code=0)
    return folder


@pytest.fixture
def run(kept, tmp_path):
    shutil.copytree(kept / "run", tmp_path / "runs" / "small")
    return tmp_path / "runs" / "small"


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "wandb-config"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "wandb-cache"))
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture
def send(capsys):
    """Sends, and gives what is said."""

    def sent(*words, code=0):
        assert sync.main([str(word) for word in words]) == code
        said = capsys.readouterr()
        return said.out + said.err

    return sent


def as_a_program(*words, **environment):
    """The same in a process of its own."""
    return subprocess.Popen([sys.executable, "-B", "-m", "unroll_runs.sync", *map(str, words)], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT / "app" / "python"), **environment})


class holding:
    """Holds a run's folder as the program that trains it does."""

    def __init__(self, run):
        self.run = run

    def __enter__(self):
        import fcntl
        import os

        self.file = os.open(self.run, os.O_RDONLY)
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        import os

        os.close(self.file)

# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import importlib.util
import io
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import running


QUICK = ["--steps", "3", "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1", "--set", "training.sample_every=0"]


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    return running.small_text(tmp_path_factory.mktemp("text") / "small.txt")


class Exported:
    """A run of a few steps and its export as Python."""

    def __init__(self, folder, experiment, *options):
        self.run, self.folder = folder / "run", folder / "exported"
        running.run("train", experiment, "--quiet", "--run", self.run, *options, code=0)
        self.told = running.run("export", self.run, "--format", "python", "--out", self.folder, "--json", code=0).lines[0]

    @classmethod
    def copied(cls, folder):
        """A copy of an export, without its run."""
        copy = cls.__new__(cls)
        copy.folder = folder
        return copy

    @property
    def weights(self):
        newest = max((self.run / "checkpoints").glob("step-*"), key=lambda path: int(path.name[5:]))
        return newest / "weights.safetensors"

    def module(self):
        """model.py, imported."""
        spec = importlib.util.spec_from_file_location("exported_model", self.folder / "model.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def start(self, *words):
        """python model.py in a bare interpreter: without site packages of ours but torch's."""
        return subprocess.run([sys.executable, self.folder / "model.py", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def small_export(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("small")
    return Exported(folder, running.write_document(folder / "small.unroll", text))


def verified(exported):
    """What --verify does, in this process: importing torch takes longer than all the rest. Its word, and what it says."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        proved = exported.module().verify()
    return proved, said.getvalue()


def proves_itself(exported):
    proved, said = verified(exported)
    assert proved and said.count("ok") == 2, said
    return said


def fails_to_prove_itself(exported):
    proved, said = verified(exported)
    return not proved and "FAILED" in said


def refuses_nothing_given(exported, option):
    """An empty value is an error; taken for no option at all, it would verify."""
    ended = exported.start(option, "")
    assert ended.returncode == 2 and ended.stdout == "" and f"{option} expects at least one character" in ended.stderr

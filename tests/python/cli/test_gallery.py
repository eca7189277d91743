# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery learns what it is there to show. Minutes of training: ./dev test --all."""

import os
import pathlib
import subprocess
import sys

import pytest
from running import run, slow

pytestmark = slow

ONE_THREAD = ["--threads", "1", "--device", "cpu"]  # other tests hold the other cores
NAMES = [first + last for first in ("Ada", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal") for last in ("bert", "lyn", "mond", "rick", "wen")]
COMPARE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "train_vs_model_py.py"


def trained_figures(name, folder):
    run("train", name, "--run", folder, "--quiet", *ONE_THREAD, seconds=1800, code=0)
    return run("eval", folder, "--json", *ONE_THREAD, code=0).lines[0]


def test_copy_lstm_remembers(tmp_path):
    figures = trained_figures("copy-lstm", tmp_path / "run")
    assert figures["acc"] >= 0.99, figures


def test_parity_cayley_holds_beyond_the_trained_lengths(tmp_path):
    figures = trained_figures("parity-cayley", tmp_path / "run")
    assert figures["acc"] >= 0.99, figures


def test_fable_comes_near_the_floor(tmp_path):
    figures = trained_figures("fable", tmp_path / "run")
    assert figures["entropy_floor"] < figures["loss"] < figures["entropy_floor"] + 0.15, figures


@pytest.mark.parametrize("name", ["char-lstm", "char-sru", "char-grumml", "char-lrumml", "char-mru", "char-gpt"])
def test_a_char_model_begins_as_its_export_does(name, tmp_path):
    """The first 20 losses beside those of the exported model.py in a plain PyTorch loop: same weights, same batches."""
    text = tmp_path / "fables.txt"
    text.write_text("".join(f"{a} {b} remembers what {b} said to {a}.\n" for a in NAMES for b in NAMES), encoding="utf-8")
    ended = subprocess.run([sys.executable, COMPARE, "--cli", os.environ["UNROLL_CLI"], "--data", text, "--models", name, "--rounds", "0",
                            "--threads", "1"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and "largest difference" in ended.stdout, ended.stdout + ended.stderr

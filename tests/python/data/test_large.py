# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory does not grow with the text: a file of 1 GB beside one of 1 MB."""

import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from running import program, run, slow  # noqa: E402


def grow(path, size):
    """Words of small letters, the same each time."""
    chosen = random.Random(1)
    words = ["".join(chosen.choices("etaoinshrdlu", k=chosen.randrange(2, 9))) for _ in range(5000)]
    with open(path, "wb") as file:
        while size > 0:
            line = (" ".join(chosen.choices(words, k=100_000)) + ".\n").encode()
            for _ in range(20):
                file.write(line[:size])
                size -= min(size, len(line))


def peak(text, run, *words):
    """Bytes that a short training had resident at most."""
    command = [program(), "train", "char-rnn", "--data", text, "--steps", "20", "--run", run, "--quiet", "--set", "training.evaluate_whole=false", *words]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0
    return used.ru_maxrss * 1024


@slow
def test_a_text_of_1_gb_takes_no_more_memory_than_one_of_1_mb(tmp_path, monkeypatch):
    monkeypatch.setenv("UNROLL_PREPARED", str(tmp_path / "prepared"))
    grow(tmp_path / "small.txt", 10**6)
    grow(tmp_path / "large.txt", 10**9)
    for unit in ("bytes", "characters", "words"):
        taken = [peak(tmp_path / f"{size}.txt", tmp_path / f"{unit}-{size}", "--set", f"text.unit={unit}") for size in ("small", "large")]
        print(f"{unit}: {taken[0] / 1e6:.0f} MB with 1 MB of text, {taken[1] / 1e6:.0f} MB with 1 GB")
        assert taken[1] - taken[0] < 300e6


def test_a_text_of_more_words_than_16_bits_number_has_ngrams(tmp_path, monkeypatch):
    monkeypatch.setenv("UNROLL_PREPARED", str(tmp_path / "prepared"))
    words = [f"w{i}" for i in range(70_000)]
    chosen = random.Random(1)
    (tmp_path / "words.txt").write_text(" ".join(words + chosen.choices(words, k=30_000)))
    orders = run("check", "char-rnn", "--data", tmp_path / "words.txt", "--set", "text.unit=words", "--ngrams", "--json", code=0).of("ngram")
    assert orders[0]["grams"] == 70_000 and 10 < orders[0]["loss"] < 12  # ln 70,000 = 11.2


@slow
def test_of_a_large_validation_part_the_first_targets_are_scored(tmp_path, monkeypatch):
    monkeypatch.setenv("UNROLL_PREPARED", str(tmp_path / "prepared"))
    grow(tmp_path / "large.txt", 25 * 10**6)
    parts = ["--set", "text.unit=bytes", "--set", "text.validation_fraction=0.4"]
    assert "on the first 200,000 bytes of the validation part:" in run("check", "char-rnn", "--data", tmp_path / "large.txt", *parts, "--ngrams", code=0).out
    told = run("train", "char-rnn", "--data", tmp_path / "large.txt", *parts, "--steps", "1", "--run", tmp_path / "run", "--set",
               "training.evaluate_whole=false", "--set", "training.evaluate_batches=1", code=0).err
    assert "Kneser-Ney, of the last 2,000,000 bytes" in told

# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports as one file, read by the packages of others."""

import re
import numpy
import pytest
import safetensors
import safetensors.numpy
from running import run


def weights(small_export):
    return safetensors.numpy.load_file(small_export.weights)


def test_safetensors(small_export, tmp_path):
    out = tmp_path / "weights.safetensors"
    told = run("export", small_export.run, "--format", "safetensors", "--out", out, "--json", code=0).lines[0]
    assert told["files"] == [str(out)] and told["step"] == 40
    read = safetensors.numpy.load_file(out)
    assert read.keys() == weights(small_export).keys()
    assert all(numpy.array_equal(read[name], value) for name, value in weights(small_export).items())
    with safetensors.safe_open(out, "numpy") as file:
        assert file.metadata()["format"] == "pt" and file.metadata()["step"] == "40"


def test_npz(small_export, tmp_path):
    out = tmp_path / "weights.npz"
    run("export", small_export.run, "--format", "npz", "--out", out, code=0)
    read = numpy.load(out)
    assert set(read) == set(weights(small_export))
    assert all(numpy.array_equal(read[name], value) for name, value in weights(small_export).items())


def test_an_earlier_step(small_export, tmp_path):
    run("export", small_export.run, "--format", "npz", "--checkpoint", "20", "--out", tmp_path / "a.npz", code=0)
    assert not numpy.array_equal(numpy.load(tmp_path / "a.npz")["head.weight"], weights(small_export)["head.weight"])


def test_it_goes_back_in(small_export, tmp_path, text):
    """What was exported is taken by --init."""
    out = tmp_path / "weights.safetensors"
    run("export", small_export.run, "--format", "safetensors", "--out", out, code=0)
    ended = run("train", small_export.run / "experiment.unroll", "--init", out, "--steps", "1", "--run", tmp_path / "run", code=0)
    assert "7 loaded, 0 not in the file, 0 not in the model" in ended.err


@pytest.mark.parametrize("name", ["gguf", "tflite"])
def test_formats_that_are_not_there(small_export, tmp_path, name):
    ended = run("export", small_export.run, "--format", name, "--out", tmp_path / "x", code=2)
    assert name in ended.err and "npz" in ended.err and not (tmp_path / "x").exists()
    assert name not in re.findall(r"\w+", run("export", "--help", code=0).out)


@pytest.mark.parametrize("name", ["safetensors", "npz", "python"])
def test_places_that_cannot_be_written(small_export, tmp_path, name):
    ended = run("export", small_export.run, "--format", name, "--out", "/proc/out", code=1)
    assert "/proc/out" in ended.err


def test_an_older_file_stays_whole(small_export, tmp_path):
    out = tmp_path / "weights.safetensors"
    out.write_bytes(b"older")
    run("export", small_export.run, "--format", "safetensors", "--checkpoint", "3", "--out", out, code=1)
    assert out.read_bytes() == b"older"

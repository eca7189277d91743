# SPDX-License-Identifier: GPL-3.0-or-later
"""The character experiments of the gallery are compared with each other: they have as many weights as char-lstm within 2 %, as many steps, and read
the same batches."""

import json
import pathlib

import pytest
from running import run

GALLERY = pathlib.Path(__file__).resolve().parents[3] / "resources" / "experiments"
NAMES = sorted(path.stem for path in GALLERY.glob("char-*.unroll"))
MOST = 0.02  # of the weights of char-lstm
SHARED = ("steps", "batch", "accumulation", "schedule", "evaluate_every", "evaluate_batches")


def parameters(name):
    lines = run("check", GALLERY / f"{name}.unroll", "--json", code=0).lines
    return next(line["parameters"] for line in lines if line["kind"] == "total")


def file_of(name):
    return json.loads((GALLERY / f"{name}.unroll").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def most_and_least():
    whole = parameters("char-lstm")
    return whole * (1 - MOST), whole * (1 + MOST)


@pytest.mark.parametrize("name", NAMES)
def test_as_many_weights(name, most_and_least):
    least, most = most_and_least
    assert least <= parameters(name) <= most


@pytest.mark.parametrize("name", NAMES)
def test_as_many_steps_of_the_same_batches(name):
    training, baseline = file_of(name)["training"], file_of("char-lstm")["training"]
    assert {key: training[key] for key in SHARED} == {key: baseline[key] for key in SHARED}
    reads = [next(node["params"] for node in file_of(each)["graph"]["nodes"] if node["block"] == "text") for each in (name, "char-lstm")]
    streams = name == "char-transformer-xl"  # its memory needs the text in order
    assert streams or reads[0] == reads[1]

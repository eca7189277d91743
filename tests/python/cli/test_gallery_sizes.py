# SPDX-License-Identifier: GPL-3.0-or-later
"""The character experiments of the gallery are compared with each other: they take as many steps as char-lstm, and read the same batches. That they
have as many weights is a test of core/experiment."""

import json
import pathlib

import pytest

GALLERY = pathlib.Path(__file__).resolve().parents[3] / "resources" / "experiments"
NAMES = sorted(path.stem for path in GALLERY.glob("char-*.unroll"))
SHARED = ("steps", "batch", "accumulation", "schedule", "evaluate_every", "evaluate_batches")


def file_of(name):
    return json.loads((GALLERY / f"{name}.unroll").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_as_many_steps_of_the_same_batches(name):
    training, baseline = file_of(name)["training"], file_of("char-lstm")["training"]
    assert {key: training[key] for key in SHARED} == {key: baseline[key] for key in SHARED}
    reads = [next(node["params"] for node in file_of(each)["graph"]["nodes"] if node["block"] == "text") for each in (name, "char-lstm")]
    streams = name == "char-transformer-xl"  # its memory needs the text in order
    assert streams or reads[0] == reads[1]

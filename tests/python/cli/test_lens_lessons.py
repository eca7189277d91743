# SPDX-License-Identifier: GPL-3.0-or-later
"""Lessons that lead to a lens, and docs/lenses.md: they can be followed as written, and say what the run shows."""

import json
import pathlib
import re
import shlex

import numpy
import pytest
from running import run, slow

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOUR = (ROOT / "docs" / "lenses.md").read_text(encoding="utf-8")
CPU = ["--device", "cpu", "--quiet"]


def steps_of(name):
    return json.loads((ROOT / "resources" / "lessons" / f"{name}.json").read_text(encoding="utf-8"))["steps"]


def toured():
    """The experiment of each section, and the lenses that its commands ask."""
    for section in TOUR.split("\n## ")[1:]:
        name = re.search(r"cli train (\S+)", section)
        yield name.group(1), set(re.findall(r"--lens (\w+)", section))


@pytest.mark.parametrize("name, lenses", list(toured()))
def test_the_lesson_ends_with_the_lens_of_the_tour(name, lenses):
    assert steps_of(name)[-1]["at"].removeprefix("lens.") in lenses


def test_an_edit_of_a_lesson_is_read_as_written(tmp_path):
    said = [(path.stem, found.group(1)) for path in sorted((ROOT / "resources" / "lessons").glob("*.json")) for step in steps_of(path.stem)
            if step["at"] == "lens.touch" and (found := re.search(r"write ([^;]+);", step["say"]))]
    assert [name for name, _ in said] == ["counting-lstm"]
    for name, edit in said:
        run("train", name, "--steps", "1", "--run", tmp_path / name, *CPU, code=0)
        assert edit in run("inspect", tmp_path / name, "--lens", "touch", "--set", f"edit={edit}", code=0).out


def shape_of(said):
    """A finding without its numbers, the units and heads among them, which vary between machines."""
    return re.sub(r"[-+−]?\d[\d,.]*(e[-+]?\d+)?", "N", said.replace(" rises ", " falls "))


@slow
@pytest.mark.parametrize("section", TOUR.split("\n## ")[1:], ids=lambda section: section.split(":")[0])
def test_the_tour_quotes_what_its_commands_print(section, tmp_path):
    block, said = re.search(r"```\n(.*?)```", section, re.DOTALL).group(1), ""
    for line in block.splitlines():
        words = shlex.split(line)
        assert words[:2] == ["./dev", "cli"], line
        train = [*CPU] if words[2] == "train" else []
        said += run(*words[2:], *train, folder=tmp_path, seconds=1800, code=0).out
    printed = {shape_of(line.strip().removeprefix("- ")) for line in said.splitlines()}
    quoted = [line.removeprefix("> ") for line in section.splitlines() if line.startswith("> ")]
    assert [line for line in quoted if shape_of(line) not in printed] == []


@slow
def test_parity_is_in_no_unit_and_each_place_has_one(tmp_path):
    run("train", "parity-rnn", "--run", tmp_path / "run", *CPU, seconds=1800, code=0)
    asked = ["inspect", tmp_path / "run", "--node", "rnn", "--signal", "h", "--lens"]
    tracks = run(*asked, "tracks", "--json", code=0).lines[0]
    assert any(said.startswith("No unit tracks the parity so far closely") for said in tracks["findings"])
    probe = next(panel for panel in tracks["panels"] if panel["id"] == "probe_accuracy")
    at = probe["x"]["labels"].index("the parity so far")
    assert probe["series"][0]["y"][at] > 0.99
    run(*asked, "trajectory", "--set", "colour=feature", "--set", "feature=the parity so far", "--out", tmp_path / "a.npz", code=0)
    with numpy.load(tmp_path / "a.npz") as arrays:
        places, parity = numpy.stack([arrays["plane.steps.x"], arrays["plane.steps.y"]], 1), arrays["feature"]
    apart = numpy.linalg.norm(places[parity == 1][:, None] - places[parity == 0][None], axis=2).min()
    assert apart > 0.1 * numpy.ptp(places[:, 0])


@slow
def test_counting_ends_early_once_the_cells_are_reset(tmp_path):
    run("train", "counting-lstm", "--run", tmp_path / "run", *CPU, seconds=1800, code=0)
    asked = ["inspect", tmp_path / "run"]
    run(*asked, "--node", "lstm", "--signal", "c", "--lens", "state", "--out", tmp_path / "c.npz", code=0)
    with numpy.load(tmp_path / "c.npz") as arrays:
        values = next(arrays[name] for name in arrays if name.startswith("values.") and arrays[name].ndim == 2)
    read = values.shape[1] // 2  # the start and as many a's as b's
    falls = (numpy.diff(values[:, 1 : read + 1]) < 0).all(axis=1) & (numpy.diff(values[:, read + 1 :]) > 0).all(axis=1)
    assert falls.any()
    touched = run(*asked, "--lens", "touch", "--set", "edit=lstm.c = 0 at 10", "--json", code=0).lines[0]
    assert any('the likeliest answer changes from "b"' in said and 'to ">"' in said for said in touched["findings"])

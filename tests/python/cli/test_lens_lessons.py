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


NUMBER = re.compile(r"(?<!\w)[-+−]?\d(?:[\d,.]*\d)?(?:e[-+]?\d+)?(?![\d:])")  # lstm_2 and "on at 0:" are names


def shape_of(said):
    """A finding without its numbers. Which unit or head it is, and whether it rises or falls, is by chance, and so is the sign that goes with it."""
    said = re.sub(r"\b([Uu]nit|head) \d+", r"\1", said.replace(" rises ", " falls "))
    return NUMBER.sub("N", re.sub(r"\br [-+−]", "r ", said) if " falls " in said else said)


def claims_of(said):
    """The numbers of a finding, as (value, how far another machine may be from it): 15 %, of shares and correlations 0.05 at most, or one and a half of
    the last digit; what is printed with an exponent is the size of roundings, and may be up to three times as large."""
    said = re.sub(r"\b(?:[Uu]nit|head) \d+", "", said)
    said = re.sub(r"\br [-+−]", "r ", said) if re.search(" rises | falls ", said) else said
    for text in (found.replace(",", "").replace("−", "-") for found in NUMBER.findall(said)):
        value, decimals = float(text), len(text.partition(".")[2].partition("e")[0])
        within = 0.15 * abs(value) if abs(value) > 1 else min(0.15 * abs(value), 0.05)
        digit = 1.5 * 10.0 ** -decimals if decimals > 0 or abs(value) > 1 else 0
        yield value, 2 * abs(value) if "e" in text else max(within, digit)


def says(printed, quoted):
    """Whether a line that is printed is the quoted finding: its words, and its numbers within what machines differ in."""
    if shape_of(printed) != shape_of(quoted):
        return False
    return all(abs(got - want) <= within and (got < 0) == (want < 0) for (got, _), (want, within) in zip(claims_of(printed), claims_of(quoted), strict=True))


def test_a_quoted_number_is_compared_where_it_is_a_claim():
    quoted = "Unit 193 of lstm_2 is on at spaces: AUC 0.996 (chance 0.53)."
    assert says("Unit 7 of lstm_2 is on at spaces: AUC 0.991 (chance 0.55).", quoted)
    assert not says("Unit 193 of lstm_2 is on at spaces: AUC 0.906 (chance 0.53).", quoted)
    assert not says("Unit 193 of lstm_3 is on at spaces: AUC 0.996 (chance 0.53).", quoted)
    assert not says("Unit 193 of lstm_2 is on at 0: AUC 0.996.", "Unit 193 of lstm_2 is on at 1: AUC 0.996.")
    assert not says("Unit 193 of lstm_2 is off at spaces: AUC 0.996 (chance 0.53).", quoted)
    assert says("Unit 4 of lstm rises with the a's: r 0.99 (chance 0.33).", "Unit 2 of lstm falls with the a's: r -0.993 (chance 0.33).")
    assert says("An exponent of -0.0180 a step, at most 5e-06.", "An exponent of -0.0174 a step, at most 2.53e-06.")
    assert not says("An exponent of 0.0174 a step, at most 2.53e-06.", "An exponent of -0.0174 a step, at most 2.53e-06.")
    assert not says("An exponent of -0.0174 a step, at most 0.00253.", "An exponent of -0.0174 a step, at most 2.53e-06.")
    assert says("Half is within 19 steps of 48.", "Half is within 18 steps of 48.") and not says("Half is within 31 steps of 48.", "Half is within 18 steps of 48.")


@slow
@pytest.mark.parametrize("section", TOUR.split("\n## ")[1:], ids=lambda section: section.split(":")[0])
def test_the_tour_quotes_what_its_commands_print(section, tmp_path):
    block, said = re.search(r"```\n(.*?)```", section, re.DOTALL).group(1), ""
    for line in block.splitlines():
        words = shlex.split(line)
        assert words[:2] == ["./dev", "cli"], line
        train = [*CPU] if words[2] == "train" else []
        said += run(*words[2:], *train, folder=tmp_path, seconds=1800, code=0).out
    printed = [line.strip().removeprefix("- ") for line in said.splitlines()]
    quoted = [line.removeprefix("> ") for line in section.splitlines() if line.startswith("> ")]
    missing = [line for line in quoted if not any(says(each, line) for each in printed)]
    assert missing == [], [each for each in printed if shape_of(each) in map(shape_of, missing)]


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

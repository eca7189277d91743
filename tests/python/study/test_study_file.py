# SPDX-License-Identifier: GPL-3.0-or-later
"""study.toml: what is in it, and mistakes with their place."""

import pathlib
import re

import pytest
from conftest import SPACE
from engine import Engine
from refused import Refused
from running import program, run
from study_file import read_study


class AskedOnce(Engine):
    """What unroll-cli says of the small experiment, asked for once."""
    answers = {}

    def ask(self, *words):
        if words not in self.answers:
            self.answers[words] = super().ask(*words)
        return self.answers[words]


def read(path):
    return read_study(path, lambda folder: AskedOnce(program(), folder))[0]


def line_of(path, word):
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if word in line)


def test_a_dry_run_shows_the_space_and_trains_nothing(study, tmp_path):
    path = study(space={**SPACE, "training.optimizer": ["adamw", "sgd"],
                        "training.momentum": {"min": 0.0, "max": 0.9, "when": {"training.optimizer": "sgd"}}})
    out = run("study", path, "--dry-run", code=0).out
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith(("lstm", "training"))}
    assert "int" in rows["lstm.units"] and "4 to 16, step 4" in rows["lstm.units"]
    assert "real" in rows["training.learning_rate"] and "log" in rows["training.learning_rate"]
    assert "choice" in rows["training.optimizer"] and "adamw | sgd" in rows["training.optimizer"]
    assert "training.optimizer is sgd" in rows["training.momentum"]
    assert {each.name for each in tmp_path.iterdir()} == {"small.unroll", path.name}


@pytest.mark.parametrize("tables, word, said", [
    ({"space": {"lstm.unitz": [1, 2]}}, "lstm.unitz", "did you mean lstm.units"),
    ({"space": {"lstn.units": [1, 2]}}, "lstn.units", "did you mean lstm"),
    ({"space": {"training.learning_rat": [0.1]}}, "learning_rat", "did you mean training.learning_rate"),
    ({"space": {"training.optimizer": ["adamw", "sdg"]}}, "sdg", "did you mean sgd"),
    ({"space": {"lstm.units": {"min": 4}}}, "lstm.units", "needs max"),
    ({"space": {"lstm.units": {"min": 4.5, "max": 8}}}, "lstm.units", "whole number"),
    ({"space": {"lstm.units": {"min": 0, "max": 8}}}, "lstm.units", "at least 1"),
    ({"space": {"lstm.units": {"min": 8, "max": 8}}}, "lstm.units", "below max"),
    ({"space": {"training.learning_rate": {"min": 0, "max": 1, "log": True}}}, "learning_rate", "above 0 where log"),
    ({"space": {"training.momentum": {"min": 0, "max": 2.0}}}, "momentum", "at most"),
    ({"space": {"lstm.units": {"min": 1, "max": 8, "stp": 2}}}, "lstm.units", "did you mean step"),
    ({"space": {"training.momentum": {"min": 0.0, "max": 0.5, "when": {"training.optimizer": "sgd"}}}}, "momentum", "not in [space]"),
    ({"space": {"training.steps": [1, 2]}}, "training.steps", "steps in [budget]"),
    ({"space": {}}, "space", "empty"),
    ({"fixed": {"lstm.units": 8}}, '"lstm.units" = 8', "in [space] too"),
    ({"fixed": {"training.warmup": -1}}, "warmup", "at least 0"),
    ({"sampler": {"kind": "tpo"}}, "tpo", "did you mean tpe"),
    ({"pruner": {"kind": "hyperband"}, "budget": {"trials": 3}}, "[pruner]", "set them in [budget]"),
    ({"objective": {"metric": "val/acc"}}, "[objective]", "direction"),
    ({"objective": {"metric": "loss", "direction": "down"}}, "down", "minimize or maximize"),
    ({"budget": {"steps": 3}}, "budget", "trials or seconds"),
    ({"budget": {"trials": 0, "steps": 3}}, "trials", "above 0"),
    ({"budget": {"trails": 3}}, "trails", "did you mean trials"),
    ({"sampler": {"kind": "grid"}}, "learning_rate", "step, or points"),
    ({"storage": {"url": "here.db"}}, "here.db", "journal"),
    ({"expriment": "a"}, "expriment", "did you mean experiment"),
])
def test_mistakes_are_told_with_file_and_line(study, tables, word, said):
    path = study(**tables)
    with pytest.raises(Refused) as told:
        read(path)
    assert str(told.value).startswith(f"{path}:{line_of(path, word)}: ") and said in str(told.value)


def test_the_example_of_the_page_is_a_study(tmp_path):
    page = (pathlib.Path(__file__).parents[3] / "docs" / "study.md").read_text()
    path = tmp_path / "width.toml"
    path.write_text(re.search(r"```toml\n(.*?)```", page, re.S)[1])
    file = read(path)
    assert [axis.key for axis in file.space.axes][:2] == ["lstm_1.units", "training.learning_rate"] and file.pruner["kind"] == "hyperband"


def test_a_mistake_ends_the_command(study):
    path = study(space={"lstm.unitz": [1, 2]})
    ended = run("study", path, code=1)
    assert ended.err.startswith(f"error: {path}:{line_of(path, 'unitz')}: lstm has no parameter named unitz") and ended.out == ""


def test_an_experiment_that_is_not_there_and_toml_that_is_none(study, tmp_path):
    path = study()
    path.write_text(path.read_text().replace("small.unroll", "smal.unroll"))
    assert "width.toml:1: " in run("study", path, code=1).err
    for text, said in (("experiment = \n", "width.toml:1: "), ("[space]\n", "name what is trained")):
        path.write_text(text)
        with pytest.raises(Refused, match=said):
            read(path)
    with pytest.raises(Refused, match="none.toml"):
        read(tmp_path / "none.toml")


def test_without_optuna_a_sentence_says_how_to_get_it(study, tmp_path):
    (tmp_path / "optuna.py").write_text("raise ImportError('not here', name='optuna')\n")
    ended = run("study", study(), code=1, PYTHONPATH=str(tmp_path))
    assert "./dev study" in ended.err and "UNROLL_PYTHON" in ended.err and "Traceback" not in ended.err
    assert "cannot be started" in run("study", study(), code=1, UNROLL_PYTHON=str(tmp_path / "none")).err

# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev bench learning --only every: SRU++ with attention in some of its layers, at equal numbers of weights, and a longer window at evaluation."""

import json

import pytest
from engine import Engine
from running import program, slow, small_text
from runs import Record
import every


@pytest.fixture(scope="module")
def engine():
    return Engine(program(), 1)


def test_layers_that_attend_are_counted():
    assert [every.attends(n) for n in (1, 2, 5, 10, every.NONE)] == [10, 5, 2, 1, 0]
    assert set(every.TITLES) == set(every.PUBLISHED) == {1, 2, 5, 10, every.NONE} and len(set(every.TITLES.values())) == 5


@pytest.mark.parametrize("n", [pytest.param(n, marks=() if n in (10, every.NONE) else slow) for n in every.TITLES])
def test_every_arrangement_has_as_many_weights(engine, tmp_path, n):
    wanted = every.counted(engine, tmp_path, 1, every.UNITS, "")[1]
    _, have, units = every.matched(engine, tmp_path, n, "")
    assert abs(have / wanted - 1) <= every.MATCH and units >= every.UNITS


def test_a_longer_window_is_examined_with_the_same_weights(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(every, "TRAINING", {**every.TRAINING, "steps": 2, "batch": 2})
    text = str(small_text(tmp_path / "text.txt", 6_000))
    found = every.train_once(engine, tmp_path, 10, 1, text)
    assert set(found["figures"]) == {"1", "3", "8"} and all(0 < loss < 10 for loss in found["figures"].values())


def run_of(n, text, **figures):
    return {"task": "every", "cell": f"{every.TITLES[n]}, {text}", "text": text, "seed": 1, "settings": every.settings_of(n), "units": 128, "parameters": 200_000,
            "tokens": 1000, "seconds": 2.0, "threads": 1, "date": "2026-01-01", "machine": "here", "figures": figures}  # fmt: skip


def test_the_table_shows_what_was_seen_and_names_the_rest(tmp_path):
    record = Record(None)
    text = every.title_of(small_text(tmp_path / "input.txt"))
    record.add(run_of(10, every.BUNDLED, **{"1": 1.5, "3": 1.25, "8": 1.75}))
    record.add(run_of(every.NONE, text, **{"1": 1.9}))
    made = every.table(record)
    assert "| every 10th layer | 1 | 1.500 | 1.250 (+0.250) | 1.750 (-0.250) | 128 |" in made and "| none | 0 | 1.900 | n/a | n/a |" in made
    assert made.count("not run") == 8 and made.index("### The bundled fables") < made.index("### input.txt (")
    assert json.dumps(every.experiment(every.NONE, 64, "")).count("attention_every_n_layers") == 0

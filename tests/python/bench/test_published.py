# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev bench learning --only published: stand-ins of the form of the published files are cut, trained on and scored as the sources do it."""

import math
import types

import pytest
from engine import Engine
from running import program
from runs import Record
import published

FIRST_YEAR = 1949


@pytest.fixture(scope="module")
def engine():
    return Engine(program(), 1)


@pytest.fixture
def airline_file(tmp_path):
    """Twelve years of months that grow and swing, in the form of airline-passengers.csv."""
    lines = ['"Month","Passengers"']
    for month in range(144):
        number = round(110 + 2.2 * month + (15 + 0.4 * month) * math.sin(2 * math.pi * month / 12))
        lines.append(f'"{FIRST_YEAR + month // 12}-{month % 12 + 1:02}",{number}')
    path = tmp_path / "airline-passengers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def time_machine_file(tmp_path):
    words = "The Time Traveller (for so it will be convenient to speak of him) was expounding a recondite matter to us. "
    path = tmp_path / "timemachine.txt"
    path.write_text("A licence.\n*** START OF THE PROJECT GUTENBERG EBOOK THE TIME MACHINE ***\n" + 60 * words + "\n*** END OF THE PROJECT GUTENBERG EBOOK ***\nMore.")
    return path


def options(data=None, *words):
    return types.SimpleNamespace(data=str(data) if data else None, only=["published", *words], seeds=[1])


def test_windows_are_those_of_the_source(airline_file):
    numbers = published.passengers(airline_file)
    training, validation, test, unit = published.parts_of(numbers)
    assert (len(numbers), len(training), len(validation), len(test)) == (144, 88, 23, 25)
    assert unit == max(numbers) - min(numbers)
    first, behind = test[0]
    assert [*first, behind] == [(number - min(numbers)) / unit for number in numbers[115:119]]
    rows = published.as_one_series(training)
    assert len(rows) == 90 and rows[2:] == [(window[-1], after) for window, after in training]
    apart = published.side_by_side(test)
    assert len(apart) == 75 and [row[1] for row in apart[:3]] == ["", "", behind]


def test_letters_lie_between_the_marks(time_machine_file):
    text = published.letters(time_machine_file.read_text())
    assert text.startswith("the time traveller for so it") and text.endswith("matter to us") and set(text) <= set("abcdefghijklmnopqrstuvwxyz ")
    assert published.letters("One, 2 -- THREE!") == "one three"
    assert published.updates(173_000) == 5 * 1_082


def shorter(monkeypatch, steps):
    monkeypatch.setattr(published, "EPOCHS", 1)
    monkeypatch.setattr(published, "updates", lambda characters: steps)


def test_airline_is_scored_in_its_unit_on_every_window(engine, airline_file, tmp_path, monkeypatch):
    shorter(monkeypatch, 2)
    numbers = published.passengers(airline_file)
    for cell in published.AIRLINE:
        folder = tmp_path / cell.title
        folder.mkdir()
        found = published.airline(engine, folder, cell, 1, numbers)
        assert 1 < found["figures"]["rmse"] < 1000 and found["steps"] == 88, cell.title
        assert 10 < found["repeating"] < 100


def test_rmse_is_that_of_the_exported_numbers():
    assert published.rmse([(1.0, 4.0), (2.0, 6.0)]) == math.sqrt((9 + 16) / 2)


def test_both_go_into_the_record_and_beside_the_published_figures(engine, airline_file, time_machine_file, monkeypatch, capsys):
    shorter(monkeypatch, 3)
    record = Record(None)
    published.run(engine, record, options(airline_file, "GRUMML"), "here")
    assert "The Time Machine: skipped" in capsys.readouterr().out
    assert published.run(engine, record, options(time_machine_file, "GRU"), "here")
    assert "Passengers of airlines: skipped" in capsys.readouterr().out
    made = published.table(record)
    assert made.startswith(published.BEGIN) and made.endswith(published.END + "\n")
    grumml = next(line for line in made.splitlines() if line.startswith("| GRUMML |"))
    assert "| 68.21 |" in grumml and "not run" not in grumml and "Repeating the last month:" in made
    assert "| LRUMML | not run | 51 |" in made and "| RNN | not run | 1.546 |" in made
    gru = [line for line in made.splitlines() if line.startswith("| GRU |")]
    assert "not run" in gru[0] and "| 1.344 |" in gru[1] and "not run" not in gru[1]


def test_without_data_nothing_runs_and_it_is_said(capsys):
    assert published.run(None, Record(None), options(), "here")
    out = capsys.readouterr().out
    assert "Passengers of airlines: skipped" in out and "The Time Machine: skipped" in out and out.count("not run") == len(published.AIRLINE) + len(published.TIME_MACHINE)


def test_a_bound_that_is_missed_is_a_failure(monkeypatch):
    record, cell = Record(None), next(cell for cell in published.AIRLINE if cell.title == "GRUMML")
    for rmse, good in ((74.0, True), (76.0, False)):
        once = lambda *_: {"figures": {"rmse": rmse}, "parameters": 1, "steps": 1, "seconds": 1.0}  # noqa: E731, B023
        engine = types.SimpleNamespace(threads=1)
        assert published.train_all(engine, record, options(None, cell.title), "here", published.AIRLINE, once, []) == good

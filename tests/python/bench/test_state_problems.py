# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev bench learning --only states: what theory claims, equal numbers of weights, and tables that show what was seen."""

import dataclasses
import json
import types

import pytest
from engine import Engine
from field import LOOKING_BACK, NODES
from running import program, slow
from runs import Record
from trials import TASKS
import states
import theory


@pytest.fixture(scope="module")
def engine():
    return Engine(program(), 1)


STATES_CELLS = [(problem, cell) for problem in states.PROBLEMS for cell in problem.cells()]


def test_theory_speaks_of_cells_and_problems_that_there_are_and_names_its_source():
    assert set(theory.CLAIMS) == {problem.key for problem in states.PROBLEMS}
    for problem in states.PROBLEMS:
        assert set(theory.CLAIMS[problem.key]) <= {cell.title for cell in problem.cells()}, problem.key
        for claim in theory.CLAIMS[problem.key].values():
            assert claim.why and claim.source in theory.SOURCES


FAMILY = {"parity": "parity", "s3": "S3", "s5": "S5"}  # problems that family.json speaks of, too


def test_theory_says_what_the_map_of_the_field_says():
    for problem in (problem for problem in states.PROBLEMS if problem.key in FAMILY):
        for cell in problem.cells():
            said = json.loads((NODES / cell.block / "family.json").read_text(encoding="utf-8"))[FAMILY[problem.key]]
            if said in ("yes", "no") and cell.block != "delta_product":
                assert theory.of(problem.key, cell.title).learns == (said == "yes"), f"{problem.key}: {cell.title}"
            if cell.block == "mru":
                assert theory.of(problem.key, cell.title).learns == (cell.params["maker"] in said.split(", ")), f"{problem.key}: {cell.title}"


def test_no_theory_says_that_a_filter_cannot_count():
    """In the limit a mode sums its input, as the map of the field says."""
    problem = next(problem for problem in states.PROBLEMS if problem.key == "counting-3")
    for cell in (cell for cell in problem.cells() if cell.title in (*theory.FILTERS, "RG-LRU")):
        assert theory.of(problem.key, cell.title).learns is None
        assert states.theory_text(problem, cell).startswith("open: as ")


def test_what_is_open_to_theory_is_open_on_the_map():
    """Counting: no cell has yes or no on the one page and the opposite, or open, on the other."""
    problem = next(problem for problem in states.PROBLEMS if problem.key == "counting-3")
    for cell in problem.cells():
        said = json.loads((NODES / cell.block / "family.json").read_text(encoding="utf-8"))["a^n b^n"]
        claim = theory.of(problem.key, cell.title)
        if said in ("yes", "no") and claim.why:
            assert claim.learns == (said == "yes"), cell.title
        if said == "open":
            assert claim.learns is None and claim.why, cell.title


def test_both_pages_say_the_same_of_parity_and_s3():
    """The tables with settings of their own beside those in one frame, by the block; of MRU the makers differ."""
    problems = {problem.key: problem for problem in states.PROBLEMS}
    for key in ("parity", "s3"):
        for trial in TASKS[key].trials:
            same = [cell for cell in problems[key].cells() if cell.block == trial.cell.block != "mru"]
            assert all(theory.of(key, cell.title).learns == trial.learns for cell in same), f"{key}: {trial.cell.title}"


def test_what_is_there_already_is_not_run_again(tmp_path):
    problem = states.PROBLEMS[0]
    cell = next(cell for cell in problem.cells() if cell.title == "JANET")
    record = Record(tmp_path / "runs.json")
    record.add({"task": f"states {problem.key}", "cell": cell.title, "seed": 1, "settings": states.settings_of(problem, cell), "parameters": 7, "state": 5,
                "seconds": 1.0, "threads": 1, "date": "2026-01-01", "machine": "here", "figures": dict.fromkeys(problem.examinations, 1.0)})  # fmt: skip
    options = types.SimpleNamespace(only=["states", problem.key, cell.title], seeds=[1], lacking=True)
    assert states.run(None, record, options, "here")  # without an engine nothing can be run


def often(problem, cell):
    return problem.key in ("dyck", "induction") and cell.block == "lru"


@pytest.mark.parametrize(("problem", "cell"), [pytest.param(problem, cell, id=f"{problem.key}-{cell.title}", marks=() if often(problem, cell) else slow)
                                               for problem, cell in STATES_CELLS])  # fmt: skip
def test_the_frame_of_states_holds_as_many_weights_with_every_cell(engine, tmp_path, problem, cell):
    _, wanted = states.of_this_width(engine, tmp_path, problem, problem.cells()[-1], states.DENSE * problem.width)
    file, found = states.matched(engine, tmp_path, problem, cell, {})
    assert engine.parameters(file) == found and abs(found / wanted - 1) <= states.MATCH


def test_states_are_trained_examined_and_told_beside_theory(engine, tmp_path):
    problem = dataclasses.replace(states.PROBLEMS[0], training={"steps": 2, "batch": 4, "learning_rate": 0.003})
    cell = next(cell for cell in problem.cells() if cell.block == "lru")
    found = states.train_once(engine, tmp_path, problem, cell, 1)
    assert set(found["figures"]) == set(problem.examinations) and found["state"] == 2 * 32
    assert states.verdict(problem, cell, [found]) == "fails, as in theory"
    found["seed"], learns = 1, {"seed": 2, "figures": dict.fromkeys(problem.examinations, 1.0)}
    assert states.verdict(problem, cell, [learns]) == "learns; **theory says otherwise**"
    gru = next(cell for cell in problem.cells() if cell.block == "gru")
    assert states.verdict(problem, gru, [learns]) == "learns, as in theory"
    assert states.verdict(problem, gru, [learns, found]) == "in part (seed 2: 1.000 at 256 bits); **can, but was not found**"


def test_a_verdict_in_part_names_the_seed_that_the_row_does_not_show():
    problem = next(problem for problem in states.PROBLEMS if problem.key == "s3")
    cell = next(cell for cell in problem.cells() if cell.title == "SRU++")  # theory says nothing

    def verdict(*runs):
        return states.verdict(problem, cell, [{"seed": seed, "figures": dict(zip(problem.examinations, run))} for seed, run in enumerate(runs, 1)])

    low, high = (0.5, 0.2, 0.2), (1.0, 0.9, 0.8)
    assert verdict(low, low) == "fails", "the lengths of training do not count"
    assert verdict(low, high, low) == "in part (seed 2: 0.800 at 128 steps)"
    assert verdict(low, high, (1.0, 0.95, 0.3)) == "in part (seed 2: 0.800 at 128 steps)"
    assert verdict(low, (1.0, 0.9)) == "in part (seed 2: 0.900 at 64 steps)", "128 steps diverged"
    assert verdict(high, (1.0, 0.5, 0.2)) == "in part", "0.500 is what the row shows"
    assert all(f'"{word}"' in states.ABOUT for word in ("learns", "fails", "in part", "can", "cannot", "open"))


def test_recall_is_shown_against_the_size_of_the_state():
    record = Record(None)
    problems = {problem.key: problem for problem in states.PROBLEMS}
    seen = (("recall-32", "GLA", 2048, {1: 0.9, 2: 0.8}), ("recall-32x128", "GLA", 8192, {1: 1.0}), ("recall-32", "LSTM", 256, {1: 0.25}),
            ("recall-32", "MRU, identity", 128, {1: None}))  # diverged
    for key, title, state, found in seen:
        cell = next(cell for cell in problems[key].cells() if cell.title == title)
        for seed, accuracy in found.items():
            record.add({"task": f"states {key}", "cell": title, "seed": seed, "settings": states.settings_of(problems[key], cell), "state": state,
                        "figures": {} if accuracy is None else {"as trained": accuracy}})  # fmt: skip
    lines = states.against_state(record).splitlines()
    wide = next(line for line in lines if line.startswith("| cell |")).split(" | ").index("32 steps, 4 pairs, width 128")
    rows = [line.split(" | ") for line in lines if line.startswith(("| LSTM", "| GLA", "| MRU"))]
    assert [row[1] for row in rows] == ["diverged (128)", "0.250 (256)", "0.800 (2,048)"] and [row[wide] for row in rows] == ["", "", "1.000 (8,192)"]


def test_attention_sees_the_whole_of_every_examination():
    for problem in states.PROBLEMS:
        longest = max([problem.params.get("length", 0), *(value for examination in problem.examinations.values() for name, value in examination.items()
                                                          if name in ("validation_length", "validation_longest") and isinstance(value, int))])  # fmt: skip
        symbols = {"dyck": 2, "counting-3": 3}.get(problem.key, 1) * longest
        seeing = [cell for cell in problem.cells() if cell.block in LOOKING_BACK]
        assert sorted(cell.block for cell in seeing) == sorted(LOOKING_BACK) and problem.cells()[-1].block == "attention"
        assert all(cell.params.get("window", states.WINDOW) >= symbols for cell in seeing), problem.key


def test_states_are_chosen_by_problem_and_cell_and_shown_in_the_table(tmp_path):
    problems, names = states.chosen(["s3", "mamba"])
    assert [problem.key for problem in problems] == ["s3"] and names == ["mamba"]
    assert states.chosen(["mamba"])[0] == states.PROBLEMS
    problem = states.PROBLEMS[1]
    run = {"task": "states s3", "cell": "Mamba", "seed": 1, "parameters": 7, "state": 5, "seconds": 1.0, "threads": 1, "date": "2026-01-01", "machine": "here",
           "settings": states.settings_of(problem, next(cell for cell in problem.cells() if cell.title == "Mamba")),
           "figures": dict.fromkeys(problem.examinations, 0.25)}  # fmt: skip
    record = Record(tmp_path / "runs.json")
    record.add(run)
    made = states.table(record)
    line = next(line for line in made.splitlines() if line.startswith("| Mamba | 7 | 5 |"))
    assert "cannot: " in line and "fails, as in theory" in line
    assert made.count("Not run; expected:") == len(states.PROBLEMS)
    for cell in problem.cells():  # in the row, or among those that were not run
        assert sum(cell.title in line for line in states.section(record, problem).splitlines()) >= 1
    assert "- cannot: one layer composes nothing (derived): attention" in states.section(record, problem)

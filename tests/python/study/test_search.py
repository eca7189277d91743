# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies that train: samplers and pruners, several workers, workers that die, trials that are refused."""

import csv
import io
import json
import os
import pathlib
import signal
import time

import pytest
from conftest import SPACE, ends
from running import losses, run, start

SELDOM = {"training.checkpoint_every": 25, "training.evaluate_every": 25}  # each evaluation is written to the storage


def shown(path):
    """The trials as `--show` has them, best first, and the last line."""
    lines = run("study", path, "--show", "--format", "json", code=0).lines
    return [line for line in lines if line["kind"] == "trial"], lines[-1]


def until(holds, process=None, seconds=240):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.05)


def checkpoints(tmp_path, run_="0000"):
    return list((tmp_path / "width-runs" / run_ / "checkpoints").glob("step-*"))


def test_a_study_from_file_to_table(study, tmp_path):
    path = study()
    ended = run("study", path, "--json", "--threads", "1", code=0)
    trials, summary = shown(path)
    assert ends(trials) == ["finished"] * 3
    assert ended.lines[-1]["kind"] == "end" and ended.lines[-1]["states"] == {"finished": 3}
    assert [trial["loss"] for trial in trials] == sorted(trial["loss"] for trial in trials) and len(trials) == 3
    best = summary["best"]
    assert best["trial"] == trials[0]["trial"] and best["value"] == trials[0]["loss"] and set(best["params"]) == set(SPACE)
    folder = pathlib.Path(best["run"])
    made = json.loads((folder / "environment.json").read_text())
    assert made["tags"] == ["width"] and made["trial"]["study"] == "width" and made["trial"]["params"] == best["params"]
    assert made["trial"]["number"] == best["trial"] and set(summary["importances"]) == set(SPACE)
    assert (tmp_path / "width.sqlite3").exists()
    table = list(csv.DictReader(io.StringIO(run("study", path, "--show", "--format", "csv", code=0).out)))
    assert [int(row["trial"]) for row in table] == [trial["trial"] for trial in trials] and float(table[0]["loss"]) == trials[0]["loss"]
    assert run("study", path, "--show", "--format", "markdown", code=0).out.startswith("| trial | state | loss |")
    text = run("study", path, "--show", code=0).out
    assert "importance: " in text and str(folder) in text
    again = run("study", path, "--json", code=0)
    assert [line["kind"] for line in again.lines] == ["end"]
    more = run("study", path, "--json", "--trials", "4", "--threads", "1", code=0)
    assert more.lines[-1]["trials"] == 4


def test_the_same_study_draws_the_same_trials(study):
    drawn = []
    for name in ("one", "two"):
        path = study(name, budget={"trials": 2, "steps": 1})
        run("study", path, "--quiet", "--threads", "1", code=0)
        drawn.append(sorted((trial["trial"], trial["lstm.units"], trial["training.learning_rate"], trial["loss"]) for trial in shown(path)[0]))
    assert drawn[0] == drawn[1] and len({trial[2] for trial in drawn[0]}) == 2


@pytest.mark.parametrize("sampler", ["tpe", "cmaes"])
def test_samplers_over_conditions(study, sampler):
    space = {"training.optimizer": ["adamw", "sgd"], "training.momentum": {"min": 0.0, "max": 0.9, "when": {"training.optimizer": "sgd"}},
             "training.learning_rate": {"min": 1e-3, "max": 0.1, "log": True}}
    path = study(space=space, sampler={"kind": sampler, "startup": 2}, budget={"trials": 6, "steps": 5})
    run("study", path, "--quiet", "--threads", "1", code=0)
    trials = shown(path)[0]
    assert ends(trials) == ["finished"] * 6
    for trial in trials:
        assert (trial["training.momentum"] is not None) == (trial["training.optimizer"] == "sgd")


def test_a_grid_has_every_point_once_and_ends(study):
    space = {"training.optimizer": ["adamw", "sgd"], "training.momentum": {"choices": [0.0, 0.5], "when": {"training.optimizer": "sgd"}},
             "training.learning_rate": {"min": 0.001, "max": 0.1, "log": True, "points": 2}}
    path = study(space=space, sampler={"kind": "grid"}, budget={"steps": 2})
    run("study", path, "--quiet", "--workers", "2", "--threads", "1", code=0)
    trials = shown(path)[0]
    assert ends(trials) == ["finished"] * 6
    points = sorted((trial["training.optimizer"], trial["training.momentum"] or 0, round(trial["training.learning_rate"], 9)) for trial in trials)
    assert points == [("adamw", 0, 0.001), ("adamw", 0, 0.1), ("sgd", 0, 0.001), ("sgd", 0, 0.1), ("sgd", 0.5, 0.001), ("sgd", 0.5, 0.1)]


def test_what_promises_little_is_stopped_with_its_checkpoint(study):
    path = study(space={"training.learning_rate": [0.05, 1e-7]}, sampler={"kind": "grid"}, pruner={"kind": "median", "startup": 1},
                 budget={"steps": 1500}, fixed={"training.evaluate_every": 50})
    run("study", path, "--quiet", "--threads", "1", code=0)
    trials = {trial["training.learning_rate"]: trial for trial in shown(path)[0]}
    pruned = trials[1e-7]
    assert ends([pruned, trials[0.05]]) == ["pruned", "finished"] and 50 <= pruned["step"] < 1500
    folder = pathlib.Path(pruned["run"])
    assert json.loads((folder / "status.json").read_text())["state"] == "stopped"
    assert (folder / "checkpoints" / f"step-{pruned['step']}").exists() or list((folder / "checkpoints").glob(f"step-*{pruned['step']}"))


def test_hyperband_prunes_at_its_rungs(study):
    path = study(space={"training.learning_rate": {"min": 1e-6, "max": 0.1, "log": True}}, pruner={"kind": "hyperband", "min_steps": 5, "factor": 2},
                 budget={"trials": 8, "steps": 20})
    run("study", path, "--quiet", "--threads", "1", code=0)
    trials = shown(path)[0]
    assert len(trials) == 8 and {"finished"} <= set(ends(trials)) <= {"pruned", "finished"}


def test_a_killed_workers_trial_is_taken_up(study, tmp_path):
    """kill -9: its training saves and stops by itself, the heartbeat tells others, and the run goes on from its checkpoint."""
    path = study(budget={"trials": 1, "steps": 300}, fixed=SELDOM)
    worker = start("study", path, "--quiet", "--threads", "1")
    until(lambda: checkpoints(tmp_path), worker)
    worker.kill()
    worker.communicate()
    ended = run("study", path, "--json", "--threads", "1", code=0)
    assert ended.of("begin") == [{"kind": "begin", "trial": 0, "again": True}]
    trials, summary = shown(path)
    assert ends(trials) == ["finished"] and trials[0]["step"] == 300 and summary["best"]["trial"] == 0
    assert list((tmp_path / "width-runs").glob("0*[0-9]")) == [tmp_path / "width-runs" / "0000"]
    assert len(losses(tmp_path / "width-runs" / "0000")) == 300


def test_an_interrupted_study_goes_on_where_it_was(study, tmp_path):
    path = study(budget={"trials": 1, "steps": 300}, fixed=SELDOM)
    worker = start("study", path, "--threads", "1")
    until(lambda: checkpoints(tmp_path), worker)
    worker.send_signal(signal.SIGINT)
    worker.communicate()
    assert worker.returncode == 130
    assert ends(shown(path)[0]) == ["to go on"]
    assert json.loads((tmp_path / "width-runs" / "0000" / "status.json").read_text())["state"] == "stopped"
    assert "goes on" in run("study", path, "--threads", "1", code=0).err
    trials = shown(path)[0]
    assert ends(trials) == ["finished"] and trials[0]["step"] == 300


def test_workers_share_a_study_and_one_that_dies_is_replaced(study, tmp_path):
    path = study(budget={"trials": 4, "steps": 150}, fixed=SELDOM)
    crew = start("study", path, "--workers", "2", "--threads", "1")
    until(lambda: checkpoints(tmp_path) and checkpoints(tmp_path, "0001"), crew)
    workers = [int(pid) for pid in pathlib.Path(f"/proc/{crew.pid}/task/{crew.pid}/children").read_text().split()]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, told = crew.communicate(timeout=280)
    assert crew.returncode == 0 and "ended by signal 9" in told
    trials = shown(path)[0]
    assert ends(trials) == ["finished"] * 4 and {trial["step"] for trial in trials} == {150}


def test_two_that_start_at_once_on_a_new_storage_share_it(study):
    path = study(budget={"trials": 4, "steps": 2})
    both = [start("study", path, "--quiet", "--threads", "1") for _ in range(2)]
    assert [process.communicate() and process.returncode for process in both] == [0, 0]
    trials = shown(path)[0]
    assert sorted(trial["trial"] for trial in trials) == [0, 1, 2, 3] and ends(trials) == ["finished"] * 4


def test_a_journal_too_retries_what_died(study, tmp_path):
    path = study(budget={"trials": 1, "steps": 300}, fixed=SELDOM, storage={"journal": "log.journal", "heartbeat": 1})
    worker = start("study", path, "--quiet", "--threads", "1")
    until(lambda: checkpoints(tmp_path), worker)
    worker.kill()
    worker.communicate()
    assert "goes on" in run("study", path, "--threads", "1", code=0).err
    trials = shown(path)[0]
    assert (tmp_path / "log.journal").exists() and ends(trials) == ["finished"] and trials[0]["step"] == 300


def test_refused_trials_are_told_and_not_tried_again(study):
    """Heads that do not divide a width: each value is allowed, the model is not."""
    path = study(space={"embedding.width": [7, 12]}, sampler={"kind": "grid"}, fixed={"training.batch": 100000000}, budget={"steps": 2})
    ended = run("study", path, "--threads", "1")
    trials, summary = shown(path)
    assert len(trials) == 2 and all(end.startswith("refused: ") for end in ends(trials)) and "best" not in summary, trials
    assert ended.err.count("begins") == 2 and "refused" in ended.err


def test_a_study_that_refuses_all_ends_early(study):
    path = study(fixed={"training.batch": 100000000}, budget={"trials": 20, "steps": 2})
    ended = run("study", path, "--threads", "1", code=1)
    assert "5 trials in a row were refused" in ended.err and shown(path)[1]["trials"] == 5


def test_diverged_trials_count_as_bad(study):
    path = study(space={"training.learning_rate": [0.01, 1000.0]}, sampler={"kind": "grid"}, budget={"steps": 300},
                 fixed={"training.optimizer": "sgd", "training.clip": 0, "training.schedule": "constant", "training.warmup": 0, "embedding.init_std": 10})
    run("study", path, "--quiet", "--threads", "1", code=0)
    trials = {trial["training.learning_rate"]: trial for trial in shown(path)[0]}
    assert ends([trials[0.01]]) == ["finished"] and trials[1000.0]["state"] == "diverged", trials


def test_a_changed_file_is_another_study(study):
    path = study(budget={"trials": 1, "steps": 2})
    run("study", path, "--quiet", "--threads", "1", code=0)
    changed = study(budget={"trials": 1, "steps": 3})
    assert "another file (steps)" in run("study", changed, code=1).err
    changed = study(budget={"trials": 1, "steps": 2}, space={**SPACE, "lstm.units": {"min": 4, "max": 8}})
    assert "(lstm.units)" in run("study", changed, code=1).err


def test_accuracy_is_maximized_and_seconds_end_a_study(study, tmp_path):
    path = study(objective={"metric": "accuracy"}, budget={"seconds": 2, "steps": 100000})
    run("study", path, "--quiet", "--threads", "1", code=0)
    trials, summary = shown(path)
    assert ends(trials) == ["to go on"] and summary["direction"] == "maximize"

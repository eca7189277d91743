# SPDX-License-Identifier: GPL-3.0-or-later
"""NAME.study.json: what it says, that it follows the study while it runs, and that no reader sees half of it."""

import json
import signal
import sys
import time

from conftest import SPACE, ends
from running import run, start

SELDOM = {"training.checkpoint_every": 25, "training.evaluate_every": 25}


def found(path):
    return json.loads(path.with_suffix(".study.json").read_text(encoding="utf-8"))


def until(holds, process=None, seconds=240):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_it_says_what_show_says(study, tmp_path):
    space = {"training.optimizer": ["adamw", "sgd"], "training.momentum": {"min": 0.0, "max": 0.9, "when": {"training.optimizer": "sgd"}}, **SPACE}
    path = study(space=space, budget={"trials": 6, "steps": 5})
    run("study", path, "--quiet", "--threads", "1", code=0)
    lines = run("study", path, "--show", "--format", "json", code=0).lines
    shown, summary = {line["trial"]: line for line in lines[:-1]}, lines[-1]
    it = found(path)
    assert (it["format"], it["version"], it["study"], it["file"], it["direction"]) == ("unroll-study", 1, "width", "width.toml", "minimize")
    assert it["running"] is None and it["written"] <= time.time() and it["budget"] == {"trials": 6, "steps": 5, "seconds": None}
    assert [trial["trial"] for trial in it["trials"]] == list(range(6))
    assert ends(it["trials"]) == ["finished"] * 6
    for trial in it["trials"]:
        line = shown[trial["trial"]]
        assert (trial["state"], trial["value"], trial["step"]) == ("finished", line["loss"], 5)
        assert trial["params"] == {key: line[key] for key in space if line[key] is not None}
        assert tmp_path / trial["run"] == tmp_path / "width-runs" / f"{trial['trial']:04d}" and trial["report_step"] == 5
    axes = {axis["key"]: axis for axis in it["space"]}
    assert axes["training.optimizer"] == {"key": "training.optimizer", "kind": "choice", "choices": ["adamw", "sgd"]}
    assert axes["training.momentum"]["when"] == "training.optimizer is sgd" and axes["training.momentum"]["kind"] == "real"
    assert axes["lstm.units"] == {"key": "lstm.units", "kind": "int", "min": 4, "max": 16, "log": False, "step": 4}
    assert axes["training.learning_rate"]["log"] is True and axes["training.learning_rate"]["min"] == 1e-3
    assert it["importances"] == summary["importances"]
    assert not list(tmp_path.glob("*.part"))


def test_it_follows_the_study_and_is_never_half_written(study):
    path = study(budget={"trials": 2, "steps": 100000}, fixed=SELDOM)
    worker = start("study", path, "--quiet", "--threads", "1")
    file, seen = path.with_suffix(".study.json"), []
    until(file.exists, worker)

    def reported():
        it = found(path)  # whole at every look
        seen.append(it["trials"][0]["report_step"] if it["trials"] else None)
        return any(seen)
    until(reported, worker)
    it = found(path)
    assert it["running"]["process"] > 0 and ends(it["trials"])[0] == "running" and it["trials"][0]["value"] is None
    assert it["trials"][0]["report"] > 0 and it["trials"][0]["run"] == "width-runs/0000"
    worker.send_signal(signal.SIGTERM)  # as the studio stops it
    worker.communicate()
    it = found(path)
    assert it["running"] is None and ends(it["trials"]) == ["to go on"]


def test_workers_have_one_file(study):
    path = study(budget={"trials": 4, "steps": 5})
    run("study", path, "--workers", "2", "--quiet", "--threads", "1", code=0)
    it = found(path)
    assert ends(it["trials"]) == ["finished"] * 4 and it["running"] is None and it["importances"]


def test_the_crew_ends_with_a_terminate(study):
    path = study(budget={"trials": 2, "steps": 1000000}, fixed=SELDOM)
    crew = start("study", path, "--workers", "2", "--quiet", "--threads", "1")
    until(lambda: path.with_suffix(".study.json").exists() and len(found(path)["trials"]) == 2, crew)
    crew.send_signal(signal.SIGTERM)
    crew.communicate(timeout=240)
    assert crew.returncode == 130 and set(ends(found(path)["trials"])) == {"to go on"}


def test_show_writes_what_is_missing(study):
    path = study(budget={"trials": 1, "steps": 2})
    run("study", path, "--quiet", "--threads", "1", code=0)
    before = found(path)
    path.with_suffix(".study.json").unlink()
    run("study", path, "--show", code=0)
    assert found(path)["trials"] == before["trials"]


def test_a_refused_trial_has_its_reason(study):
    path = study(space={"embedding.width": [7, 12]}, sampler={"kind": "grid"}, fixed={"training.batch": 100000000}, budget={"steps": 2})
    run("study", path, "--threads", "1")
    it = found(path)
    assert all(end.startswith("refused: ") for end in ends(it["trials"])), it["trials"]
    assert all(trial["value"] is None for trial in it["trials"]) and it["importances"] == {}


def test_a_place_that_cannot_be_written_stops_no_training(study):
    path = study(budget={"trials": 1, "steps": 2})
    path.with_suffix(".study.json").mkdir()
    ended = run("study", path, "--threads", "1", code=0)
    assert "is not up to date" in ended.err and "finished" in ended.err


def test_a_python_without_optuna_is_told(study, tmp_path):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    told = run("study", study(), UNROLL_PYTHON=str(bare), code=1).err.strip().splitlines()
    assert told[-1].startswith("error: ") and "has no optuna" in told[-1] and "./dev study" in told[-1]

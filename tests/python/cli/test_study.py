# SPDX-License-Identifier: GPL-3.0-or-later
"""What a search over runs needs of the command line: one last line whatever happened, exit codes, tags, settings with their bounds."""

import json
import os
import subprocess
import sys
import time

from running import PATIENCE, program, run


def end(ended):
    lines = ended.of("end")
    assert len(lines) == 1 and ended.lines[-1] == lines[0], ended.out
    return lines[0]


def test_the_last_line_has_the_figures(small, tmp_path):
    ended = run("train", small, "--json", "--steps", "40", "--set", "training.evaluate_every=10", "--run", tmp_path / "run", code=0)
    last, rows = end(ended), ended.of("metrics")
    evaluated = {row["step"]: row["val/loss"] for row in rows if "val/loss" in row}
    best = min(evaluated, key=evaluated.get)
    assert last["state"] == "finished" and last["step"] == 40
    assert (last["best_step"], last["best"]) == (best, evaluated[best])
    newest = {name: value for row in rows for name, value in row.items() if "/" in name}
    assert {name: last[name] for name in newest} == newest
    assert last["parameters"] > 0 and last["loss_unit"] == "nats/token" and last["tokens"] == rows[-1]["tokens"]
    assert last["seconds"] == rows[-1]["seconds"] > 0


def test_a_run_that_is_complete_gives_its_figures_again(small, tmp_path):
    words = ("train", small, "--json", "--steps", "20", "--set", "training.evaluate_every=10", "--run", tmp_path / "run", "--resume=auto")
    first, again = (end(run(*words, code=0)) for _ in range(2))
    for name in ("state", "step", "checkpointed", "best", "best_step", "train/loss", "parameters", "loss_unit"):
        assert again[name] == first[name], name


def test_what_cannot_begin_is_refused_with_a_last_line(small, tmp_path):
    text = small.read_text()
    wrong = tmp_path / "wrong.unroll"
    wrong.write_text(text.replace('"block": "lstm"', '"block": "lstn"'))
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").write_text("somebody's")
    for words, said in (
        ((small, "--set", "nothing.units=3"), "nothing"),
        ((small, "--set", "training.steps=none"), "steps"),
        ((small, "--set", "lstm.units=0"), "units"),
        ((small, "--data", tmp_path / "none.txt"), "none.txt"),
        ((tmp_path / "none.unroll",), "none.unroll"),
        ((wrong,), "lstn"),
        ((small, "--run", taken), "taken"),
    ):
        place = () if "--run" in words else ("--run", tmp_path / "run")
        ended = run("train", *words, *place, "--json", code=1)
        last = end(ended)
        assert last["state"] == "refused" and last["step"] == 0 and said in last["failure"], (words, last)
        assert said in ended.err


def test_failing_on_the_way_is_another_code(small, tmp_path):
    ended = run("train", small, "--json", "--set", "training.optimizer=sgd", "--set", "training.learning_rate=1e3", "--set", "training.clip=0",
                "--set", "training.schedule=constant", "--set", "training.warmup=0", "--set", "embedding.init_std=10", "--steps", "2000",
                "--run", tmp_path / "run", code=3)
    last = end(ended)
    assert last["state"] == "failed" and last["parameters"] > 0 and "failure" in last


def test_settings_tell_what_a_search_must_know():
    params = {each["name"]: each for each in json.loads(run("help", "training", "--json", code=0).out)["params"]}
    rate, batch = params["learning_rate"], params["batch"]
    assert (rate["type"], rate["min"], rate["max"], rate["log"]) == ("real", 0, 1000, True)
    assert (batch["type"], batch["min"], batch["log"]) == ("int", 1, True)
    assert params["evaluate_whole"]["type"] == "bool" and params["schedule"]["type"] == "choice" and params["device"]["type"] == "text"
    assert "log" not in params["beta1"] and params["beta1"]["max"] <= 1
    block = {each["name"]: each for each in json.loads(run("help", "lstm", "--json", code=0).out)["params"]}
    assert block["units"]["type"] == "int" and block["units"]["log"] is True


def test_runs_are_listed_by_their_tags(small, tmp_path):
    trial = {"study": "width", "number": 3, "params": {"lstm.units": 8}}
    common = ("--steps", "5", "--set", "training.evaluate_every=5", "--quiet")
    run("train", small, *common, "--run", tmp_path / "runs" / "a", "--tag", "width", "--tag", "night", "--trial", json.dumps(trial), code=0)
    run("train", small, *common, "--run", tmp_path / "runs" / "b", "--tag", "width", code=0)
    made = json.loads((tmp_path / "runs" / "a" / "environment.json").read_text())
    assert made["tags"] == ["width", "night"] and made["trial"] == trial
    run("train", "--resume", tmp_path / "runs" / "a", "--steps", "8", "--quiet", code=0)
    kept = json.loads((tmp_path / "runs" / "a" / "environment.json").read_text())
    assert kept["tags"] == made["tags"] and kept["trial"] == trial
    listed = run("list", "runs", "--in", tmp_path / "runs", "--json", code=0).lines
    assert [(line["kind"], line["state"], line["step"]) for line in listed] == [("run", "finished", 8), ("run", "finished", 5)]
    assert all(line["best"] > 0 and line["parameters"] > 0 for line in listed)
    named = run("list", "runs", "--in", tmp_path / "runs", "--tag", "night", "--json", code=0).lines
    assert [line["run"] for line in named] == [str(tmp_path / "runs" / "a")]
    assert "width, night" in run("list", "runs", "--in", tmp_path / "runs", code=0).out
    assert "no such folder" in run("list", "runs", "--in", tmp_path / "none", code=1).err
    (tmp_path / "runs" / "broken").mkdir()
    assert "experiment.unroll" in run("list", "runs", "--in", tmp_path / "runs", code=0).out
    assert "apply only to" in run("list", "blocks", "--tag", "night", code=2).err
    for wrong in ("{", "[1]"):
        assert "--trial" in run("train", small, "--trial", wrong, "--run", tmp_path / "runs" / "c", code=2).err


def test_it_ends_with_its_parent(small, tmp_path):
    words = [program(), "train", str(small), "--steps", "1000000", "--quiet", "--run", str(tmp_path / "run"), "--parent"]
    script = ("import os, subprocess, sys, time\n"
              f"child = subprocess.Popen({words!r} + [str(os.getpid())])\n"
              "print(child.pid, flush=True)\n"
              "sys.stdin.read()\n")
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    metrics = tmp_path / "run" / "metrics.csv"
    until(lambda: metrics.exists() and metrics.read_text().count("\n") > 2)
    parent.kill()
    parent.wait()
    until(lambda: not running(child))
    assert json.loads((tmp_path / "run" / "status.json").read_text())["state"] == "stopped"
    assert list((tmp_path / "run" / "checkpoints").glob("step-*"))


def running(pid):
    try:
        state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(holds, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)

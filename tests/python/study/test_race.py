# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks compared on equal terms: lanes of equal size, equal lanes, stop and go on, lanes and seeds added later."""

import csv
import json
import pathlib
import signal

import pytest

from running import losses, rows, run, start, wait_until

COMMON = ("--steps", "10", "--threads", "1", "--quiet")


def end_of(ended):
    assert ended.lines[-1]["kind"] == "end"
    return ended.lines[-1]


def test_lanes_have_equal_sizes_and_nothing_is_trained(small, tmp_path):
    for match, figure in (("parameters", "parameters"), ("flops", "flops"), ("state", "state")):
        plan = run("race", small, "--set", "lstm.units=36", "--vary", "lstm=lstm,gru,sru,mru,lstm:num_layers=2", "--match", match, "--out", tmp_path / "race",
                   "--dry-run", "--json", code=0).lines[0]
        assert plan["kind"] == "plan" and [lane["name"] for lane in plan["lanes"]] == ["lstm", "gru", "sru", "mru", "lstm-2"]
        for lane in plan["lanes"]:
            assert abs(lane[figure] - plan["target"]) <= 0.02 * plan["target"], lane
    unmatched = run("race", small, "--vary", "lstm=lstm:units=3,lstm:units=30", "--match", "none", "--out", tmp_path / "race", "--dry-run", "--json", code=0).lines[0]
    assert unmatched["lanes"][0]["parameters"] < unmatched["lanes"][1]["parameters"]
    assert plan["target"] == 72 and not (tmp_path / "race").exists()


def refused_in(plan):
    return {lane["name"]: lane["refused"] for lane in plan["lanes"] if "refused" in lane}


def test_a_lane_that_cannot_be_matched_says_so_and_the_others_run(small, tmp_path):
    out = tmp_path / "race"
    words = ("race", small, "--vary", "lstm=gru,mru", "--match", "state", "--out", out)
    said = "no width of mru gives 22 state values within 2 %: matrix_size = 3 gives 18 state values, 18.2 % from 22"
    shown = run(*words, "--dry-run", code=1).out
    row = next(line for line in shown.splitlines() if line.startswith("mru "))
    assert "cannot match" in row and said in row and "units = 22" in shown
    plan = run(*words, "--dry-run", "--json", code=1).lines[0]
    assert said in refused_in(plan)["mru"] and plan["lanes"][1]["runs"] == [] and "file" not in plan["lanes"][1]
    assert not out.exists()
    end = end_of(run(*words, "--json", *COMMON, code=1))
    assert end["state"] == "finished" and end["left"] == 0 and [lane["lane"] for lane in end["lanes"]] == ["gru", "mru"]
    assert end["lanes"][0]["runs"] == "1/1" and end["lanes"][1]["runs"] == "0/0" and said in end["lanes"][1]["refused"]
    table = list(csv.DictReader(open(out / "table.csv")))
    assert table[0]["refused"] == "" and said in table[1]["refused"] and table[1]["parameters"] == ""
    assert said in run("race", "--out", out, "--show", code=0).out
    assert "as it was trained" in run("race", "--out", out, "--show", "--steps", "3", code=2).err
    assert "--tolerance has no effect" in run("race", small, "--vary", "lstm=gru", "--match", "none", "--tolerance", "3", "--out", out, code=2).err
    assert said in run(*words, *COMMON, code=1).err  # --quiet prints no table
    run("race", "--out", out, "--quiet", code=1)
    near = run("race", small, "--vary", "lstm=mru", "--match", "state", "--tolerance", "20", "--out", tmp_path / "near", "--dry-run", "--json", code=0).lines[0]
    assert near["lanes"][0]["value"] == 3 and near["tolerance"] == 0.2


def test_where_every_lane_is_refused_nothing_is_written(small, tmp_path):
    ended = run("race", small, "--vary", "lstm=mru", "--match", "state", "--out", tmp_path / "race", *COMMON, code=1)
    assert "no width of mru" in ended.err and not (tmp_path / "race").exists()


def test_cells_as_wide_as_their_input_are_framed(small, tmp_path):
    """Never matched by a rank or the states of a feature."""
    out = tmp_path / "race"
    plan = run("race", small, "--set", "lstm.units=64", "--vary", "lstm=lstm,mamba,s4d,rg_lru", "--out", out, "--dry-run", "--json",
               code=0).lines[0]
    for lane in plan["lanes"][1:]:
        assert lane["param"] == "frame" and lane["value"] >= 8, lane
        assert abs(lane["parameters"] - plan["target"]) <= 0.02 * plan["target"]
    assert any(warning.startswith("state values differ: ") for warning in plan["warnings"])
    ended = run("race", small, "--set", "lstm.units=64", "--vary", "lstm=mamba", "--out", out, *COMMON, "--json", code=0)
    nodes = {node["name"]: node for node in json.loads((out / "lanes" / "mamba.unroll").read_text())["graph"]["nodes"]}
    lane = json.loads((out / "race.json").read_text())["lanes"][0]
    assert nodes["lstm_in"]["params"]["width"] == lane["value"] and nodes["lstm_out"]["block"] == "linear"
    assert end_of(ended)["lanes"][0]["width"] == f"frame = {nodes['lstm_in']['params']['width']}"


def test_ports_come_before_widths(small, tmp_path):
    plan = run("race", small, "--vary", "head=lstm", "--out", tmp_path / "race", "--dry-run", "--json", code=1).lines[0]
    assert refused_in(plan)["lstm"].startswith("lstm has no input targets, which head has")


@pytest.fixture
def grouped(small):
    """The same with its cell in a group, and a second one of another width."""
    document = json.loads(small.read_text())
    graph = document["graph"]
    cell = next(node for node in graph["nodes"] if node["name"] == "lstm")
    number = max(node["id"] for node in graph["nodes"])

    def group(name, at, block):
        return {"id": at, "block": "group", "name": name, "at": [0, 0], "params": {}, "group": {
            "repeat": 1, "shared_weights": False, "inputs": ["x -> norm.x"], "outputs": ["cell.y -> y"], "params": [], "next_id": 3,
            "nodes": [{"id": 1, "block": "layer_norm", "name": "norm", "at": [0, 0], "params": {}}, {"id": 2, "block": block, "name": "cell", "at": [200, 0], "params": {"units": 48}}],
            "wires": ["norm.y -> cell.x"]}}

    graph["nodes"] = [group("body", cell["id"], "lstm") if node is cell else node for node in graph["nodes"]] + [group("second", number + 1, "gru")]
    graph["wires"] = [wire.replace("lstm.", "body.") for wire in graph["wires"]]
    into = next(wire for wire in graph["wires"] if wire.startswith("body.y -> "))
    graph["wires"] = [wire for wire in graph["wires"] if wire != into] + ["body.y -> second.x", "second.y" + into.removeprefix("body.y")]
    graph["next_id"] = number + 2
    small.write_text(json.dumps(document))
    return small


def test_a_whole_group_is_compared(grouped, tmp_path):
    lanes = "group,group:cell=gru,group:cell=sru:norm=rms_norm,gru,@second,group:cell.units=30:repeat=1"
    out = tmp_path / "race"
    plan = run("race", grouped, "--vary", f"body={lanes}", "--match", "none", "--out", out, "--dry-run", "--json", code=0).lines[0]
    assert [lane["name"] for lane in plan["lanes"]] == ["body", "body-gru", "body-sru-rms_norm", "gru", "second", "body-2"]
    for match in ("parameters", "flops"):
        plan = run("race", grouped, "--vary", "body=group,group:cell=gru,group:cell=sru:norm=rms_norm,gru,@second", "--match", match, "--out", out,
                   "--dry-run", "--json", code=0).lines[0]
        for lane in plan["lanes"]:
            assert abs(lane[match] - plan["target"]) <= 0.02 * plan["target"], lane
        assert [lane["param"] for lane in plan["lanes"]] == ["", "cell.units", "cell.units", "units", "cell.units"]
    end = end_of(run("race", grouped, "--vary", "body=group,group:cell=gru", "--out", out, "--json", *COMMON, code=0))
    assert end["state"] == "finished" and sorted(lane["lane"] for lane in end["lanes"]) == ["body", "body-gru"]
    refused = run("race", grouped, "--vary", "body=group:sell=gru", "--out", tmp_path / "other", "--dry-run", code=1).err
    assert "cell" in refused


def test_two_equal_lanes_give_equal_curves(small, tmp_path):
    out = tmp_path / "race"
    end = end_of(run("race", small, "--vary", "lstm=lstm,lstm", "--out", out, "--json", *COMMON, code=0))
    one, two = (out / "runs" / f"{name}-seed-1" for name in ("lstm", "lstm-2"))
    assert losses(one) == losses(two) and len(losses(one)) == 10
    assert [row["val/loss"] for row in rows(one)] == [row["val/loss"] for row in rows(two)]
    assert end["lanes"][0]["loss"] == end["lanes"][1]["loss"] and end["state"] == "finished" and end["left"] == 0


def test_a_race_goes_on_and_takes_lanes_and_seeds(small, tmp_path):
    out = tmp_path / "race"
    end = end_of(run("race", small, "--vary", "lstm=gru", "--out", out, "--json", *COMMON, code=0))
    assert [lane["runs"] for lane in end["lanes"]] == ["1/1"] and end["lanes"][0]["low"] is None
    first = (out / "runs" / "gru-seed-1" / "metrics.csv").read_text()
    ended = run("race", small, "--vary", "lstm=gru,sru", "--seeds", "2", "--parallel", "2", "--out", out, "--json", *COMMON, code=0)
    assert sorted((line["lane"], line["seed"]) for line in ended.of("run")) == [("gru", "2"), ("sru", "1"), ("sru", "2")]
    assert (out / "runs" / "gru-seed-1" / "metrics.csv").read_text() == first
    end = end_of(ended)
    assert sorted(lane["lane"] for lane in end["lanes"]) == ["gru", "sru"]
    for lane in end["lanes"]:
        assert lane["runs"] == "2/2" and lane["low"] <= lane["loss"] <= lane["high"] and lane["tokens/s"] > 0 and lane["memory"] > 1e6
        assert abs(lane["bits"] * 0.6931471805599453 - lane["loss"]) < 1e-9 and 0 < lane["accuracy"] < 1
    assert end["lanes"][0]["loss"] <= end["lanes"][1]["loss"]
    table = list(csv.DictReader(open(out / "table.csv")))
    assert [row["lane"] for row in table] == [lane["lane"] for lane in end["lanes"]] and float(table[0]["loss"]) == end["lanes"][0]["loss"]
    assert "tabular" in (out / "table.tex").read_text() and (out / "table.md").read_text().startswith("| lane |")
    assert {(row["lane"], row["step"], row["seeds"]) for row in csv.DictReader(open(out / "curves.csv"))} >= {("gru", "10", "2"), ("sru", "5", "2")}
    for row in csv.DictReader(open(out / "curves.csv")):
        assert float(row["seconds"]) > 0 and float(row["FLOP"]) > 0 and 0 < float(row["val/acc"]) < 1 and float(row["train/loss"]) > 0
    assert run("race", "--out", out, "--show", "--format", "latex", code=0).out == (out / "table.tex").read_text()
    listed = run("list", "runs", "--in", out / "runs", "--json", code=0).lines
    assert len(listed) == 4 and all(line["state"] == "finished" and line["step"] == 10 for line in listed)
    assert [lane["runs"] for lane in json.loads((out / "race.json").read_text())["lanes"]] == [[f"runs/{name}-seed-{seed}" for seed in (1, 2)] for name in ("gru", "sru")]


def test_an_interrupted_race_goes_on(small, tmp_path):
    out = tmp_path / "race"
    words = ("race", small, "--vary", "lstm=lstm,lstm", "--out", out, "--steps", "500", "--threads", "1", "--quiet")
    racing = start(*words)
    wait_until(racing, lambda: list(out.glob("runs/*/checkpoints/step-*")))
    racing.send_signal(signal.SIGINT)
    racing.communicate()
    assert racing.returncode == 130
    reached = len(losses(out / "runs" / "lstm-seed-1"))
    assert 0 < reached < 500
    run("race", "--out", out, "--quiet", code=0)  # as it is, without saying again what it is
    broken, whole = losses(out / "runs" / "lstm-seed-1"), losses(out / "runs" / "lstm-2-seed-1")
    assert broken == whole and len(whole) == 500


def test_tokens_and_seconds_are_budgets(small, tmp_path):
    end = end_of(run("race", small, "--vary", "lstm=gru", "--tokens", "130", "--out", tmp_path / "tokens", "--threads", "1", "--json", code=0))
    assert len(losses(tmp_path / "tokens" / "runs" / "gru-seed-1")) == 3 and end["state"] == "finished"
    end = end_of(run("race", small, "--vary", "lstm=gru", "--seconds", "0.5", "--steps", "1000000", "--out", tmp_path / "time", "--threads", "1", "--json", code=0))
    assert end["left"] == 0 and 0.5 <= end["lanes"][0]["seconds"] < 30 and end["lanes"][0]["runs"] == "1/1"


def test_another_race_is_refused_there(small, tmp_path):
    out = tmp_path / "race"
    run("race", small, "--vary", "lstm=gru", "--out", out, *COMMON, code=0)
    for words, said in ((("--vary", "lstm=gru", "--steps", "20"), "steps 10, not 20"), (("--vary", "embedding=gru", "--steps", "10"), "embedding"),
                        (("--vary", "lstm=gru", "--steps", "10", "--match", "state"), "matched parameters, not state"),
                        (("--vary", "lstm=gru", "--steps", "10", "--set", "training.learning_rate=0.5"), "other settings")):
        assert said in run("race", small, *words, "--out", out, "--quiet", code=1).err


def test_mistakes(small, tmp_path):
    out = tmp_path / "race"
    for code, words, said in ((1, ("--vary", "lstn=gru"), "there is no node named lstn"), (1, ("--vary", "lstm=gruu"), "gru"), (2, ("--vary", "lstm"), "NODE=BLOCK"),
                              (2, (), "--vary"), (2, ("--vary", "lstm=gru,"), "without a name"), (1, ("--vary", "lstm=gru:units=3:reset=now"), "no parameter named reset"),
                              (2, ("--vary", "lstm=gru", "--match", "width"), "parameters"), (2, ("--vary", "lstm=gru", "--steps", "3", "--tokens", "3"), "--tokens")):
        ended = run("race", small, *words, "--out", out, code=code)
        assert said in ended.err and ended.out == "", words
    for words in ((), ("--show",)):
        assert "there is no race" in run("race", "--out", out, *words, code=1).err
    assert "an experiment is required" in run("race", "--out", out, "--seeds", "2", code=2).err
    assert not out.exists() and pathlib.Path(small).exists()

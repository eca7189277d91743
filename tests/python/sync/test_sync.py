# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs brought to TensorBoard, MLflow and Weights & Biases, and read back by their own libraries."""

import json
import shutil
import signal
import sys
import time

import pytest
import running
import trackers
from conftest import as_a_program, holding, sync
from unroll_runs import RunFolder
from unroll_runs.table import rows_of

every_kind = pytest.mark.parametrize("kind", trackers.KINDS)


@pytest.fixture(autouse=True)
def libraries(request):
    if "kind" in request.fixturenames:
        pytest.importorskip(request.getfixturevalue("kind"))


def wanted(run):
    """{name: [(step, value)]} of metrics.csv, which is written beside what is sent."""
    found = {}
    for row in running.rows(run):
        for name, value in row.items():
            if name != "step" and value != "":
                found.setdefault(name, []).append((int(row["step"]), float(value)))
    return found


def samples(run):
    return RunFolder(run).samples()


def assert_holds(got, run):
    for name, values in wanted(run).items():
        there = dict(got.metrics[name])
        assert len(got.metrics[name]) == len(values) == len(there), name
        assert [step for step, _ in values] == sorted(there)
        for step, value in values:
            assert there[step] == pytest.approx(value, rel=1e-5), (name, step)
    assert [step for step, _ in got.samples] == [step for step, _ in samples(run)]
    for (_, told), (_, text) in zip(got.samples, samples(run)):
        assert told.split() == text.split()
    assert got.tags == {"red", "blue"}
    assert str(got.settings["training.batch"]) == "4" and got.settings["lstm.block"] == "lstm" and str(got.settings["lstm.units"]) == "11"


@every_kind
def test_a_run_is_there_whole_and_twice_adds_nothing(kind, run, send, tmp_path):
    said = send(run, "--to", kind, "--at", trackers.place(kind, tmp_path))
    assert said.startswith(f"small: 40 rows and 2 samples to {kind}, ")
    first = trackers.got(kind, tmp_path)
    assert_holds(first, run)
    (row,) = rows_of(run)
    assert first.end["state"] == "finished" and float(first.end["best_val_loss"]) == pytest.approx(row["best_val_loss"])
    assert send(run, "--to", kind, "--at", trackers.place(kind, tmp_path)).startswith("small: nothing new to ")
    again = trackers.got(kind, tmp_path)
    assert again.metrics == first.metrics and again.samples == first.samples and again.runs == first.runs == 1


@every_kind
def test_what_has_come_since_is_added(kind, run, send, tmp_path):
    """A run that goes on: rows are added, and the end is said when there is one."""
    metrics, texts, status = run / "metrics.jsonl", run / "samples.txt", run / "status.json"
    whole = metrics.read_bytes(), texts.read_bytes(), status.read_bytes()
    lines = whole[0].splitlines(keepends=True)
    metrics.write_bytes(b"".join(lines[:25]) + lines[25][:9])  # half a row, as a reader may find it
    texts.write_bytes(whole[1][: whole[1].index(b"== step 40") + 5])
    status.write_text(json.dumps({**json.loads(whole[2]), "state": "running"}))
    place = trackers.place(kind, tmp_path)
    with holding(run):
        assert "25 rows and 1 sample" in (said := send(run, "--to", kind, "--at", place)) and "(the run has not ended)" in said
    first = trackers.got(kind, tmp_path)
    assert len(first.metrics["train/loss"]) == 25 and not first.end
    for path, data in zip((metrics, texts, status), whole):
        path.write_bytes(data)
    assert "15 rows and 1 sample" in send(run, "--to", kind, "--at", place)
    last = trackers.got(kind, tmp_path)
    assert_holds(last, run)
    assert last.runs == 1 and last.end["state"] == "finished"


@every_kind
def test_a_run_taken_back_to_a_checkpoint_is_sent_anew(kind, kept, run, send, tmp_path):
    place = trackers.place(kind, tmp_path)
    send(run, "--to", kind, "--at", place)
    shutil.rmtree(run / "checkpoints" / "step-40")
    shutil.rmtree(run / "checkpoints" / "step-30", ignore_errors=True)
    running.run("train", "--resume", run, "--quiet", "--set", "training.learning_rate=0.001", code=0)
    assert "was taken back to a checkpoint since it was sent: it is sent again" in send(run, "--to", kind, "--at", place)
    got = trackers.got(kind, tmp_path)
    assert got.runs == (1 if kind == "tensorboard" else 2)
    assert_holds(got, run)


@pytest.mark.parametrize("kind", ("tensorboard", "mlflow"))
def test_a_run_is_followed_while_it_trains(kind, tmp_path, kept):
    """Started before the end; what it says at the end is all."""
    process = running.start("train", kept / "small.unroll", "--run", tmp_path / "run", "--quiet", "--tag", "red", "--tag", "blue",
                            "--set", "training.steps=400", "--set", "training.evaluate_every=200", "--set", "training.sample_every=200")
    running.wait_until(process, lambda: (tmp_path / "run" / "metrics.jsonl").exists())
    follower = as_a_program(tmp_path / "run", "--to", kind, "--at", trackers.place(kind, tmp_path), "--follow", "--every", "0.1")
    assert process.wait(running.PATIENCE) == 0
    out, err = follower.communicate(timeout=running.PATIENCE)
    assert follower.returncode == 0 and "400 rows and 2 samples" in out, out + err
    got = trackers.got(kind, tmp_path)
    assert_holds(got, tmp_path / "run")
    assert got.end["state"] == "finished"


def test_ctrl_c_ends_following_and_nothing_is_lost(run, tmp_path, send):
    status = run / "status.json"
    ended = status.read_text()
    status.write_text(json.dumps({**json.loads(ended), "state": "running"}))
    with holding(run):
        follower = as_a_program(run, "--to", "tensorboard", "--at", tmp_path / "tensorboard", "--follow", "--every", "0.1")
        until = time.monotonic() + running.PATIENCE
        while not (run / "synced.json").exists() or not (run / "synced.json").read_text():
            assert follower.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        follower.send_signal(signal.SIGINT)
        out, err = follower.communicate(timeout=running.PATIENCE)
    assert follower.returncode == 0 and "40 rows" in out and not err, err
    status.write_text(ended)
    assert "nothing new" in send(run, "--to", "tensorboard", "--at", tmp_path / "tensorboard")
    assert_holds(trackers.got("tensorboard", tmp_path), run)


def test_two_at_once_to_one_place_are_refused(run, send, tmp_path):
    from unroll_runs.sync import ledger

    place = tmp_path / "one"
    with ledger.opened(RunFolder(run), f"tensorboard {place / 'small'}"):
        assert f"another program is sending this run to tensorboard {place / 'small'} at the moment" in send(run, "--to", "tensorboard", "--at", place, code=1)
        assert "40 rows" in send(run, "--to", "tensorboard", "--at", tmp_path / "two")
    assert "40 rows" in send(run, "--to", "tensorboard", "--at", place)


def test_a_run_is_followed_by_several_at_once(run, tmp_path, send):
    """Each notes what it has sent, and keeps what others note."""
    status = run / "status.json"
    ended = status.read_text()
    status.write_text(json.dumps({**json.loads(ended), "state": "running"}))
    places = [tmp_path / name for name in ("one", "two", "three")]
    with holding(run):
        followers = [as_a_program(run, "--to", "tensorboard", "--at", place, "--follow", "--every", "0.05") for place in places]
        until = time.monotonic() + running.PATIENCE
        while not (run / "synced.json").exists() or (run / "synced.json").read_text().count('"told"') < len(places):
            assert all(each.poll() is None for each in followers) and time.monotonic() < until
            time.sleep(0.05)
        status.write_text(ended)
    for follower in followers:
        out, err = follower.communicate(timeout=running.PATIENCE)
        assert follower.returncode == 0 and "40 rows and 2 samples" in out, out + err
    for place in places:
        assert "nothing new" in send(run, "--to", "tensorboard", "--at", place)


def test_errors_are_sentences(run, send, tmp_path, monkeypatch):
    assert f"error: {tmp_path / 'none'}: there is no run here" in send(tmp_path / "none", "--to", "tensorboard", code=1)
    assert "this is not a run: it contains no experiment.unroll" in send(tmp_path, "--to", "tensorboard", code=1)
    (run / "synced.json").write_text("{")
    assert "synced.json: " in (said := send(run, "--to", "tensorboard", code=1)) and "Without the file everything is sent again" in said
    for kind in trackers.KINDS:
        monkeypatch.setitem(sys.modules, kind, None)
        monkeypatch.delitem(sys.modules, f"unroll_runs.sync.to_{kind}", raising=False)
        monkeypatch.setitem(sys.modules, "tensorboard.compat.proto", None)
        said = send(run, "--to", kind, code=1)
        assert f"--to {kind} goes by the Python package {kind}, which cannot be imported here" in said
        assert f"{sys.executable} -m pip install {kind}" in said


def test_settings_of_groups_are_told(tmp_path):
    from unroll_runs.sync import told

    folder = tmp_path / "run"
    folder.mkdir()
    running.write_group(folder / "experiment.unroll", tmp_path / "small.txt")
    found = told.settings(RunFolder(folder))
    assert found["body/lstm.units"] == 12 and found["body.block"] == "group" and found["training.steps"] == 40


def test_the_command_line_does_the_same(run, tmp_path):
    ended = running.run("sync", run, "--to", "tensorboard", "--at", tmp_path / "tensorboard", code=0, UNROLL_PYTHON=sys.executable)
    assert ended.out.startswith("small: 40 rows and 2 samples to tensorboard, ")
    assert_holds(trackers.got("tensorboard", tmp_path), run)
    assert running.run("sync", run, "--to", "paper").code == 2
    said = running.run("sync", run, "--to", "tensorboard", UNROLL_PYTHON="/nowhere/python", code=1).err
    assert "/nowhere/python" in said and "cannot be started" in said


def test_sync_of_several_runs_goes_on_after_an_error(run, send, tmp_path):
    said = send(tmp_path / "none", run, "--to", "tensorboard", "--at", tmp_path / "tensorboard", code=1)
    assert "there is no run here" in said and "40 rows" in said and sync.LIBRARIES.keys() == set(trackers.KINDS)

# SPDX-License-Identifier: GPL-3.0-or-later
"""unroll-cli train: runs that are interrupted, killed or damaged, and go on."""
import json
import resource
import signal
import time

import pytest
from running import PATIENCE, events_of, losses, rows, run, start, wait_until, write_document, write_group

LONG = ["--set", "training.evaluate_every=0", "--set", "training.evaluate_whole=false", "--set", "training.sample_every=0"]


@pytest.fixture
def unbroken(small, tmp_path):
    return run("train", small, "--json", "--steps", "600", *LONG, "--run", tmp_path / "whole", code=0).losses


def begin(small, folder, steps=600, **how):
    process = start("train", small, "--json", "--steps", steps, *LONG, "--run", folder, **how)
    wait_until(process, lambda: list(folder.glob("checkpoints/step-[1-9]*[0-9]")))
    return process


def newest_row(folder):
    """The step of the last whole row, also while the run writes."""
    lines = (folder / "metrics.csv").read_bytes().split(b"\r\n")[1:-1]
    return max((int(line.split(b",")[0]) for line in lines), default=0)


def test_interrupt_saves_and_resume_goes_on(small, tmp_path, unbroken):
    folder = tmp_path / "run"
    process = begin(small, folder)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "checkpoint" in err
    stopped = json.loads(out.splitlines()[-1])
    assert stopped["state"] == "stopped" and 0 < stopped["step"] < 600
    assert (folder / "checkpoints" / f"step-{stopped['step']}" / "weights.safetensors").exists()
    ended = run("train", small, "--json", "--run", folder, "--resume", code=0)
    assert min(ended.losses) == stopped["step"] + 1
    assert losses(folder) == unbroken
    assert len([*folder.glob("events.out.tfevents.*")]) == 2


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_save_too(small, tmp_path, name):
    process = begin(small, tmp_path / "run", 1_000_000)
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and json.loads(out.splitlines()[-1])["state"] == "stopped"


def test_kill_and_resume(small, tmp_path, unbroken):
    """Killed again and again: the rows come out as if nothing had happened."""
    folder = tmp_path / "run"
    begin(small, folder).kill()
    for _ in range(2):
        process = start("train", folder, "--json", "--resume")
        newest = newest_row(folder)
        wait_until(process, lambda: newest_row(folder) > newest)
        process.kill()
        process.communicate()
    run("train", folder, "--json", "--resume", code=0)
    assert losses(folder) == unbroken
    assert [int(row["step"]) for row in rows(folder)] == list(range(1, 601))
    jsonl = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert {row["step"]: row["train/loss"] for row in jsonl} == unbroken and len(jsonl) == 600
    assert [step for step, _ in events_of(folder)] == list(range(1, 601))
    assert not [path for path in (folder / "checkpoints").iterdir() if path.suffix in (".tmp", ".old")]


def test_signals_that_were_ignored_stay_so(small, tmp_path):
    """As nohup and shells in the background have it: the run goes on."""
    def ignore():
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    process = begin(small, tmp_path / "run", before=ignore)
    for number in (signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and json.loads(out.splitlines()[-1])["state"] == "finished", err


def test_a_reader_that_goes_away_stops_no_training(small, tmp_path):
    process = start("train", small, "--json", "--run", tmp_path / "run")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=PATIENCE) == 1 and "standard output" in process.stderr.read()
    assert sorted(losses(tmp_path / "run")) == list(range(1, 41))


def test_files_that_may_not_grow_stop_no_training(small, tmp_path):
    small_files = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    ended = run("train", small, "--json", "--run", tmp_path / "run", before=small_files, code=4)
    assert sorted(ended.losses) == list(range(1, 41)) and "File too large" in ended.err
    assert "the weights of step 40 were not saved" in ended.err
    assert not list((tmp_path / "run" / "checkpoints").iterdir())


def test_second_interrupt_ends_at_once(tmp_path, text):
    """The stop waits for the step and the evaluation of the whole split, and tells its end; the second Ctrl-C does not."""
    path = write_document(tmp_path / "slow.unroll", text, training={"steps": 100_000, "checkpoint_every": 0})
    folder = tmp_path / "run"
    process = start("train", path, "--set", "lstm.units=1500", "--set", "training.batch=64", "--set", "text.steps=100", "--json", "--run", folder)
    wait_until(process, lambda: (folder / "metrics.csv").exists() and rows(folder))
    seen = time.monotonic()
    wait_until(process, lambda: time.monotonic() - seen > 0.2)  # well into the second step, which takes seconds
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()  # another within half a second is the same request (app/cli/interrupt.cpp)
    wait_until(process, lambda: time.monotonic() - sent > 0.6)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and '"end"' not in out


def test_two_signals_at_once_are_one_request(small, tmp_path):
    """`timeout -s INT` sends one to the program and one to its group: the checkpoint is written all the same."""
    process = begin(small, tmp_path / "run", 1_000_000)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    stopped = json.loads(out.splitlines()[-1])
    assert process.returncode == 130 and stopped["state"] == "stopped" and "checkpoint" in err
    assert (tmp_path / "run" / "checkpoints" / f"step-{stopped['step']}" / "weights.safetensors").exists()


def test_resume_with_fewer_steps_than_were_taken(small, tmp_path):
    folder = tmp_path / "run"
    run("train", small, "--steps", "20", "--quiet", "--run", folder, code=0)
    ended = run("train", folder, "--resume", "--steps", "12", code=1)
    assert "the run is already at step 20, and training.steps is 12" in ended.err
    assert json.loads((folder / "experiment.unroll").read_text())["training"]["steps"] == 20


def test_resume_with_more_steps(small, tmp_path):
    folder = tmp_path / "run"
    run("train", small, "--steps", "20", "--quiet", "--run", folder, code=0)
    ended = run("train", folder, "--resume", "--steps", "30", "--json", code=0)
    assert sorted(ended.losses) == list(range(21, 31))
    assert json.loads((folder / "experiment.unroll").read_text())["training"]["steps"] == 30
    assert "training.steps: 20 before, 30 from now on" in (folder / "log.txt").read_text()
    ended = run("train", folder, "--resume", "--steps", "33", "--set", "training.batch=6", "--set", "training.learning_rate=0.001", "--json",
                "--set", "training.schedule=constant", code=0)
    assert sorted(ended.losses) == [31, 32, 33] and "start from zero" in ended.err
    assert {row["optim/lr"] for row in ended.of("metrics")} == {0.001}


def test_resume_of_nothing(small, tmp_path):
    assert "--resume DIR" in run("train", small, "--resume", code=2).err
    ended = run("train", small, "--resume", "--run", tmp_path / "none", code=1)
    assert str(tmp_path / "none") in ended.err
    (tmp_path / "empty").mkdir()
    assert "run" in run("train", small, "--resume", "--run", tmp_path / "empty", code=1).err
    assert run("train", small, "--resume", "--seed", "3", "--run", tmp_path / "none").code == 2


def test_resume_of_another_graph(tmp_path, text, trained):
    other = write_group(tmp_path / "group.unroll", text)
    ended = run("train", other, "--resume", "--run", trained, code=1)
    assert "a different graph" in ended.err


def test_damaged_checkpoint_is_passed_over(small, tmp_path, unbroken):
    folder = tmp_path / "run"
    process = begin(small, folder)
    wait_until(process, lambda: len(list(folder.glob("checkpoints/step-*[0-9]"))) >= 2)
    process.kill()
    process.communicate()
    checkpoints = sorted((path for path in (folder / "checkpoints").glob("step-*") if path.suffix == ""), key=lambda path: int(path.name[5:]))
    newest = checkpoints[-1] / "weights.safetensors"
    newest.write_bytes(newest.read_bytes()[:-3])
    ended = run("train", folder, "--resume", "--json", code=0)
    assert "skipped checkpoint" in ended.err and checkpoints[-1].name in ended.err
    assert losses(folder) == unbroken


def test_two_writers(small, tmp_path):
    folder = tmp_path / "run"
    process = begin(small, folder, 1_000_000)
    try:
        ended = run("train", folder, "--resume", code=1)
        assert "is training this run" in ended.err
    finally:
        process.kill()
        process.communicate()

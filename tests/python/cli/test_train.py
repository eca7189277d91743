# SPDX-License-Identifier: GPL-3.0-or-later
import csv
import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import tempfile
import time

import numpy
import pytest
from running import nobody, program, run, start, write_document, write_group
from safetensors.numpy import load_file, save_file
from tensorboard.backend.event_processing import event_accumulator


def wait_until(process, condition, seconds=120):
    until = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def rows(folder):
    with open(folder / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


def losses(folder):
    return {int(row["step"]): float(row["train/loss"]) for row in rows(folder)}


def test_the_run_folder(small, tmp_path):
    folder = tmp_path / "run"
    ended = run("train", small, "--json", "--run", folder, code=0)
    assert ended.of("end")[0]["state"] == "finished" and ended.of("end")[0]["step"] == 40
    assert sorted(ended.losses) == list(range(1, 41))
    assert [row["step"] for row in ended.of("metrics") if "val/loss" in row] == [10, 20, 30, 40]
    assert [line["step"] for line in ended.of("sample")] == [20, 40]
    assert ended.losses[40] < ended.losses[1] - 0.1
    assert losses(folder) == ended.losses
    written = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert {row["step"]: row["train/loss"] for row in written} == ended.losses
    assert sorted(path.name for path in (folder / "checkpoints").glob("step-*"))[-1] == "step-40"
    assert json.loads((folder / "experiment.unroll").read_text())["graph"]["nodes"][2]["name"] == "lstm"
    made = json.loads((folder / "environment.json").read_text())
    assert made["threads"] == 1 and made["device"] == "cpu" and made["torch"].startswith("2.11") and len(made["data_hash"]) == 64
    assert "== step 20, " in (folder / "samples.txt").read_text()
    assert "seed 1" in (folder / "log.txt").read_text()


def test_columns_are_fixed(trained):
    header = (trained / "metrics.csv").read_text().splitlines()[0]
    assert header.startswith("step,tokens,seconds,train/loss,val/loss,")
    assert {"optim/lr", "optim/grad_norm", "perf/tokens_per_s", "final/loss"} <= set(header.split(","))
    row = rows(trained)[0]
    assert row["val/loss"] == "" and row["train/loss"] != ""


def events_of(folder, tag="train/loss"):
    """(step, value) as tensorboard reads them."""
    events = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(tag)]


def test_events_are_read_by_tensorboard(trained):
    assert dict(events_of(trained)) == pytest.approx(losses(trained), rel=1e-6)
    assert [step for step, _ in events_of(trained, "val/loss")] == [10, 20, 30, 40]
    assert len(events_of(trained, "final/loss")) == 1 and len(events_of(trained, "optim/lr")) == 40


def test_one_stream_each(small, tmp_path):
    ended = run("train", small, "--run", tmp_path / "a", code=0)
    assert re.search(r"^step 10  train/loss \d", ended.out, re.M) and "tokens/s" not in ended.out and "\r" not in ended.out
    assert "finished at step 40" in ended.err and "\x1b" not in ended.err + ended.out
    quiet = run("train", small, "--run", tmp_path / "b", "--quiet", code=0)
    assert quiet.err == "" and quiet.out == ended.out


def on_a_terminal(*arguments, folder, **environment):
    """stdout piped, stderr a terminal; gives both texts."""
    terminal, theirs = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen([program(), *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL,
                               env={**variables, "TERM": "xterm", **environment})
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    out = process.communicate(timeout=60)[0]
    os.close(terminal)
    return process.returncode, out.decode(), shown.decode()


def test_progress_bar(small, tmp_path):
    code, out, shown = on_a_terminal("train", small, "--steps", "400", "--set", "training.sample_every=0", "--run", tmp_path / "run",
                                     folder=tmp_path)
    assert code == 0 and "\r" not in out
    bars = re.findall(r"\[(#*)(-*)\] (\d+)/400  loss \d+\.\d{4}", shown)
    assert len(bars) > 2 and int(bars[0][2]) < int(bars[-1][2])
    assert re.search(r"tokens/s  \d+:\d\d left", shown)


def test_no_color(small, tmp_path):
    assert "\x1b[31m" in on_a_terminal("check", tmp_path / "none", folder=tmp_path)[2]
    assert "\x1b[" not in on_a_terminal("check", tmp_path / "none", folder=tmp_path, NO_COLOR="1")[2]


def test_same_seed_same_numbers(small, tmp_path):
    first = run("train", small, "--json", "--run", tmp_path / "a", code=0).losses
    assert run("train", small, "--json", "--run", tmp_path / "b", code=0).losses == first
    assert run("train", small, "--json", "--seed", "2", "--run", tmp_path / "c", code=0).losses != first


def test_options_reach_the_run(small, tmp_path):
    run("train", small, "--steps", "3", "--seed", "18446744073709551615", "--threads", "2", "--set", "lstm.units=5",
        "--set", "training.batch=2", "--run", tmp_path / "run", code=0)
    experiment = json.loads((tmp_path / "run" / "experiment.unroll").read_text())
    assert experiment["training"]["steps"] == 3 and experiment["training"]["batch"] == 2 and experiment["training"]["threads"] == 2
    assert experiment["seed"] == 18446744073709551615
    assert experiment["graph"]["nodes"][2]["params"]["units"] == 5
    assert json.loads((tmp_path / "run" / "environment.json").read_text())["seed"] == "18446744073709551615"
    assert load_file(tmp_path / "run" / "checkpoints" / "step-3" / "weights.safetensors")["lstm.weight_hh_l0"].shape == (20, 5)


def test_run_names(small, tmp_path):
    for expected in ("small", "small-2", "small-3"):
        run("train", small, "--steps", "1", folder=tmp_path, code=0)
        assert (tmp_path / "runs" / expected / "metrics.csv").exists()


def test_a_folder_with_something_in_it_is_left_alone(small, trained, tmp_path):
    before = (trained / "metrics.csv").read_bytes()
    ended = run("train", small, "--run", trained, code=1)
    assert str(trained) in ended.err and "resume" in ended.err
    assert (trained / "metrics.csv").read_bytes() == before


@pytest.mark.parametrize("device, words", [("cuda:7", "cuda:7"), ("tpu", "tpu"), ("cuda:", "cuda:")])
def test_wrong_device(small, tmp_path, device, words):
    ended = run("train", small, "--device", device, "--run", tmp_path / "run", code=1)
    assert words in ended.err and not (tmp_path / "run").exists()


def test_read_only_folder(small, tmp_path):
    ended = run("train", small, "--run", "/proc/unroll/run", code=1)
    assert "/proc/unroll/run" in ended.err and ended.out == ""
    (tmp_path / "file").write_text("")
    ended = run("train", small, "--run", tmp_path / "file", code=1)
    assert str(tmp_path / "file") in ended.err


def test_folders_and_files_of_others(small):
    user = nobody()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        place.chmod(0o755)
        (place / "closed").mkdir(mode=0o555)
        (place / "small.unroll").write_text(small.read_text())
        (place / "secret.txt").write_text("abc" * 1000)
        (place / "secret.txt").chmod(0)
        begin = ["train", place / "small.unroll", "--run", place / "closed" / "run"]
        ended = run(*begin, "--set", "text.file=", code=1, user=user)
        assert "ermission" in ended.err and "closed" in ended.err
        ended = run(*begin, "--data", place / "secret.txt", code=1, user=user)
        assert "ermission" in ended.err and "secret.txt" in ended.err


def small_disk(folder, kilobytes):
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small disk here")


def test_full_disk(small, tmp_path):
    """Training goes on to its end, the trouble is told, and what was saved before is whole."""
    disk = tmp_path / "disk"
    small_disk(disk, 120)
    try:
        ended = run("train", small, "--json", "--steps", "60", "--set", "training.checkpoint_every=5", "--run", disk / "run", code=0)
        assert sorted(ended.losses) == list(range(1, 61))
        assert "No space left on device" in ended.err and ended.err.count("weights.safetensors") <= 3
        for checkpoint in (disk / "run" / "checkpoints").glob("step-*"):
            assert checkpoint.suffix == "" and load_file(checkpoint / "weights.safetensors")
    finally:
        subprocess.run(["umount", disk], check=False)


def test_divergence_is_three(small, tmp_path):
    ended = run("train", small, "--json", "--set", "training.optimizer=sgd", "--set", "training.learning_rate=1e3", "--set", "training.clip=0",
                "--set", "training.schedule=constant", "--set", "training.warmup=0", "--set", "embedding.init_std=10", "--steps", "2000",
                "--run", tmp_path / "run")
    assert ended.code == 3, ended.err
    assert re.search(r"error: .*(lstm|head|embedding)", ended.err)
    assert ended.of("end")[0]["state"] == "failed"
    assert "NaN" in (tmp_path / "run" / "metrics.jsonl").read_text()


# ---- stop and go on -------------------------------------------------------------------------------------------------------------------

LONG = ["--set", "training.evaluate_every=0", "--set", "training.evaluate_whole=false", "--set", "training.sample_every=0"]


@pytest.fixture
def unbroken(small, tmp_path):
    return run("train", small, "--json", "--steps", "600", *LONG, "--run", tmp_path / "whole", code=0).losses


def begin(small, folder, **how):
    process = start("train", small, "--json", "--steps", "600", *LONG, "--run", folder, **how)
    wait_until(process, lambda: list(folder.glob("checkpoints/step-[1-9]*[0-9]")))
    return process


def test_interrupt_saves_and_resume_goes_on(small, tmp_path, unbroken):
    folder = tmp_path / "run"
    process = begin(small, folder)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
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
    process = begin(small, tmp_path / "run")
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and json.loads(out.splitlines()[-1])["state"] == "stopped"


def test_kill_and_resume(small, tmp_path, unbroken):
    """Killed again and again: the rows come out as if nothing had happened."""
    folder = tmp_path / "run"
    begin(small, folder).kill()
    for _ in range(2):
        process = start("train", folder, "--json", "--resume")
        newest = len(losses(folder))
        wait_until(process, lambda: (folder / "log.txt").read_text().count("resumed") or newest)
        time.sleep(0.5)
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
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and json.loads(out.splitlines()[-1])["state"] == "finished", err


def test_a_reader_that_goes_away_stops_no_training(small, tmp_path):
    process = start("train", small, "--json", "--run", tmp_path / "run")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=120) == 1 and "standard output" in process.stderr.read()
    assert sorted(losses(tmp_path / "run")) == list(range(1, 41))


def test_files_that_may_not_grow_stop_no_training(small, tmp_path):
    small_files = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    ended = run("train", small, "--json", "--run", tmp_path / "run", before=small_files, code=0)
    assert sorted(ended.losses) == list(range(1, 41)) and "File too large" in ended.err
    assert not list((tmp_path / "run" / "checkpoints").iterdir())


def test_second_interrupt_ends_at_once(tmp_path, text):
    """The stop waits for the evaluation of the whole split; the second Ctrl-C does not."""
    path = write_document(tmp_path / "slow.unroll", text, training={"steps": 100_000, "checkpoint_every": 0})
    process = start("train", path, "--set", "lstm.units=1500", "--set", "training.batch=64", "--set", "text.steps=200", "--json",
                    "--run", tmp_path / "run")
    wait_until(process, (tmp_path / "run" / "log.txt").exists)
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130 and time.monotonic() - begun < 5


def test_resume_with_more_steps(small, tmp_path):
    folder = tmp_path / "run"
    run("train", small, "--steps", "20", "--quiet", "--run", folder, code=0)
    ended = run("train", folder, "--resume", "--steps", "30", "--json", code=0)
    assert sorted(ended.losses) == list(range(21, 31))
    assert json.loads((folder / "experiment.unroll").read_text())["training"]["steps"] == 30
    assert "training.steps: 20 before, 30 from here on" in (folder / "log.txt").read_text()
    ended = run("train", folder, "--resume", "--steps", "33", "--set", "training.batch=6", "--set", "training.learning_rate=0.001", "--json",
                "--set", "training.schedule=constant", code=0)
    assert sorted(ended.losses) == [31, 32, 33] and "start from zero" in ended.err
    assert {row["optim/lr"] for row in ended.of("metrics")} == {0.001}


def test_resume_of_nothing(small, tmp_path):
    assert "--run" in run("train", small, "--resume", code=2).err
    ended = run("train", small, "--resume", "--run", tmp_path / "none", code=1)
    assert str(tmp_path / "none") in ended.err
    (tmp_path / "empty").mkdir()
    assert "run" in run("train", small, "--resume", "--run", tmp_path / "empty", code=1).err
    assert run("train", small, "--resume", "--seed", "3", "--run", tmp_path / "none").code == 2


def test_resume_of_another_graph(tmp_path, text, trained):
    other = write_group(tmp_path / "group.unroll", text)
    ended = run("train", other, "--resume", "--run", trained, code=1)
    assert "another graph" in ended.err


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
    assert "passed over" in ended.err and checkpoints[-1].name in ended.err
    assert losses(folder) == unbroken


def test_two_writers(small, tmp_path):
    folder = tmp_path / "run"
    process = begin(small, folder)
    try:
        ended = run("train", folder, "--resume", code=1)
        assert "another process" in ended.err
    finally:
        process.kill()
        process.communicate()


# ---- initial weights ------------------------------------------------------------------------------------------------------------------

def test_initial_weights(small, trained, tmp_path):
    whole = trained / "checkpoints" / "step-40" / "weights.safetensors"
    ended = run("train", small, "--steps", "1", "--json", "--init", whole, "--run", tmp_path / "a", code=0)
    trained_loss = losses(trained)
    assert ended.losses[1] < trained_loss[1] - 0.1 and "7 taken" in ended.err


def test_initial_weights_are_reported(small, trained, tmp_path):
    weights = load_file(trained / "checkpoints" / "step-40" / "weights.safetensors")
    weights["lstm.bias_ih_l0"] = numpy.zeros(3, dtype=numpy.float32)
    weights["extra.weight"] = weights.pop("head.bias")
    save_file(weights, tmp_path / "some.safetensors")
    ended = run("train", small, "--steps", "1", "--init", tmp_path / "some.safetensors", "--run", tmp_path / "b", code=0)
    for words in ("lstm.bias_ih_l0: [3] in the file, [44] in the model", "head.bias", "extra.weight", "5 taken"):
        assert words in ended.err
    log = (tmp_path / "b" / "log.txt").read_text()
    assert "5 taken" in log and "lstm.bias_ih_l0: [3]" in log


def test_initial_weights_of_other_types(small, trained, tmp_path):
    """Half precision is read; a type that nobody reads is no fault of a tensor that the model does not name."""
    weights = load_file(trained / "checkpoints" / "step-40" / "weights.safetensors")
    halves = {name: tensor.astype(numpy.float16) for name, tensor in weights.items()}
    halves["extra.scale"] = numpy.zeros(3, dtype=numpy.uint32)
    save_file(halves, tmp_path / "half.safetensors")
    ended = run("train", small, "--steps", "1", "--json", "--init", tmp_path / "half.safetensors", "--run", tmp_path / "a", code=0)
    assert "7 taken" in ended.err and "extra.scale" in ended.err and ended.losses[1] < losses(trained)[1] - 0.1
    halves["head.bias"] = numpy.zeros(halves["head.bias"].shape, dtype=numpy.uint32)
    save_file(halves, tmp_path / "odd.safetensors")
    ended = run("train", small, "--steps", "1", "--init", tmp_path / "odd.safetensors", "--run", tmp_path / "b", code=0)
    assert "6 taken" in ended.err and "head.bias: type U32" in ended.err


def test_initial_weights_that_cannot_be_read(small, tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
    (tmp_path / "cut.safetensors").write_bytes(b"\x08\x00")
    ended = run("train", small, "--init", tmp_path / "cut.safetensors", "--run", tmp_path / "a", code=1)
    assert "cut.safetensors" in ended.err
    assert run("train", small, "--init", tmp_path / "none", "--run", tmp_path / "b", code=1).err
    ended = run("train", small, "--init", tmp_path / "bad.safetensors", "--run", tmp_path / "c", code=1)  # a file of no tensors
    assert "bad.safetensors" in ended.err and "none of the 7 weights" in ended.err and not (tmp_path / "c").exists()


def test_groups_train(tmp_path, text):
    for shared in (False, True):
        path = write_group(tmp_path / f"group-{shared}.unroll", text, shared=shared)
        ended = run("train", path, "--steps", "25", "--json", "--run", tmp_path / f"run-{shared}", code=0)
        assert ended.losses[25] < ended.losses[1]
        names = set(load_file(tmp_path / f"run-{shared}" / "checkpoints" / "step-25" / "weights.safetensors"))
        assert ("body.lstm.weight_hh_l0" in names) == shared and ("body.3.lstm.weight_hh_l0" in names) != shared

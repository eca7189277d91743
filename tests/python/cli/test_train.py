# SPDX-License-Identifier: GPL-3.0-or-later
"""unroll-cli train: what a run leaves and says, and what it refuses."""
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile

import pytest
from running import PATIENCE, events_of, losses, nobody, program, rows, run, write_group
from safetensors.numpy import load_file


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
    out = process.communicate(timeout=PATIENCE)[0]
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


@pytest.mark.parametrize("device, code", [("cuda:7", 1), ("tpu", 2), ("cuda:", 2)])
def test_wrong_device(small, tmp_path, device, code):
    """One that could be is looked for; a word that is none is wrong usage."""
    ended = run("train", small, "--device", device, "--run", tmp_path / "run", code=code)
    assert device in ended.err and not (tmp_path / "run").exists()


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
        ended = run("train", small, "--json", "--steps", "60", "--set", "training.checkpoint_every=5", "--run", disk / "run", code=4)
        assert sorted(ended.losses) == list(range(1, 61))
        assert "the weights of step 60 were not saved" in ended.err
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


def test_groups_train(tmp_path, text):
    for shared in (False, True):
        path = write_group(tmp_path / f"group-{shared}.unroll", text, shared=shared)
        ended = run("train", path, "--steps", "25", "--json", "--run", tmp_path / f"run-{shared}", code=0)
        assert ended.losses[25] < ended.losses[1]
        names = set(load_file(tmp_path / f"run-{shared}" / "checkpoints" / "step-25" / "weights.safetensors"))
        assert ("body.lstm.weight_hh_l0" in names) == shared and ("body.3.lstm.weight_hh_l0" in names) != shared

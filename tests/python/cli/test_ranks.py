# SPDX-License-Identifier: GPL-3.0-or-later
"""Several processes that train one run: started by torchrun, or by the variables that mpirun and srun set; what becomes of them when one is gone."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import running
from running import PATIENCE, ended, free_port, losses, near, program, rows, run, start, wait_until, write_document

TIMES = 50 if "UNROLL_TEST_ALL" in os.environ else 2  # that a rank is killed
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--no-python"]
CARRIED, APART = "streams", "windows"  # orders of a text: with states that go on from batch to batch, and without


def experiment(path, text, order=CARRIED, nodes=None, **training):
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": order}), "embedding": ("embedding", {"width": 12}),
             "lstm": ("lstm", {"units": 11}), "head": ("head", {})}
    return write_document(path, text, nodes=nodes, training={"sample_every": 0, **training})


def torchrun(*words, more=("--standalone",), **environment):
    """torchrun with two ranks of unroll-cli, as a process."""
    running.started.append(subprocess.Popen([*TORCHRUN, *more, "--", program(), *map(str, words)], env=dict(os.environ, **environment), text=True,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    return running.started[-1]


def pair(words, *more, size=2, port=None, **environment):
    """The ranks, as processes of their own."""
    common = dict(WORLD_SIZE=str(size), MASTER_PORT=str(port or free_port()), **environment)
    return [start(*words, *more, RANK=str(rank), **common) for rank in range(size)]


def ranks_of(process):
    """Ids of the processes of unroll-cli below this one, by rank."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            if parent == process.pid:
                variables = (stat.parent / "environ").read_bytes().split(b"\0")
                ranks = [word[5:] for word in variables if word.startswith(b"RANK=")]
                if ranks:
                    found[int(ranks[0])] = int(stat.parent.name)
        except (OSError, IndexError):
            continue
    return found


def rows_written(folder):
    file = folder / "metrics.csv"
    return file.read_text().count("\n") if file.exists() else 0


@pytest.mark.parametrize("order", [CARRIED, APART])
def test_torchrun_trains_as_one_process(tmp_path, text, order):
    small = experiment(tmp_path / "small.unroll", text, order, steps=50)
    run("train", small, "--run", tmp_path / "one", "--quiet", code=0)
    out, err = ended(torchrun("train", small, "--run", tmp_path / "two", "--json"))
    near(losses(tmp_path / "two"), losses(tmp_path / "one"))
    for found, wanted in zip(rows(tmp_path / "two"), rows(tmp_path / "one"), strict=True):
        assert found["step"] == wanted["step"] and (found.get("val/loss") == "") == (wanted.get("val/loss") == "")
        if wanted.get("val/loss"):
            assert float(found["val/loss"]) == pytest.approx(float(wanted["val/loss"]), abs=2e-6)
    said = [json.loads(line) for line in out.splitlines()]
    assert [line["step"] for line in said if line["kind"] == "metrics"] == list(range(1, 51))  # one rank speaks
    end = said[-1]
    assert end["kind"] == "end" and end["state"] == "finished" and end["ranks"] == 2 and end["sum_bytes"] > 4 * end["parameters"]
    kept = json.loads((tmp_path / "two" / "environment.json").read_text())
    assert kept["ranks"] == 2 and kept["threads"] == 1
    assert json.loads((tmp_path / "one" / "environment.json").read_text())["ranks"] == 1
    assert run("eval", tmp_path / "two", "--json", code=0).lines[0]["loss"] > 0


@pytest.mark.parametrize("names", [("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                                   ("SLURM_PROCID", "SLURM_NTASKS")])
def test_ranks_are_what_their_starter_says(tmp_path, text, names):
    small = experiment(tmp_path / "small.unroll", text, steps=6, evaluate_every=0, threads=0)
    port = str(free_port())
    both = [start("train", small, "--run", tmp_path / "run", "--json", MASTER_PORT=port, **{names[0]: str(rank), names[1]: "2"}) for rank in (0, 1)]
    out, err = ended(both[0])
    assert json.loads(out.splitlines()[-1])["ranks"] == 2 and "2 ranks" in err
    assert ended(both[1]) == ("", "")
    assert json.loads((tmp_path / "run" / "environment.json").read_text())["threads"] == max(1, os.cpu_count() // 2)


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun")
def test_mpirun_trains_as_one_process(tmp_path, text):
    """Open MPI's or MPICH's. What Open MPI wants to be told, that root may start it and that cores are few, is in variables."""
    small = experiment(tmp_path / "small.unroll", text, steps=50)
    run("train", small, "--run", tmp_path / "one", "--quiet", code=0)
    variables = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                     PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", MASTER_PORT=str(free_port()))
    running.started.append(subprocess.Popen(["mpirun", "-n", "2", program(), "train", str(small), "--run", str(tmp_path / "two"), "--json"], text=True,
                                            env=dict(os.environ, **variables), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    out, err = ended(running.started[-1])
    near(losses(tmp_path / "two"), losses(tmp_path / "one"))
    end = json.loads(out.splitlines()[-1])
    assert (end["kind"], end["state"], end["ranks"]) == ("end", "finished", 2), err
    assert json.loads((tmp_path / "two" / "environment.json").read_text())["ranks"] == 2


def test_one_rank_is_a_process_alone(tmp_path, text):
    small = experiment(tmp_path / "small.unroll", text)
    run("train", small, "--run", tmp_path / "one", "--quiet", code=0)
    run("train", small, "--run", tmp_path / "rank", "--quiet", code=0, RANK="0", WORLD_SIZE="1")
    figures = [[{name: value for name, value in row.items() if name not in ("seconds", "perf/tokens_per_s")} for row in rows(tmp_path / name)]
               for name in ("one", "rank")]
    assert figures[0] == figures[1]


@pytest.mark.parametrize("wrong, words", [({"RANK": "1"}, "RANK without WORLD_SIZE"), ({"WORLD_SIZE": "2"}, "WORLD_SIZE without RANK"),
                                          ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK must be a whole number from 0 to 1"),
                                          ({"RANK": "0", "WORLD_SIZE": "2", "UNROLL_RANK_TIMEOUT": "soon"}, "UNROLL_RANK_TIMEOUT")])
def test_variables_that_say_nothing_are_named(small, tmp_path, wrong, words):
    assert words in run("train", small, "--run", tmp_path / "run", code=1, **wrong).err


def test_what_ranks_cannot_share_is_refused(tmp_path, text):
    small = experiment(tmp_path / "small.unroll", text)  # batches of 4
    first, *others = pair(("train", small, "--run", tmp_path / "run"), size=3)
    assert "3 ranks cannot share a batch of 4 sequences evenly" in ended(first, 1)[1]
    for other in others:
        assert "3 ranks cannot share" in ended(other, 1)[1]
    assert "standard input cannot be shared" in run("train", "-", "--run", tmp_path / "run", code=1, RANK="0", WORLD_SIZE="2").err


def test_ranks_that_do_not_come_are_named(small, tmp_path):
    told = run("train", small, "--run", tmp_path / "run", "--rank-timeout", 1, code=1, RANK="0", WORLD_SIZE="2", MASTER_PORT=str(free_port())).err
    assert "rank 1 of 2 did not come within 1 s" in told
    told = run("train", small, "--run", tmp_path / "run", "--rank-timeout", 1, code=1, RANK="1", WORLD_SIZE="2", MASTER_PORT=str(free_port())).err
    assert "rank 1 of 2 could not meet the others at 127.0.0.1" in told
    assert len(told.splitlines()) == 1, "no log and no stack frames of c10d"


def test_a_run_goes_on_as_another_number_of_ranks(tmp_path, text):
    small = experiment(tmp_path / "small.unroll", text, steps=40)
    run("train", small, "--run", tmp_path / "whole", "--quiet", code=0)
    words = ("train", small, "--run", tmp_path / "run", "--quiet", "--resume=auto", "--set", "training.schedule=constant")
    for steps, size in ((10, 2), (20, 1), (30, 4), (40, 2)):
        more = ("--set", f"training.steps={steps}")
        for process in pair(words, *more, size=size) if size > 1 else [start(*words, *more)]:
            ended(process)
        assert json.loads((tmp_path / "run" / "environment.json").read_text())["ranks"] == size
    run("train", small, "--run", tmp_path / "constant", "--quiet", "--set", "training.schedule=constant", code=0)
    near(losses(tmp_path / "run"), losses(tmp_path / "constant"), 2e-6)


def long_one(tmp_path, text, order):
    """It trains until it is stopped."""
    return experiment(tmp_path / "long.unroll", text, order, steps=10_000_000, evaluate_every=0, checkpoint_every=50)


@pytest.mark.parametrize("order", [CARRIED, APART])
@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_rank_ends_the_other(tmp_path, text, order, killed):
    both = pair(("train", long_one(tmp_path, text, order), "--run", tmp_path / "run"), "--rank-timeout", PATIENCE)
    wait_until(both[0], lambda: rows_written(tmp_path / "run") > 60)
    both[killed].kill()
    begin = time.monotonic()
    out, err = ended(both[1 - killed], 4)
    assert time.monotonic() - begin < PATIENCE / 2, "not only after the time-out"
    assert re.search(r"rank 1 of 2 is gone or does not answer" if killed == 1 else r"rank 0 is gone or does not answer", err), err
    newest = max(int(path.name[5:]) for path in (tmp_path / "run" / "checkpoints").glob("step-*"))
    if killed == 1:
        assert f"the checkpoint of step {newest} was kept" in err
        # Where nothing is carried rank 0 has all that is to be kept, and saves it.
        assert newest % 50 == 0 if order == CARRIED else newest == int(rows(tmp_path / "run")[-1]["step"])


def test_a_silent_rank_is_given_up_after_the_time_out(tmp_path, text):
    timeout, begun = 10, []  # on a busy machine ranks come seconds apart
    for silent in (1, 0):
        folder = tmp_path / f"silent-{silent}"
        both = pair(("train", long_one(tmp_path, text, CARRIED), "--run", folder), UNROLL_RANK_TIMEOUT=str(timeout))
        wait_until(both[0], lambda: rows_written(folder) > 10)
        both[silent].send_signal(signal.SIGSTOP)
        begun.append((silent, both, time.monotonic()))
    for silent, both, begin in begun:
        out, err = ended(both[1 - silent], 4)
        assert 0.8 * timeout < time.monotonic() - begin < PATIENCE
        assert f"rank {silent}" in err and "does not answer" in err, err
        both[silent].kill()


def test_an_interrupt_of_one_stops_all_with_a_checkpoint(tmp_path, text):
    both = pair(("train", long_one(tmp_path, text, CARRIED), "--run", tmp_path / "run"))
    wait_until(both[0], lambda: rows_written(tmp_path / "run") > 10)
    both[1].send_signal(signal.SIGINT)
    for process in both:
        ended(process, 130)
    last = int(rows(tmp_path / "run")[-1]["step"])
    assert (tmp_path / "run" / "checkpoints" / f"step-{last}").is_dir()


def test_a_rank_that_fails_says_why(tmp_path, text):
    """Only rank 1 cannot read the text."""
    good, bad = experiment(tmp_path / "small.unroll", text), experiment(tmp_path / "other.unroll", tmp_path / "none.txt")
    common = dict(WORLD_SIZE="2", MASTER_PORT=str(free_port()))
    both = [start("train", file, "--run", tmp_path / "run", RANK=str(rank), **common) for rank, file in enumerate((good, bad))]
    assert "none.txt" in ended(both[1], 1)[1]
    told = ended(both[0], None)[1]
    assert both[0].returncode in (1, 4) and "rank 1 ended: " in told and "none.txt" in told, told


def killed_and_gone_on(folder, small, draw, most):
    """torchrun with a rank killed at a random step; it starts both again, which go on."""
    process = torchrun("train", small, "--run", folder, "--quiet", "--resume=auto", more=("--standalone", "--max-restarts", "3"))
    at = draw.randint(2, most)
    wait_until(process, lambda: rows_written(folder) >= at)
    if ranks := ranks_of(process):  # else it has come to its end
        with contextlib.suppress(ProcessLookupError):
            os.kill(ranks[draw.choice(sorted(ranks))], signal.SIGKILL)
    ended(process)
    return at


def resumed(folder):
    """What the run's log says of it."""
    lines = [line for line in (folder / "log.txt").read_text().splitlines() if "resume" in line or "continue" in line]
    return lines[-1] if lines else "it began again"


@pytest.mark.parametrize("order", [CARRIED, APART])
def test_torchrun_goes_on_after_a_rank_was_killed(tmp_path, text, order):
    """Every figure of the run is that of the run that was never interrupted."""
    small = experiment(tmp_path / "small.unroll", text, order, steps=400, evaluate_every=40, checkpoint_every=15)
    ended(torchrun("train", small, "--run", tmp_path / "unbroken", "--quiet"))
    seed = int(os.environ.get("UNROLL_TEST_SEED", 20261128))
    draw = random.Random(seed)
    for number in range(max(1, TIMES // 2)):
        folder = tmp_path / f"killed-{number}"
        at = killed_and_gone_on(folder, small, draw, 380)
        print(f"{order}, UNROLL_TEST_SEED={seed}: run {number}, a rank was killed at row {at}; {resumed(folder)}")
        assert losses(folder) == losses(tmp_path / "unbroken"), f"the run that was killed as number {number}"
        figures = [[row["val/loss"] for row in rows(run)] for run in (folder, tmp_path / "unbroken")]
        assert figures[0] == figures[1]

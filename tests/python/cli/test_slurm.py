# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that Slurm starts: srun and sbatch on a cluster of two machines (slurm.py), one of one core and one of four."""

import json
import os
import pathlib
import re
import signal

import pytest

import running
import slurm
from machines import reason_against
from running import ended, losses, near, program, rows, trained_by_one_process, wait_until, write_document

pytestmark = [running.slow, pytest.mark.skipif(bool(reason_against()), reason=reason_against())]


@pytest.fixture(scope="module")
def cluster():
    with slurm.cluster() as made:
        yield made


@pytest.fixture(scope="module")
def one(tmp_path_factory, text):
    return trained_by_one_process(tmp_path_factory.mktemp("one"), text)


def sbatch(cluster, folder, lines, *options):
    """A job of these lines, with output in the file `out`; its number."""
    script, out = folder / "job.sh", folder / "out"
    script.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    return ended(cluster.start("sbatch", "--parsable", "--output", out, "--open-mode=append", *options, script))[0].strip()


def state_of(cluster, job):
    return re.search(r"JobState=(\w+)", cluster.ask("scontrol", "show", "job", job))[1]


def steps_in(folder):
    file = folder / "metrics.csv"
    return file.read_text().count("\n") - 1 if file.exists() else 0


def ranks_of(folder):
    """Ids of the processes of a run, by rank."""
    found = {}
    for each in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (each / "comm").read_text() == "unroll-cli\n" and str(folder).encode() in (each / "cmdline").read_bytes():
                variables = dict(word.split(b"=", 1) for word in (each / "environ").read_bytes().split(b"\0") if b"=" in word)
                found[int(variables[b"SLURM_PROCID"])] = int(each.name)
        except (OSError, KeyError):
            continue
    return found


@pytest.mark.parametrize("words, count", [("--ntasks=2 --nodelist=node2", 2), ("--ntasks=2 --nodes=2", 2), ("--ntasks=4 --nodes=2", 4),
                                          ("--ntasks=2 --nodelist=node2 --mpi=pmi2", 2)])
def test_srun_trains_as_one_process(cluster, one, tmp_path, words, count):
    small, wanted = one
    out, err = ended(cluster.start("srun", *words.split(), program(), "train", small, "--run", tmp_path / "run", "--json", "--set", "training.threads=0"))
    said = [json.loads(line) for line in out.splitlines()]
    assert [line["step"] for line in said if line["kind"] == "metrics"] == list(range(1, 51))  # one rank speaks
    assert (said[-1]["kind"], said[-1]["state"], said[-1]["ranks"]) == ("end", "finished", count), err
    kept = json.loads((tmp_path / "run" / "environment.json").read_text())
    # Rank 0 is on node1 where two machines take part, and alone there.
    assert kept["ranks"] == count and kept["threads"] == max(1, os.cpu_count() // (1 if "--nodes=2" in words else 2))
    near(losses(tmp_path / "run"), wanted)


def test_a_task_alone_and_a_script_are_processes_alone(cluster, one, tmp_path):
    """In an sbatch script what srun starts is a rank, and a call without srun trains alone; two steps at once meet at ports of their own."""
    small, wanted = one
    train = f"{program()} train {small} --quiet --run {tmp_path}"
    job = sbatch(cluster, tmp_path, [f"{train}/alone || exit 1", f"srun --ntasks 1 {train}/task || exit 1",
                                     f"srun --exact --ntasks 2 {train}/first & first=$!", f"srun --exact --ntasks 2 {train}/second & second=$!",
                                     "wait $first && wait $second"], "--ntasks=4", "--nodelist=node2")
    wait_until(None, lambda: state_of(cluster, job) not in ("PENDING", "RUNNING", "COMPLETING"))
    assert state_of(cluster, job) == "COMPLETED", (tmp_path / "out").read_text()
    for name, count in (("alone", 1), ("task", 1), ("first", 2), ("second", 2)):
        assert json.loads((tmp_path / name / "environment.json").read_text())["ranks"] == count
        if count == 1:
            assert losses(tmp_path / name) == wanted
        else:
            near(losses(tmp_path / name), wanted)


def long_one(tmp_path, text):
    return write_document(tmp_path / "long.unroll", text, training={"steps": 300, "sample_every": 0, "evaluate_every": 50, "checkpoint_every": 15})


@pytest.fixture
def unbroken(cluster, tmp_path, text):
    """A run of 2 ranks that nobody interrupts: its experiment and losses."""
    long = long_one(tmp_path, text)
    ended(cluster.start("srun", "--ntasks=2", "--nodes=2", program(), "train", long, "--run", tmp_path / "unbroken", "--quiet"))
    return long, losses(tmp_path / "unbroken")


@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_task_ends_the_step_and_it_goes_on(cluster, unbroken, tmp_path, killed):
    long, wanted = unbroken
    words = ("srun", "--ntasks=2", "--nodes=2", program(), "train", long, "--run", tmp_path / "run", "--quiet", "--resume=auto")
    process = cluster.start(*words)
    wait_until(process, lambda: steps_in(tmp_path / "run") > 40)
    os.kill(ranks_of(tmp_path / "run")[killed], signal.SIGKILL)
    out, err = ended(process, None)
    assert process.returncode != 0
    assert re.search(r"rank 1 of 2 is gone or does not answer" if killed == 1 else r"rank 0 is gone or does not answer", err), err
    assert re.search(rf"srun: error: node{2 - killed}: task {1 - killed}: Exited with exit code 4", err), err
    assert re.search(rf"srun: error: node{killed + 1}: task {killed}: Killed", err), err
    print(f"srun ends with exit code {process.returncode}:\n{err}")
    ended(cluster.start(*words))
    assert losses(tmp_path / "run") == wanted


def test_scancel_stops_all_with_a_checkpoint_and_the_job_goes_on(cluster, unbroken, tmp_path):
    long, wanted = unbroken
    line = f"srun {program()} train {long} --run {tmp_path}/run --quiet --resume=auto"
    job = sbatch(cluster, tmp_path, [line], "--ntasks=2", "--nodes=2")
    wait_until(None, lambda: steps_in(tmp_path / "run") > 40)
    cluster.ask("scancel", job)
    wait_until(None, lambda: state_of(cluster, job) == "CANCELLED" and not ranks_of(tmp_path / "run"))
    last = int(rows(tmp_path / "run")[-1]["step"])
    assert 40 < last < 300 and (tmp_path / "run" / "checkpoints" / f"step-{last}").is_dir()
    print((tmp_path / "out").read_text())
    job = sbatch(cluster, tmp_path, [line], "--ntasks=2", "--nodes=2")
    wait_until(None, lambda: state_of(cluster, job) not in ("PENDING", "RUNNING", "COMPLETING"))
    assert state_of(cluster, job) == "COMPLETED", (tmp_path / "out").read_text()
    assert losses(tmp_path / "run") == wanted


def test_a_job_that_is_requeued_goes_on(cluster, unbroken, tmp_path):
    """As Slurm does after a machine has failed, by the same script; it waits two minutes."""
    long, wanted = unbroken
    job = sbatch(cluster, tmp_path, [f"srun {program()} train {long} --run {tmp_path}/run --quiet --resume=auto"], "--ntasks=2", "--nodes=2", "--requeue")
    wait_until(None, lambda: steps_in(tmp_path / "run") > 40)
    cluster.ask("scontrol", "requeue", job)
    wait_until(None, lambda: "Restarts=1" in cluster.ask("scontrol", "show", "job", job))
    wait_until(None, lambda: state_of(cluster, job) not in ("PENDING", "RUNNING", "COMPLETING", "REQUEUED"))
    assert state_of(cluster, job) == "COMPLETED", (tmp_path / "out").read_text()
    assert losses(tmp_path / "run") == wanted

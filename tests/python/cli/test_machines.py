# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks, and runs elsewhere, on two machines: what machines.py makes of this one, with addresses, names and a cable between them that is taken out."""

import json
import pathlib
import re
import sys
import time

import pytest

import running
from machines import reason_against, two_machines
from running import PATIENCE, ended, free_port, losses, near, program, rows, run, trained_by_one_process, wait_until, write_document
from ssh_box import Box, needs_ssh, serving, steps_told

pytestmark = [running.slow, pytest.mark.skipif(bool(reason_against()), reason=reason_against())]

PORT = "29500"  # each pair of machines has ports of its own
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", f"node1:{PORT}", "--no-python"]


@pytest.fixture
def both(tmp_path):
    with two_machines(tmp_path) as machines:
        yield machines


@pytest.fixture
def one(tmp_path, text):
    return trained_by_one_process(tmp_path, text)


def ranks(machines, words, first=0, **environment):
    """A rank on each machine, in the order of their numbers; rank 0, where they meet, is on the machine `first`."""
    ordered = [machines[first], machines[1 - first]]
    return [machine.cli(*words, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR=ordered[0].name, MASTER_PORT=PORT, **environment)
            for rank, machine in enumerate(ordered)]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("interface", ["", "cable0"])
def test_ranks_of_two_machines_train_as_one_process(both, one, tmp_path, first, interface):
    small, wanted = one
    zero, other = ranks(both, ("train", small, "--run", tmp_path / "two", "--json"), first, GLOO_SOCKET_IFNAME=interface)
    end = json.loads(ended(zero)[0].splitlines()[-1])
    assert (end["kind"], end["state"], end["ranks"]) == ("end", "finished", 2)
    assert ended(other) == ("", "")
    near(losses(tmp_path / "two"), wanted)


@pytest.mark.parametrize("first", [0, 1])
def test_machines_whose_own_name_is_a_loopback_address_meet(one, tmp_path, first):
    """As the installer of Debian writes it: a machine's own name means 127.0.1.1 to itself, and its network address to the others."""
    small, wanted = one
    with two_machines(tmp_path, loopback_names=True) as machines:
        for process in ranks(machines, ("train", small, "--run", tmp_path / "two", "--quiet"), first):
            ended(process)
    near(losses(tmp_path / "two"), wanted)


@pytest.mark.parametrize("loopback_names", [False, True])
@pytest.mark.parametrize("each", [1, 2])
def test_torchrun_on_two_machines_trains_as_one_process(one, tmp_path, loopback_names, each):
    small, wanted = one
    with two_machines(tmp_path, loopback_names) as machines:
        agents = [machine.start(*TORCHRUN, "--nproc-per-node", each, "--", program(), "train", small, "--run", tmp_path / "two", "--quiet")
                  for machine in machines]
        for agent in agents:
            ended(agent)
    near(losses(tmp_path / "two"), wanted)
    kept = json.loads((tmp_path / "two" / "environment.json").read_text())
    assert kept["ranks"] == 2 * each


@pytest.mark.parametrize("order", ["streams", "windows"])
@pytest.mark.parametrize("cut", [0, 1])
def test_a_cut_cable_ends_both_ranks_and_the_run_goes_on_afterwards(both, text, tmp_path, order, cut):
    """`order`: of the text, with states that are carried from batch to batch, and without."""
    timeout = 10
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": order}), "embedding": ("embedding", {"width": 12}), "lstm": ("lstm", {"units": 11}),
             "head": ("head", {})}
    training = {"sample_every": 0, "evaluate_every": 0, "checkpoint_every": 50, "schedule": "constant"}
    small = write_document(tmp_path / "small.unroll", text, nodes=nodes, training=training)
    words = ("train", small, "--run", tmp_path / "run", "--quiet", "--resume=auto", "--rank-timeout", timeout)
    pair = ranks(both, (*words, "--set", "training.steps=10000000"))
    written = tmp_path / "run" / "metrics.csv"
    wait_until(pair[0], lambda: written.exists() and written.read_text().count("\n") > 60)
    both[cut].link("down")
    begin = time.monotonic()
    told = [ended(process, 4)[1] for process in pair]
    seconds = time.monotonic() - begin
    assert f"rank 1 of 2 is gone or does not answer within {timeout} s" in told[0], told[0]
    assert "rank 0 is gone or does not answer" in told[1], told[1]
    assert 0.8 * timeout < seconds < PATIENCE / 2
    last = int(rows(tmp_path / "run")[-1]["step"])
    newest = max(int(path.name[5:]) for path in (tmp_path / "run" / "checkpoints").glob("step-*"))
    # Where nothing is carried rank 0 has all that is to be kept, and saves it.
    assert newest == (last // 50 * 50 if order == "streams" else last)
    print(f"both ended {seconds:.1f} s after the cable was taken out, at step {last}")
    both[cut].link("up")
    more = ("--set", f"training.steps={last + 20}")
    for process in ranks(both, (*words, *more)):
        ended(process)
    for process in ranks(both, ("train", small, "--run", tmp_path / "unbroken", "--quiet", *more)):
        ended(process)
    assert losses(tmp_path / "run") == losses(tmp_path / "unbroken")


def test_torchrun_starts_both_ranks_again_when_the_cable_is_back(both, text, tmp_path):
    long = write_document(tmp_path / "long.unroll", text, training={"steps": 10_000_000, "sample_every": 0, "evaluate_every": 0, "checkpoint_every": 50})
    run_folder = tmp_path / "run"
    words = ("train", long, "--run", run_folder, "--quiet", "--resume=auto", "--rank-timeout", 10)
    agents = [machine.start(*TORCHRUN, "--nproc-per-node", 1, "--max-restarts", 3, "--", program(), *words) for machine in both]
    wait_until(agents[0], lambda: (run_folder / "metrics.csv").exists() and len(rows(run_folder)) > 60)
    both[1].link("down")
    log = run_folder / "log.txt"
    wait_until(agents[0], lambda: "rank 1 of 2 is gone or does not answer" in log.read_text())
    both[1].link("up")
    wait_until(agents[0], lambda: re.search(r"resumed at step (\d+)", log.read_text()))
    resumed = int(re.search(r"resumed at step (\d+)", log.read_text())[1])
    wait_until(agents[0], lambda: int(rows(run_folder)[-1]["step"]) > resumed + 20)
    found = losses(run_folder)
    assert list(found) == list(range(1, len(found) + 1)) and resumed >= 50
    for agent in agents:
        agent.terminate()
    for agent in agents:
        agent.communicate(timeout=PATIENCE)


def test_a_command_on_another_machine_trains_there(both, text, tmp_path):
    """--on with a line that is no ssh: the numbers of a run here."""
    small = write_document(tmp_path / "small.unroll", text)
    run("train", small, "--run", tmp_path / "here", "--quiet", code=0)
    script = tmp_path / "session.sh"
    script.write_text(f"hostname > {tmp_path}/host\nexec {program()} session --stdio\n")
    line = " ".join(both[1].within("sh", script))
    folder = tmp_path / "there"
    folder.mkdir()
    there = running.start("train", small, "--on", line, "--json", folder=folder, UNROLL_SOCKETS=str(tmp_path / "s"), UNROLL_CACHE=str(tmp_path / "cache"))
    out, err = there.communicate(timeout=PATIENCE)
    assert there.returncode == 0, err
    end = json.loads(out.splitlines()[-1])
    assert (end["state"], end["on"]) == ("finished", line)
    assert losses(pathlib.Path(end["run"])) == losses(tmp_path / "here")
    assert (tmp_path / "host").read_text() == "node2\n"


@needs_ssh
def test_a_run_by_ssh_on_another_machine_outlives_a_cut_cable(both, text, tmp_path):
    here, there = both
    long = write_document(tmp_path / "long.unroll", text, training={"steps": 10_000_000, "sample_every": 0, "evaluate_every": 0, "checkpoint_every": 0})
    with serving(Box(tmp_path, free_port(), there.address), there.within) as box:
        viewer = here.cli("train", long, "--on", box.line, "--json")
        first = steps_told(viewer, 5)
        here.link("down")
        broken = ""
        while "connection" not in broken:
            broken = viewer.stderr.readline()
            assert broken, "the viewer ended"
        print(f"the viewer says: {broken.strip()}")
        seen = box.steps()
        here.link("up")
        more = steps_told(viewer, seen + 20)
        assert first + more == list(range(1, seen + 26)), "each row once"
        stopped = here.cli("session", "--stop", box.run_folder(), "--on", box.line, "--json")
        done = json.loads(stopped.communicate(timeout=PATIENCE)[0].splitlines()[-1])
        assert done["kind"] == "done" and done["step"] > seen
        out, _ = viewer.communicate(timeout=PATIENCE)
        assert json.loads(out.splitlines()[-1])["state"] == "stopped"

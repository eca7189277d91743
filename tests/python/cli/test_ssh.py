# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs elsewhere by ssh itself: a server on a port of this machine, with keys, configuration and home of its own, stands for the other one. test_machines.py
has it on another network."""

import contextlib
import json
import os
import signal

import pytest

from running import PATIENCE, free_port, run, start, wait_until, write_document
from ssh_box import Box, logins, needs_ssh, serving, steps_told

pytestmark = needs_ssh


@pytest.fixture
def box(tmp_path):
    with serving(Box(tmp_path, free_port())) as made:
        yield made


def without_times(rows):
    return [{name: value for name, value in row.items() if name not in ("seconds", "perf/tokens_per_s")} for row in rows]


def test_a_run_by_ssh_has_the_numbers_of_one_here(box, small, text, tmp_path):
    here = run("train", small, "--run", tmp_path / "here", "--json", code=0)
    there = run("train", small, "--on", box.line, "--json", code=0)
    assert without_times(there.of("metrics")) == without_times(here.of("metrics"))
    end = there.of("end")[0]
    assert (end["state"], end["run"], end["on"]) == ("finished", str(box.run_folder()), box.line)
    assert [file.read_bytes() for file in (box.home / ".cache").rglob("small.txt")] == [text.read_bytes()]
    listed = run("session", "--list", "--on", box.line, "--json", code=0).lines
    assert [(line["run"], line["state"]) for line in listed] == [(end["run"], "finished")]


def test_a_run_by_ssh_outlives_a_broken_connection_and_its_viewer(box, text, tmp_path):
    steps = 10_000_000
    long = write_document(tmp_path / "long.unroll", text, training={"steps": steps, "sample_every": 0, "evaluate_every": 0, "checkpoint_every": 0})
    viewer = start("train", long, "--on", box.line, "--json")
    first = steps_told(viewer, 5)
    connected = logins(box.server)
    assert connected
    for process in connected:
        with contextlib.suppress(ProcessLookupError):  # it ends with the one before
            os.kill(process, signal.SIGKILL)
    seen = box.steps()
    more = steps_told(viewer, seen + 20)
    assert first + more == list(range(1, seen + 26)), "each row once"
    viewer.kill()  # with its ssh
    viewer.communicate()
    left = box.steps()
    wait_until(None, lambda: box.steps() > left)
    follower = start("session", "--attach", box.run_folder(), "--on", box.line, "--json")
    assert steps_told(follower, 1) == [1]
    stopped = run("session", "--stop", box.run_folder(), "--on", box.line, "--json", code=0).lines[-1]
    assert stopped["kind"] == "done" and left < stopped["step"] < steps
    out, _ = follower.communicate(timeout=PATIENCE)
    assert json.loads(out.splitlines()[-1])["state"] == "stopped"


def test_a_server_that_does_not_let_one_in_is_told_in_its_words(box, small):
    (box.folder / "mine.pub").write_text("")
    told = run("train", small, "--on", box.line, code=1).err
    assert f"{box.name} cannot be reached" in told and "Permission denied" in told

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in other processes: train --on, session --stdio, --attach and --list."""
import contextlib
import json
import os
import pathlib
import shlex
import signal
import struct
import subprocess

import pytest
from running import PATIENCE, program, run, start, wait_until, write_document

TIMES = {"seconds", "perf/tokens_per_s"}


@pytest.fixture
def host(tmp_path, monkeypatch):
    """Another machine, as far as a run can tell: a folder and a cache of its own, reached by a command."""
    folder = tmp_path / "host"
    folder.mkdir()
    sockets = tmp_path / "s"
    monkeypatch.setenv("UNROLL_SOCKETS", str(sockets))
    yield Host(folder)
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        if b"\0--engine\0" in words_of(process) and environment_of(process).get("UNROLL_SOCKETS") == str(sockets):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)


def words_of(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def environment_of(process):
    try:
        return dict(entry.split("=", 1) for entry in (process / "environ").read_text(errors="replace").split("\0") if "=" in entry)
    except OSError:
        return {}


class Host:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        command = f"cd {shlex.quote(str(folder))} && UNROLL_CACHE={shlex.quote(str(self.cache))} exec {shlex.quote(program())} session --stdio"
        self.line = command

    def runs(self):
        return sorted((self.folder / "runs").glob("*"))

    def status(self):
        try:
            return json.loads((self.runs()[0] / "status.json").read_text())
        except (OSError, IndexError, ValueError):
            return {}

    def engine(self):
        return self.status().get("process", 0)


def leads(entry):
    """Where it leads; a file that a running process has closed meanwhile leads nowhere."""
    with contextlib.suppress(OSError):
        return os.readlink(entry)
    return ""


def plain(rows):
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def steps_in(folder):
    file = folder / "metrics.csv"
    return file.read_text().count("\n") - 1 if file.exists() else 0


@pytest.fixture
def long(tmp_path, text):
    """It trains until it is stopped."""
    return write_document(tmp_path / "long.unroll", text, training={"steps": 1_000_000, "sample_every": 0, "evaluate_every": 500, "checkpoint_every": 20})


def test_numbers_are_those_of_a_run_here_and_data_are_sent_once(small, text, host, tmp_path):
    here = run("train", small, "--run", tmp_path / "here", "--json", code=0)
    there = run("train", small, "--on", host.line, "--json", code=0)
    assert plain(there.of("metrics")) == plain(here.of("metrics"))
    end = there.of("end")[0]
    assert (end["state"], end["run"], end["on"]) == ("finished", str(host.runs()[0]), host.line)
    sent = list(host.cache.rglob("small.txt"))
    assert len(sent) == 1 and sent[0].read_bytes() == text.read_bytes()
    before = sent[0].stat().st_mtime_ns
    run("train", small, "--on", host.line, "--quiet", code=0)
    assert sent[0].stat().st_mtime_ns == before
    assert len(host.runs()) == 2
    assert not (tmp_path / "runs").exists()


def test_a_run_goes_on_without_its_viewer_and_is_attached_to_with_all_its_rows(long, host):
    viewer = start("train", long, "--on", host.line, "--json")
    wait_until(viewer, lambda: host.runs() and steps_in(host.runs()[0]) > 5)
    viewer.kill()
    viewer.communicate()
    run_folder = host.runs()[0]
    seen = steps_in(run_folder)
    wait_until(None, lambda: steps_in(run_folder) > seen)
    follower = start("session", "--attach", run_folder, "--on", host.line, "--json")
    lines = [json.loads(follower.stdout.readline()) for _ in range(seen)]
    assert [line["step"] for line in lines if line["kind"] == "metrics"][:seen] == list(range(1, seen + 1))
    follower.send_signal(signal.SIGINT)
    follower.communicate(timeout=PATIENCE)  # with what it still writes
    assert follower.returncode == 130
    left = steps_in(run_folder)
    wait_until(None, lambda: steps_in(run_folder) > left)
    assert host.status()["state"] == "running"
    listed = run("session", "--list", "--on", host.line, "--json", code=0).lines
    assert [(line["run"], line["state"]) for line in listed] == [(str(run_folder), "running")]


def test_one_attaches_to_a_run_that_train_began(long, host, tmp_path):
    folder = tmp_path / "mine"
    training = start("train", long, "--run", folder, "--quiet")
    wait_until(training, lambda: steps_in(folder) > 5)
    follower = start("session", "--attach", folder, "--json")
    first = json.loads(follower.stdout.readline())
    assert first["step"] == 1
    follower.send_signal(signal.SIGINT)
    follower.communicate(timeout=PATIENCE)  # with what it still writes
    assert follower.returncode == 130
    assert training.poll() is None
    training.send_signal(signal.SIGINT)
    assert training.wait(PATIENCE) == 130


def test_an_engine_that_is_killed_is_told_with_its_checkpoint(long, host):
    viewer = start("train", long, "--on", host.line, "--json")
    wait_until(viewer, lambda: host.runs() and steps_in(host.runs()[0]) > 60)
    os.kill(host.engine(), signal.SIGKILL)
    out, err = viewer.communicate(timeout=PATIENCE)
    assert viewer.returncode == 4, err
    end = json.loads(out.splitlines()[-1])
    assert end["kind"] == "end" and end["state"] == "failed"
    assert "signal 9" in end["failure"] and "the checkpoint of step" in end["failure"]


def test_a_run_that_is_killed_ends_as_that_for_who_is_attached_and_who_comes_later(long, host, tmp_path):
    folder = tmp_path / "mine"
    training = start("train", long, "--run", folder, "--quiet")
    wait_until(training, lambda: steps_in(folder) > 25)
    follower = start("session", "--attach", folder, "--json")
    follower.stdout.readline()
    training.kill()
    training.communicate()
    out, err = follower.communicate(timeout=PATIENCE)
    assert follower.returncode == 4, err
    end = json.loads(out.splitlines()[-1])
    assert end["state"] == "failed" and "the checkpoint of step" in end["failure"]
    later = run("session", "--attach", folder, "--json", code=4)
    assert later.of("end")[0]["state"] == "interrupted"
    assert "the checkpoint of step" in later.err and "stopped" not in later.err


def test_a_viewer_that_is_replaced_says_so_and_the_run_goes_on(long, host):
    first = start("train", long, "--on", host.line, "--json")
    wait_until(first, lambda: host.runs() and steps_in(host.runs()[0]) > 5)
    second = start("session", "--attach", host.runs()[0], "--on", host.line, "--json")
    out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 0 and "another viewer has attached" in err and "the run continues" in err
    end = json.loads(out.splitlines()[-1])
    assert (end["kind"], end["state"], end["run"]) == ("end", "detached", str(host.runs()[0]))
    left = steps_in(host.runs()[0])
    wait_until(second, lambda: steps_in(host.runs()[0]) > left)
    second.send_signal(signal.SIGINT)
    out, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 130 and json.loads(out.splitlines()[-1])["state"] == "detached"


def test_a_run_follows_commands_and_keeps_its_viewer(long, host):
    viewer = start("train", long, "--on", host.line, "--json")
    wait_until(viewer, lambda: host.runs() and steps_in(host.runs()[0]) > 5)
    folder = host.runs()[0]

    def told(command):
        return run("session", "--" + command, folder, "--on", host.line, "--json", code=0).of("done")[0]

    paused = told("pause")
    assert paused["state"] == "paused" and steps_in(folder) == paused["step"]
    saved = told("checkpoint")
    assert saved["checkpointed"] == saved["step"] == paused["step"]
    assert told("continue")["state"] == "running"
    stopped = told("stop")
    assert stopped["state"] == "stopped" and stopped["checkpointed"] == stopped["step"]
    out, err = viewer.communicate(timeout=PATIENCE)
    assert viewer.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["state"] == "stopped"
    over = run("session", "--stop", folder, "--on", host.line, code=1)
    assert f"does not train: it is stopped at step {stopped['step']}" in over.err
    assert "there is no run here" in run("session", "--pause", folder / "none", code=1).err
    assert run("session", "--stop", folder, "--pause", folder, code=2).err


def test_a_run_that_train_began_is_stopped_from_elsewhere(long, host, tmp_path):
    folder = tmp_path / "mine"
    training = start("train", long, "--run", folder, "--quiet")
    wait_until(training, lambda: steps_in(folder) > 5)
    assert "stopped at step" in run("session", "--stop", folder, code=0).err
    assert training.wait(PATIENCE) == 0
    training.communicate()


HALF_AN_ENGINE = """
import json, struct, sys
for head in ({"kind": "hello"}, {"kind": "started", "run": "runs/x", "experiment": json.load(open(sys.argv[1]))}, {"kind": "bye", "failure": "the engine's process was ended by signal 9"}):
    head = json.dumps(head).encode()
    sys.stdout.buffer.write(b"UNROLL" + struct.pack("<HIQ", 1, len(head), 0) + head)
sys.stdout.flush()
sys.stdin.buffer.read()
"""


def test_an_engine_that_dies_before_its_first_row_has_failed_and_was_not_refused(small, tmp_path):
    script = tmp_path / "half.py"
    script.write_text(HALF_AN_ENGINE)
    end = run("train", small, "--on", f"python3 {script} {small} # session", "--json", code=4).of("end")[0]
    assert (end["state"], end["run"]) == ("failed", "runs/x") and "signal 9" in end["failure"]


def test_a_single_word_is_a_host_and_that_is_said(small):
    end = run("train", small, "--on", "nowhere.invalid", "--json", code=1).of("end")[0]
    assert end["state"] == "refused"
    assert "a single word is taken as a host for ssh; for a command write its path, or sh -c 'nowhere.invalid'" in end["failure"]


def test_a_run_that_has_ended_is_shown(trained, host):
    shown = run("session", "--attach", trained, "--json", code=0)
    assert [row["step"] for row in shown.of("metrics")] == list(range(1, 41))
    assert shown.of("end")[0]["state"] == "finished"


@pytest.mark.parametrize("line, said", [("echo no route to host >&2; exit 255 # session", "exit code 255 (no route to host)"),
                                        ("echo Welcome to box; sleep 1 # session", "Welcome to box"),
                                        ("/nowhere/unroll-cli session --stdio", "exit code 127")])
def test_a_host_that_cannot_be_used_is_told(small, line, said):
    ended = run("train", small, "--on", line, "--json", code=1)
    assert said in ended.of("end")[0]["failure"]


def test_a_slow_line_loses_no_row(small, host):
    """2 KB at a time, as over a bad line."""
    slow = "import os, sys\nimport time\nwhile data := os.read(0, 2048):\n    os.write(1, data)\n    time.sleep(0.002)\n"
    line = f"({host.line}) | python3 -c {shlex.quote(slow)} # session"
    there = run("train", small, "--on", line, "--json", code=0)
    assert [row["step"] for row in there.of("metrics")] == list(range(1, 41))


def test_another_version_of_the_protocol_is_refused_in_words(host):
    front = subprocess.Popen(["/bin/sh", "-c", host.line], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    head = b'{"kind": "hello"}'
    front.stdin.write(b"UNROLL" + struct.pack("<HIQ", 9, len(head), 0) + head)
    front.stdin.flush()
    assert b"version 9 of the protocol and this one version 1" in front.stdout.read()
    assert front.wait(PATIENCE) == 0


def test_nothing_listens_on_a_port(long, host):
    viewer = start("train", long, "--on", host.line, "--quiet")
    wait_until(viewer, lambda: host.runs() and steps_in(host.runs()[0]) > 5)
    engine = pathlib.Path("/proc", str(host.engine()))
    sockets = {found for found in map(leads, (engine / "fd").iterdir()) if found.startswith("socket:")}
    ports = {f"socket:[{line.split()[9]}]" for kind in ("tcp", "tcp6", "udp", "udp6") for line in (engine / "net" / kind).read_text().splitlines()[1:]}
    assert sockets and not sockets & ports
    viewer.send_signal(signal.SIGINT)
    assert viewer.wait(PATIENCE) == 130
    assert host.status()["state"] == "stopped"


def test_usage(small):
    assert run("session", code=2).err
    assert "--on begins a run" in run("train", small, "--on", "box", "--resume", code=2).err

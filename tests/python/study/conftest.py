# SPDX-License-Identifier: GPL-3.0-or-later
"""How tests start unroll-cli, and the modules of app/study."""

import json
import pathlib
import signal
import sys

import pytest

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS.parents[1] / "app" / "study")]
for name in ("attempt", "engine", "tables", "worker"):  # tests/bench has modules of these names
    sys.modules.pop(name, None)

import running

for ignored in (signal.SIGINT, signal.SIGHUP):  # as in tests/python/cli
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def nothing_goes_on():
    yield
    while running.started:
        process = running.started.pop()
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    return running.small_text(tmp_path_factory.mktemp("text") / "small.txt", 3000)


@pytest.fixture
def small(tmp_path, text):
    """A small experiment's file."""
    return running.write_document(tmp_path / "small.unroll", text,
                                  training={"evaluate_every": 5, "evaluate_batches": 1, "evaluate_whole": False, "sample_every": 0})


SPACE = {"lstm.units": {"min": 4, "max": 16, "step": 4}, "training.learning_rate": {"min": 1e-3, "max": 0.1, "log": True}}


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + " }"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def ends(trials):
    """The state of each trial; one that failed says why."""
    return [trial["state"] + (f": {trial['failure']}" if trial.get("failure") else "") for trial in trials]


@pytest.fixture
def study(small, tmp_path):
    """Writes a study over the small experiment; a table of None is left out."""
    def write(name="width", **tables):
        members = {"space": SPACE, "sampler": {"kind": "random"}, "budget": {"trials": 3, "steps": 10}, "storage": {"heartbeat": 1}, **tables}
        path = tmp_path / f"{name}.toml"
        path.write_text("".join([f'experiment = "{small.name}"\n', *(f"{key} = {toml(value)}\n" for key, value in members.items() if not isinstance(value, dict))] +
                                [f"[{key}]\n" + "".join(f"{json.dumps(inner)} = {toml(each)}\n" for inner, each in value.items())
                                 for key, value in members.items() if isinstance(value, dict)]))
        return path
    return write

# SPDX-License-Identifier: GPL-3.0-or-later
import pathlib
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import running

# Started in the background or by nohup, tests would hand ignored signals on to the programs whose answer to them is
# tested.
for ignored in (signal.SIGINT, signal.SIGHUP):
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
    return running.small_text(tmp_path_factory.mktemp("text") / "small.txt")


@pytest.fixture
def small(tmp_path, text):
    """A small experiment's file."""
    return running.write_document(tmp_path / "small.unroll", text)


@pytest.fixture(scope="session")
def trained(tmp_path_factory, text):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("trained")
    running.run("train", running.write_document(folder / "small.unroll", text), "--run", folder / "run", "--quiet", code=0)
    return folder / "run"

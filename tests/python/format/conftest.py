# SPDX-License-Identifier: GPL-3.0-or-later
"""Files go both ways between our formats and Python's packages.

UNROLL_FORMAT_TEST names the built unroll_format_test; without it the newest one below build/ is taken.
"""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def programme():
    named = os.environ.get("UNROLL_FORMAT_TEST")
    if named:
        return named
    built = sorted(ROOT.glob("build/*/**/unroll_format_test"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.skip("unroll_format_test is not built and UNROLL_FORMAT_TEST does not name one")
    return str(built[-1])


def exchange(folder, test):
    """Runs one half of the exchange with `folder` as the meeting place."""
    environment = dict(os.environ, UNROLL_EXCHANGE=str(folder))
    command = [programme(), f"--gtest_filter=Exchange.{test}"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "SKIPPED" not in ran.stdout, ran.stdout + ran.stderr


@pytest.fixture(scope="session")
def ours(tmp_path_factory):
    """A folder with every file our writers make."""
    folder = tmp_path_factory.mktemp("ours")
    exchange(folder, "WritesOurFiles")
    return folder


@pytest.fixture
def theirs(tmp_path):
    """An object with a folder `theirs` to fill and a function `read` that has our readers write each file again."""

    class Theirs:
        folder = tmp_path / "theirs"
        back = tmp_path / "back"

        def read(self):
            exchange(tmp_path, "ReadsTheirFiles")

    Theirs.folder.mkdir()
    return Theirs()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What unroll_block_dump writes, read once a session; docs/authors.md at its end."""

import subprocess

import pytest
import torch

import authors
from block_dumps import dump_program, load


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def same_numbers():
    """As in tests/python/kernels."""
    torch.manual_seed(1234)


@pytest.fixture(scope="session")
def dumps(tmp_path_factory):
    program = dump_program()
    if program is None:
        pytest.skip("UNROLL_BLOCK_DUMP is not set: it names the built unroll_block_dump")
    assert program.exists(), f"{program} is not built"
    folder = tmp_path_factory.mktemp("blocks")
    subprocess.run([program, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def blocks(dumps):
    return {dump.block: dump for dump in load(dumps)}


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0:
        authors.write(session)

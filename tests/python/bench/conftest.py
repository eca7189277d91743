# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules of tests/bench, programs of their own, and how tests start unroll-cli."""

import os
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "bench" / "peers"), str(TESTS / "bench" / "learning"), str(TESTS / "python" / "cli")]
for name in ("attempt", "engine", "tables", "worker"):  # app/study has modules of these names
    sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def library():
    path = os.environ.get("UNROLL_KERNELS_LIBRARY")
    if not path:
        pytest.skip("UNROLL_KERNELS_LIBRARY is not set: it names the built libunroll_kernels.so")
    return path

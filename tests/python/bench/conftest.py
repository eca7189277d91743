# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules of tests/bench/peers, a program of its own."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "peers"))


@pytest.fixture(scope="session")
def library():
    path = os.environ.get("UNROLL_KERNELS_LIBRARY")
    if not path:
        pytest.skip("UNROLL_KERNELS_LIBRARY is not set: it names the built libunroll_kernels.so")
    return path

# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the op library that UNROLL_KERNELS_LIBRARY names (libunroll_kernels.so)."""

import os

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def kernels():
    path = os.environ.get("UNROLL_KERNELS_LIBRARY")
    if not path:
        pytest.skip("UNROLL_KERNELS_LIBRARY is not set: it names the built libunroll_kernels.so")
    torch.ops.load_library(path)
    return torch.ops.unroll


@pytest.fixture(autouse=True)
def same_numbers():
    """Each test draws the same ones, whichever tests this process has run before: pytest-xdist hands them out as processes come free."""
    torch.manual_seed(1234)

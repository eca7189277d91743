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
    torch.manual_seed(1234)
    return torch.ops.unroll

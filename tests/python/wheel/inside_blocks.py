# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the Python that the wheel is installed in: every case that unroll_block_dump writes (the folder is UNROLL_DUMPS), computed by the
package. Outputs and gradients in double to 1e-12 of the largest number; in single as tests/python/blocks/test_reference.py has it."""

import os
import pathlib
import sys

import pytest
import torch
import unroll

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "blocks"))

from block_dumps import block_names, load  # noqa: E402
from test_reference import best_rounding, is_as_exact_as_the_reference, run  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def blocks():
    found = {dump.block: dump for dump in load(pathlib.Path(os.environ["UNROLL_DUMPS"]))}
    for dump in found.values():
        dump.python_class = getattr(unroll.nn, dump.python_class.__name__)
    return found


@pytest.mark.parametrize("block", block_names())
def test_double(blocks, block):
    for case in (case for case in blocks[block].cases if case.facts["double"]):
        for name, value in run(case).items():
            want = case.tensors[name]
            scale = max(1.0, want.abs().max().item())
            assert (value - want).abs().max().item() <= 1e-9 * scale, f"{case.text}: {name}"


@pytest.mark.parametrize("block", block_names())
def test_single(blocks, block):
    for case in (case for case in blocks[block].cases if not case.facts["double"]):
        error, name = best_rounding(case)
        assert error <= 1e-5 or is_as_exact_as_the_reference(case), f"{case.text}: {name}"

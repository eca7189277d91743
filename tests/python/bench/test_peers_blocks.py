# SPDX-License-Identifier: GPL-3.0-or-later
"""Every form of the blocks, and of the scans behind them, computes what the fp64 loop does: outputs and gradients by x and by every weight."""

import importlib.util
import types

import pytest
import torch

from cases import blocks, delta, outer
from kinds import COMPILED, LOOP, PACKAGE, UNROLL
from record import OfAnotherMachine, Record
from targets import BLOCKS
from worker import CaseRun

# Steps for two chunks of 64, the most that a package takes at a time.
SIZES = types.SimpleNamespace(blocks=((128, 2, 16),), outers=((2, 2, 128, 4),))
CASES = {case.name: case for family in (blocks, outer, delta) for case in family.cases(SIZES)}
PACKAGES = {"minGRU-pytorch": "minGRU_pytorch", "mambapy": "mambapy", "flash-linear-attention": "fla", "xlstm": "xlstm", "ncps": "ncps"}


@pytest.fixture(autouse=True)
def one_thread(library):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.ops.load_library(library)
    yield
    torch.set_num_threads(before)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_same_values(name):
    case = CASES[name]
    found = CaseRun(case, [form for form in case.forms if form.kind != COMPILED], seed=1234, check=True).found
    assert {kind for _, kind in found} >= {UNROLL, LOOP}
    for (form, kind), facts in found.items():
        package = next((module for start, module in PACKAGES.items() if form.startswith(start)), None)
        if kind == PACKAGE and importlib.util.find_spec(package) is None:
            assert "is not installed" in facts["problem"]
        else:
            assert facts.get("error", 1) < (1e-3 if kind == PACKAGE or name == "mLSTM block" else 1e-4), facts


def test_the_blocks_that_are_held_to_a_target():
    assert [case.name for case in blocks.cases(SIZES)] == [f"{name} block" for name in BLOCKS]


def test_a_weight_that_is_not_set_is_noticed():
    block = blocks.Block("gla", "GLA", {"units": 16, "num_heads": 4}, 16)

    def made():
        module = block.make()
        module.more = torch.nn.Linear(2, 2)
        return module

    with pytest.raises(AssertionError, match="more.weight"):
        block.form("wider", PACKAGE, made, blocks.first_of).prepare(block.draw((3, 2, 16)))


def test_a_file_goes_on_when_a_package_has_joined():
    facts = {"machine": {}, "memory": {}, "threads": 2, "build": "new"}
    here = {**facts, "versions": {"torch": "2.11", "flash-linear-attention": "0.6"}}
    assert Record(here).after(Record({**facts, "versions": {"torch": "2.11"}})).facts == here
    with pytest.raises(OfAnotherMachine, match="its versions"):
        Record(here).after(Record({**facts, "versions": {"torch": "2.10"}}))

# SPDX-License-Identifier: GPL-3.0-or-later
"""minGRU against minGRU-pytorch with its weights set from ours: the parallel form in logarithms, the sequential one step
by step, and their gradients. The package has g, no bias and no mask; its parallel form needs positive states."""

import pytest
import torch

from authors import record
from block_dumps import relative_rms


@pytest.fixture(scope="session")
def package():
    return pytest.importorskip("minGRU_pytorch.minGRU", reason="minGRU-pytorch is not installed")


@pytest.fixture(scope="session")
def cases(blocks):
    found = [case for case in blocks["mingru"].cases
             if case.facts["params"]["activation"] == "g" and not case.facts["params"]["use_bias"]
             and case.facts["double"] and not case.values("input", "mask")]
    assert found
    return found


def layer(package, case):
    """The package makes layers as wide as what they read, or a multiple of it: other widths are set by hand."""
    made = package.minGRU(case.facts["dimensions"]["input_size"], proj_out=False)
    made.to_hidden_and_gate.weight = torch.nn.Parameter(case.tensors["weight.to_hidden_and_gate.weight"].clone())
    return made


def in_steps(made, x, h):
    outputs = []
    for step in x.split(1, dim=1):
        y, h = made(step, h, return_next_prev_hidden=True)
        outputs.append(y)
    return torch.cat(outputs, dim=1), h


def test_sequential_form(package, cases):
    for case in cases:
        made, (x, state, _) = layer(package, case), case.inputs()
        y, h = in_steps(made, x.transpose(0, 1), None if state is None else state[0].unsqueeze(1))
        y = y.transpose(0, 1)
        (y * case.tensors["cotangent.y.0"]).sum().add((h[:, 0] * case.tensors["cotangent.state.0"]).sum()).backward()
        found = {"output.y.0": y, "output.state.0": h[:, 0], "grad.input.x.0": x.grad,
                 "grad.weight.to_hidden_and_gate.weight": made.to_hidden_and_gate.weight.grad}
        if state is not None:
            found["grad.input.state.0"] = state[0].grad
        for name, value in found.items():
            error = relative_rms(value, case.tensors[name], case.tensors["cotangent.y.0"])
            record("mingru", "minGRU-pytorch", **{"outputs" if name.startswith("output") else "gradients": error})
            assert error < 1e-12, f"{case.text}: {name}"


def test_parallel_form(package, cases):
    """From zeros, and from the positive states that a piece of sequence leaves behind."""
    for case in cases:
        made, (x, _, _) = layer(package, case), case.inputs()
        module = case.module()
        with torch.no_grad():
            y, h = made(x.transpose(0, 1), return_next_prev_hidden=True)
            ours, (state,) = module(x)
            record("mingru", "minGRU-pytorch", relative_rms(y.transpose(0, 1), ours, ours))
            assert torch.allclose(y.transpose(0, 1), ours, rtol=1e-10, atol=1e-10), case.text
            y = made(x.transpose(0, 1), h)
            ours, _ = module(x, (state,))
            assert torch.allclose(y.transpose(0, 1), ours, rtol=1e-10, atol=1e-10), case.text
        if not case.values("input", "state"):
            assert torch.allclose(h[:, 0], case.tensors["output.state.0"], rtol=1e-10, atol=1e-10), case.text

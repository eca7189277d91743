# SPDX-License-Identifier: GPL-3.0-or-later
"""minLSTM against minGRU-pytorch's with its weights set from ours: the sequential form step by step, with its gradients, and the parallel form in
logarithms. The package has g, no bias and no mask. Its parallel form takes g(h) of a given state, as the paper's listing does, its sequential form h."""

import pytest
import torch

from authors import record
from block_dumps import relative_rms


@pytest.fixture(scope="session")
def package():
    return pytest.importorskip("minGRU_pytorch.minLSTM", reason="minGRU-pytorch is not installed")


@pytest.fixture(scope="session")
def cases(blocks):
    found = [case for case in blocks["min_lstm"].cases
             if case.facts["params"]["activation"] == "g" and not case.facts["params"]["use_bias"]
             and case.facts["double"] and not case.values("input", "mask")]
    assert found
    return found


def layer(package, case):
    """The package makes layers as wide as what they read: other widths are set by hand."""
    made = package.minLSTM(case.facts["dimensions"]["input_size"], proj_out=False)
    made.to_hidden_and_f_i_gate.weight = torch.nn.Parameter(case.tensors["weight.to_hidden_and_f_i_gate.weight"].clone())
    return made


def test_sequential_form(package, cases):
    worst = 0
    for case in cases:
        made, (x, state, _) = layer(package, case), case.inputs()
        h, outputs = None if state is None else state[0].unsqueeze(1), []
        for step in x.transpose(0, 1).split(1, dim=1):
            y, h = made(step, h, return_next_prev_hidden=True)
            outputs.append(y)
        y = torch.cat(outputs, dim=1).transpose(0, 1)
        (y * case.tensors["cotangent.y.0"]).sum().add((h[:, 0] * case.tensors["cotangent.state.0"]).sum()).backward()
        found = {"output.y.0": y, "output.state.0": h[:, 0], "grad.input.x.0": x.grad,
                 "grad.weight.to_hidden_and_f_i_gate.weight": made.to_hidden_and_f_i_gate.weight.grad}
        if state is not None:
            found["grad.input.state.0"] = state[0].grad
        for name, value in found.items():
            error = relative_rms(value, case.tensors[name], case.tensors["cotangent.y.0"])
            worst = max(worst, error)
            record("min_lstm", "minGRU-pytorch", **{"outputs" if name.startswith("output") else "gradients": error})
            assert error < 1e-12, f"{case.text}: {name}"
    print(f"minLSTM of minGRU-pytorch, sequential, outputs and gradients: {worst:.1e}")


def test_parallel_form(package, cases):
    """From zeros, and from a state: ours is given g of it there."""
    worst = 0
    for case in cases:
        made, (x, _, _), module = layer(package, case), case.inputs(), case.module()
        given = torch.randn(x.shape[1], module.units, dtype=x.dtype, generator=torch.Generator().manual_seed(3))
        y, _ = made(x.transpose(0, 1), return_next_prev_hidden=True)
        later, _ = made(x.transpose(0, 1), given.unsqueeze(1), return_next_prev_hidden=True)
        ours, ours_later = module(x)[0], module(x, (case.dump.module.min_lstm_g(given),))[0]
        for theirs, want in ((y, ours), (later, ours_later)):
            error = ((theirs.transpose(0, 1) - want).abs().max() / want.abs().max()).item()
            record("min_lstm", "minGRU-pytorch", error)
            worst = max(worst, error)
        grads = [torch.autograd.grad((o * case.tensors["cotangent.y.0"]).sum(), weight)[0]
                 for o, weight in ((later.transpose(0, 1), made.to_hidden_and_f_i_gate.weight), (ours_later, module.to_hidden_and_f_i_gate.weight))]
        in_grads = ((grads[0] - grads[1]).abs().max() / grads[1].abs().max()).item()
        record("min_lstm", "minGRU-pytorch", gradients=in_grads)
        worst = max(worst, in_grads)
    print(f"minLSTM of minGRU-pytorch, parallel, outputs and gradients: {worst:.1e}")
    assert worst < 1e-10

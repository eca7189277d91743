# SPDX-License-Identifier: GPL-3.0-or-later
"""RWKV-7 against the authors' package rwkv, whose time mixing of one step runs on a CPU, with its weights set from ours: outputs, states and gradients of
whole sequences. It has exp(-1/2) in six digits, and takes single precision for the decay."""

import os

import pytest
import torch

from authors import record
from block_dumps import reference_module

SIZES = [(64, {"head_size": 16}), (48, {"head_size": 8, "decay_rank": 5, "rate_rank": 7, "gate_rank": 9}), (64, {"head_size": 64})]


@pytest.fixture(scope="session")
def step():
    os.environ |= {"RWKV_V7_ON": "1", "RWKV_JIT_ON": "0"}
    package = pytest.importorskip("rwkv.model", reason="rwkv is not installed")
    return package.RWKV_x070_TMix_one


def theirs(step, ours, x, first=None):
    """One sequence (T, C), from an empty state; its states are transposed to ours. `first`: v of the first layer, of a later one."""
    heads, n = ours.heads, x.shape[1] // ours.heads
    vectors = {name: getattr(ours, name).flatten() for name in ("x_r", "x_w", "x_k", "x_v", "x_a", "x_g", "w0", "a0", "k_k", "k_a", "r_k")}
    matrices = [layer.weight.t() for layer in (ours.receptance, ours.key, ours.value, ours.output)]
    mixed = [vectors[name] for name in ("x_r", "x_w", "x_k", "x_v", "x_a", "x_g")]
    last, state, outputs, values, none = torch.zeros_like(x[0]), x.new_zeros(heads, n, n), [], [], torch.zeros_like(x[0])
    layer, mixing = (0, (none, none, none)) if first is None else (1, (ours.v0.flatten(), ours.v1, ours.v2))
    for t, now in enumerate(x):
        y, last, state, v = step(layer, heads, n, now, last, none if first is None else first[t], state, *mixed, vectors["w0"], ours.w1, ours.w2,
                                 vectors["a0"], ours.a1, ours.a2, *mixing, ours.g1, ours.g2, vectors["k_k"], vectors["k_a"], vectors["r_k"], *matrices, ours.ln_x.weight, ours.ln_x.bias)  # fmt: skip
        outputs.append(y)
        values.append(v)
    return torch.stack(outputs), state.transpose(1, 2), torch.stack(values)


def shaken(width, **params):
    made = reference_module("rwkv7").RWKV7(width, **params)
    with torch.no_grad():
        for weight in made.parameters():  # many begin at 0
            weight += 0.1 * torch.randn_like(weight)
    return made


@pytest.mark.parametrize("width,params", SIZES, ids=str)
def test_whole_sequences(step, width, params):
    torch.manual_seed(5)
    ours = shaken(width, **params)
    x = torch.randn(33, 2, width, requires_grad=True)
    y, (state,) = ours(x)
    sequences = [theirs(step, ours, x[:, i]) for i in range(2)]
    wanted, states = torch.stack([s[0] for s in sequences], 1), torch.stack([s[1] for s in sequences])
    weights, leaves = torch.randn_like(y), [x, *ours.parameters()]
    got = [y, state[:, : states[0].numel()], *torch.autograd.grad((weights * y).sum(), leaves)]
    want = [wanted, states.flatten(1), *torch.autograd.grad((weights * wanted).sum(), leaves)]
    found = [((a - b).norm() / b.norm()).item() for a, b in zip(got, want, strict=True)]
    record("rwkv7", "rwkv", max(found[:2]), max(found[2:]))
    worst = max(found)
    print(f"RWKV-7 of rwkv, width {width}, {params}, outputs, states and gradients: {worst:.1e}")
    assert worst < 2e-5


@pytest.mark.parametrize("width,params", SIZES, ids=str)
def test_two_layers_of_which_the_second_mixes_in_the_values_of_the_first(step, width, params):
    torch.manual_seed(6)
    lower = shaken(width, value_residual=True, **params)
    upper = shaken(width, value_residual=True, value_rank=6, v_first_size=width, **params)
    x = torch.randn(33, 2, width, requires_grad=True)
    below, _, first = lower(x)
    y, (state,), _ = upper(below, v_first=first)
    sequences = []
    for i in range(2):
        made, _, values = theirs(step, lower, x[:, i])
        sequences.append((values, *theirs(step, upper, made, values)[:2]))
    values, wanted, states = (torch.stack([s[part] for s in sequences], 0 if part == 2 else 1) for part in range(3))
    weights, leaves = torch.randn_like(y), [x, *upper.parameters(), *lower.parameters()]
    got = [first, y, state[:, : states[0].numel()], *torch.autograd.grad((weights * y).sum(), leaves)]
    want = [values, wanted, states.flatten(1), *torch.autograd.grad((weights * wanted).sum(), leaves)]
    found = [((a - b).norm() / b.norm()).item() for a, b in zip(got, want, strict=True)]
    record("rwkv7", "rwkv", max(found[:3]), max(found[3:]))
    print(f"two layers of RWKV-7 of rwkv, width {width}, {params}, outputs, states and gradients: {max(found):.1e}")
    assert max(found) < 2e-5

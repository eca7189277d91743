# SPDX-License-Identifier: GPL-3.0-or-later
"""SRU++ against numbers of the authors' own code, SRUppCell with SRUppAttention or SRUppProjectedLinear of the branch 3.0.0-dev (c2d44e6), which no
package index has: two chunks, the second with the first as its memory (where x is normed first, the normed one), weights and inputs by the formula
below. They were made once, in double; with random weights all 128 combinations of attention, heads, norms behind it, rescaling and k agreed to 4e-15
then, outputs and gradients."""

import json
import pathlib

import pytest
import torch

from authors import record
from block_dumps import reference_module

CASES = json.loads((pathlib.Path(__file__).parent / "srupp_original.json").read_text())
UNITS, P, STEPS, SEQUENCES, WINDOW = 6, 4, 3, 2, 64


def numbers(shape, start):
    return (0.7 * torch.sin(1.3 * torch.arange(torch.Size(shape).numel(), dtype=torch.float64) + start)).reshape(shape)


@pytest.mark.parametrize("case", CASES, ids=("k3-heads", "k4-normed-after", "no-attention", "norm-before-attention"))
def test_numbers_of_the_authors(case):
    module = reference_module("srupp").SRUpp(case["width"], units=UNITS, projection_size=P, window=WINDOW, **case["options"]).double()
    with torch.no_grad():
        for place, (_, weight) in enumerate(sorted(module.named_parameters())):
            weight.copy_(numbers(weight.shape, place))
    memory = (WINDOW - 1) * (2 * P + 1) if case["options"]["attention"] == "causal" else 0
    x = numbers((2 * STEPS, SEQUENCES, case["width"]), 20).requires_grad_()
    state = torch.cat([numbers((SEQUENCES, UNITS), 30), torch.zeros(SEQUENCES, memory)], dim=1)
    first, state = module(x[:STEPS], (state,))
    second, (state,) = module(x[STEPS:], state)
    y = torch.cat([first, second])
    (y * numbers(y.shape, 40)).sum().backward()
    got = {"y": y, "c": state[:, :UNITS], "grad_x": x.grad, "grad_weight_c": module.weight_c.grad}
    for name, tensor in got.items():
        want = torch.tensor(case[name], dtype=torch.float64)
        error = ((tensor.flatten() - want).abs().max() / want.abs().max()).item()
        record("srupp", "sru", **{"gradients" if name.startswith("grad") else "outputs": error})
        assert torch.allclose(tensor.flatten(), want, rtol=0, atol=1e-10), name


BOTH_WAYS = json.loads((pathlib.Path(__file__).parent / "srupp_both_ways.json").read_text())


@pytest.mark.parametrize("case", BOTH_WAYS, ids=("k3-heads", "k4-masked", "three-layers-masked", "no-attention"))
def test_numbers_of_the_authors_in_both_directions(case):
    """Their SRUpp of 3.0.0.dev6, bidirectional and without an attention mask, one chunk, in double (the rescaling factor too, which is single there);
    where it is masked the last two steps of the second sequence are padding."""
    steps, layers = 5, case["layers"]
    module = reference_module("srupp").SRUpp(case["width"], units=UNITS, projection_size=P, num_layers=layers, bidirectional=True, **case["options"])
    module = module.double()
    with torch.no_grad():
        for place, (_, weight) in enumerate(sorted(module.named_parameters())):
            weight.copy_(numbers(weight.shape, place))
    x = numbers((steps, SEQUENCES, case["width"]), 20).requires_grad_()
    mask = torch.ones(steps, SEQUENCES, dtype=torch.bool)
    mask[3:, 1] = False
    y, (state,) = module(x, (numbers((SEQUENCES, layers * 2 * UNITS), 30),), mask if case["masked"] else None)
    (y * numbers(y.shape, 40)).sum().backward()
    first = module if module.layers is None else module.layers[0]
    for name, tensor in {"y": y, "c": state, "grad_x": x.grad, "grad_weight_c": first.weight_c.grad}.items():
        want = torch.tensor(case[name], dtype=torch.float64)
        assert torch.allclose(tensor.flatten(), want, rtol=0, atol=1e-10), name

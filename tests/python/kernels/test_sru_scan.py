# SPDX-License-Identifier: GPL-3.0-or-later
"""sru_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck, plain_loop

SKIPS = ("none", "scaled", "fourth part")


def draw(steps, batch, width, skip="fourth part", dtype=torch.float64):
    def leaf(*shape):
        return torch.randn(*shape, dtype=dtype, requires_grad=True)

    return {
        "u": leaf(steps, batch, 4 if skip == "fourth part" else 3, width),
        "weight_c": leaf(2, width),
        "bias": leaf(2, width),
        "x": leaf(steps, batch, width) if skip == "scaled" else None,
        "initial": leaf(batch, width),
        "mask": torch.rand(steps, batch) < 0.7,
        "dropout": (torch.rand(batch, width) < 0.8).to(dtype) / 0.8,
    }


def definition(u, weight_c, bias, x, initial, mask, dropout, scale_x, activation, reverse):
    def step(t, c):
        u0, forget, reset, *fourth = u[t].unbind(1)
        f = torch.sigmoid(forget + weight_c[0] * c + bias[0])
        r = torch.sigmoid(reset + weight_c[1] * c + bias[1])
        c = (c - u0) * f + u0
        active = torch.tanh(c) if activation == "tanh" else c
        skip = fourth[0] if fourth else x[t] * scale_x if x is not None else torch.zeros_like(c)
        return c, (active - skip) * dropout * r + skip

    return plain_loop(len(u), step, initial, mask, reverse)


def trained(inputs):
    return [t for t in inputs.values() if t is not None and t.requires_grad]


@pytest.mark.parametrize("skip,activation,reverse", list(itertools.product(SKIPS, ("identity", "tanh"), (False, True))))
def test_equals_the_plain_loop(kernels, skip, activation, reverse):
    inputs = draw(17, 3, 5, skip)
    options = {"scale_x": 1.5, "activation": activation, "reverse": reverse}
    want = definition(**inputs, **options)
    assert_same(kernels.sru_scan(**inputs, **options), want, trained(inputs))


@pytest.mark.parametrize("skip,activation,reverse", list(itertools.product(SKIPS, ("identity", "tanh"), (False, True))))
def test_gradcheck(kernels, skip, activation, reverse):
    inputs = draw(4, 2, 3, skip)
    names = [name for name, t in inputs.items() if t is not None and t.requires_grad]

    def scan(*values):
        return kernels.sru_scan(
            **{**inputs, **dict(zip(names, values))}, scale_x=1.5, activation=activation, reverse=reverse
        )

    assert torch.autograd.gradcheck(scan, trained(inputs))


@pytest.mark.parametrize("skip", SKIPS)
@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, skip, dtype):
    inputs = draw(5, 2, 7, skip, dtype)
    bare = {name: inputs[name] for name in ("u", "weight_c", "bias")}
    for options in ({**inputs, "activation": "tanh", "reverse": True}, bare, {**bare, "u": bare["u"][:0]}):
        opcheck(kernels.sru_scan.default, (), options, traced=dtype == torch.float64)


@pytest.mark.parametrize("skip", SKIPS)
def test_opcheck_of_the_backward(kernels, skip):
    inputs = {name: t if t is None else t.detach() for name, t in draw(5, 2, 7, skip).items()}
    h, c, last = kernels.sru_scan(**inputs)
    for grads in ((h, c, last), (h, None, None), (None, None, last)):
        opcheck(kernels.sru_scan_backward.default, (*inputs.values(), c, *grads), traced=False)


def test_compiled_graph_is_captured_whole(kernels):
    inputs = draw(5, 2, 7)
    names = [name for name, t in inputs.items() if t is not None and t.requires_grad]
    rest = {name: t for name, t in inputs.items() if name not in names}
    assert_captured_whole(lambda *values: kernels.sru_scan(**dict(zip(names, values)), **rest)[0].sum(), trained(inputs))


def test_errors_name_the_argument(kernels):
    inputs = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"u has k = 5 parts, expected 3 or 4"):
        kernels.sru_scan(torch.zeros(5, 2, 5, 4), inputs["weight_c"], inputs["bias"])
    with pytest.raises(RuntimeError, match="x came together with k = 4"):
        kernels.sru_scan(**{**inputs, "x": torch.zeros(5, 2, 4, dtype=torch.float64)})

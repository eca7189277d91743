# SPDX-License-Identifier: GPL-3.0-or-later
"""sru_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

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


def plain_loop(u, weight_c, bias, x, initial, mask, dropout, scale_x, activation, reverse):
    c, hs, cs = initial, [None] * len(u), [None] * len(u)
    for t in reversed(range(len(u))) if reverse else range(len(u)):
        f = torch.sigmoid(u[t][:, 1] + weight_c[0] * c + bias[0])
        r = torch.sigmoid(u[t][:, 2] + weight_c[1] * c + bias[1])
        new = (c - u[t][:, 0]) * f + u[t][:, 0]
        active = torch.tanh(new) if activation == "tanh" else new
        skip = u[t][:, 3] if u.shape[2] == 4 else x[t] * scale_x if x is not None else torch.zeros_like(new)
        h = (active - skip) * dropout * r + skip
        real = mask[t][:, None]
        c = torch.where(real, new, c)
        hs[t], cs[t] = torch.where(real, h, 0.0), c
    return torch.stack(hs), torch.stack(cs), c


def trained(inputs):
    return [t for t in inputs.values() if t is not None and t.requires_grad]


@pytest.mark.parametrize("skip,activation,reverse", list(itertools.product(SKIPS, ("identity", "tanh"), (False, True))))
def test_equals_the_plain_loop(kernels, skip, activation, reverse):
    inputs = draw(17, 3, 5, skip)
    options = {"scale_x": 1.5, "activation": activation, "reverse": reverse}
    want = plain_loop(**inputs, **options)
    got = kernels.sru_scan(**inputs, **options)
    weights = [torch.randn_like(w) for w in want]
    want_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, want)), trained(inputs))
    got_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, got)), trained(inputs))
    for g, w in zip((*got, *got_grads), (*want, *want_grads)):
        torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-12)


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
    torch.library.opcheck(kernels.sru_scan.default, (), {**inputs, "activation": "tanh", "reverse": True})
    bare = {name: inputs[name] for name in ("u", "weight_c", "bias")}
    torch.library.opcheck(kernels.sru_scan.default, (), bare)
    bare["u"] = bare["u"][:0]
    torch.library.opcheck(kernels.sru_scan.default, (), bare)


@pytest.mark.parametrize("skip", SKIPS)
def test_opcheck_of_the_backward(kernels, skip):
    inputs = {name: t if t is None else t.detach() for name, t in draw(5, 2, 7, skip).items()}
    h, c, last = kernels.sru_scan(**inputs)
    for grads in ((h, c, last), (h, None, None), (None, None, last)):
        torch.library.opcheck(kernels.sru_scan_backward.default, (*inputs.values(), c, *grads))


def test_compiled_graph_is_captured_whole(kernels):
    inputs = draw(5, 2, 7)
    compiled = torch.compile(lambda values: kernels.sru_scan(**values)[0].sum(), backend="aot_eager", fullgraph=True)
    want = torch.autograd.grad(kernels.sru_scan(**inputs)[0].sum(), trained(inputs))
    got = torch.autograd.grad(compiled(inputs), trained(inputs))
    for g, w in zip(got, want):
        torch.testing.assert_close(g, w)


def test_errors_name_the_argument(kernels):
    inputs = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"u has k = 5 parts, expected 3 or 4"):
        kernels.sru_scan(torch.zeros(5, 2, 5, 4), inputs["weight_c"], inputs["bias"])
    with pytest.raises(RuntimeError, match="x came together with k = 4"):
        kernels.sru_scan(**{**inputs, "x": torch.zeros(5, 2, 4, dtype=torch.float64)})

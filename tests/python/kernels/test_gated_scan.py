# SPDX-License-Identifier: GPL-3.0-or-later
"""gated_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

ACTIVATIONS = {
    "identity": lambda a: a,
    "tanh": torch.tanh,
    "silu": torch.nn.functional.silu,
    "positive": lambda a: torch.where(a >= 0, a + 0.5, torch.sigmoid(a)),
}


def draw(steps, batch, width, gates=3, dtype=torch.float64):
    pre = torch.randn(steps, batch, gates * width, dtype=dtype, requires_grad=True)
    initial = torch.randn(batch, width, dtype=dtype, requires_grad=True)
    mask = torch.rand(steps, batch) < 0.7
    return pre, initial, mask


def plain_loop(pre, initial, mask, candidate, reverse):
    """h_t = f h_{t-1} + (1 - f) c, one step at a time; gates from the parts of pre."""
    width = initial.shape[1]
    parts = pre.split(width, dim=2)
    h, outputs, states = initial, [None] * len(pre), [None] * len(pre)
    for t in reversed(range(len(pre))) if reverse else range(len(pre)):
        f = torch.sigmoid(parts[0][t])
        new = f * h + (1 - f) * ACTIVATIONS[candidate](parts[1][t])
        u = torch.sigmoid(parts[2][t]) * new if len(parts) == 3 else new
        real = mask[t][:, None] if mask is not None else torch.ones(1, 1, dtype=torch.bool)
        h = torch.where(real, new, h)
        outputs[t], states[t] = torch.where(real, u, 0.0), h
    return torch.stack(outputs), torch.stack(states), h


@pytest.mark.parametrize("candidate", ACTIVATIONS)
@pytest.mark.parametrize("gates,masked,reverse", list(itertools.product((2, 3), (False, True), (False, True))))
def test_equals_the_plain_loop(kernels, candidate, gates, masked, reverse):
    pre, initial, mask = draw(17, 3, 5, gates)
    mask = mask if masked else None
    want = plain_loop(pre, initial, mask, candidate, reverse)
    got = kernels.gated_scan([pre], initial, mask, candidate=candidate, output_gate=gates == 3, reverse=reverse)
    weights = [torch.randn_like(w) for w in want]
    want_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, want)), (pre, initial))
    got_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, got)), (pre, initial))
    for g, w in zip((*got, *got_grads), (*want, *want_grads)):
        torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("candidate", ACTIVATIONS)
@pytest.mark.parametrize("gates,masked,reverse", list(itertools.product((2, 3), (False, True), (False, True))))
def test_gradcheck(kernels, candidate, gates, masked, reverse):
    pre, initial, mask = draw(4, 2, 3, gates)

    def scan(pre, initial):
        return kernels.gated_scan(
            [pre], initial, mask if masked else None, candidate=candidate, output_gate=gates == 3, reverse=reverse
        )

    assert torch.autograd.gradcheck(scan, (pre, initial))


def test_gradcheck_of_several_gate_tensors(kernels):
    a = torch.randn(3, 2, 8, dtype=torch.float64, requires_grad=True)
    b = torch.randn(3, 2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: kernels.gated_scan([a, b]), (a, b))
    assert torch.autograd.gradcheck(lambda a, b: kernels.gated_scan([*a.split(4, 2), b]), (a, b))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, dtype):
    pre, initial, mask = draw(5, 2, 7, dtype=dtype)
    split = [part.detach().requires_grad_(True) for part in pre.split(7, 2)]
    cases = [
        (([pre], initial, mask), {"candidate": "tanh", "reverse": True}),
        ((split,), {}),
        (([pre[..., :14]], None, mask), {"output_gate": False}),
        (([pre[:0]], initial), {}),
    ]
    for arguments, options in cases:
        torch.library.opcheck(kernels.gated_scan.default, arguments, options)


def test_opcheck_of_the_backward(kernels):
    pre, initial, mask = (t.detach() for t in draw(5, 2, 7))
    u, h, last = kernels.gated_scan([pre], initial, mask)
    for grads in ((u, h, last), (u, None, None), (None, None, last)):
        torch.library.opcheck(kernels.gated_scan_backward.default, ([pre], initial, mask, h, *grads))


def test_compiled_graph_is_captured_whole(kernels):
    pre, initial, _ = draw(5, 2, 7)
    compiled = torch.compile(lambda p, i: kernels.gated_scan([p], i)[0].sum(), backend="aot_eager", fullgraph=True)
    want = torch.autograd.grad(kernels.gated_scan([pre], initial)[0].sum(), (pre, initial))
    got = torch.autograd.grad(compiled(pre, initial), (pre, initial))
    for g, w in zip(got, want):
        torch.testing.assert_close(g, w)


def test_errors_name_the_argument(kernels):
    pre, initial, _ = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"initial has shape \[2, 4\], expected \[2, 3\]"):
        kernels.gated_scan([pre[..., :9]], initial)
    with pytest.raises(RuntimeError, match='candidate is "relu", expected one of identity, tanh, silu, positive'):
        kernels.gated_scan([pre], initial, candidate="relu")

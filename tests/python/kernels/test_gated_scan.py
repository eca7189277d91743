# SPDX-License-Identifier: GPL-3.0-or-later
"""gated_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck, plain_loop

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


@pytest.mark.parametrize("candidate", ACTIVATIONS)
@pytest.mark.parametrize("gates,masked,reverse", list(itertools.product((2, 3), (False, True), (False, True))))
def test_equals_the_plain_loop(kernels, candidate, gates, masked, reverse):
    pre, initial, mask = draw(17, 3, 5, gates)
    mask = mask if masked else None

    def step(t, h):
        forget, new, *output = pre[t].split(5, dim=1)
        f = torch.sigmoid(forget)
        h = f * h + (1 - f) * ACTIVATIONS[candidate](new)
        return h, torch.sigmoid(output[0]) * h if output else h

    want = plain_loop(17, step, initial, mask, reverse)
    got = kernels.gated_scan([pre], initial, mask, candidate=candidate, output_gate=gates == 3, reverse=reverse)
    assert_same(got, want, (pre, initial))


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
        opcheck(kernels.gated_scan.default, arguments, options, traced=dtype == torch.float64)


def test_opcheck_of_the_backward(kernels):
    pre, initial, mask = (t.detach() for t in draw(5, 2, 7))
    u, h, last = kernels.gated_scan([pre], initial, mask)
    for grads in ((u, h, last), (u, None, None), (None, None, last)):
        opcheck(kernels.gated_scan_backward.default, ([pre], initial, mask, h, *grads), traced=False)


def test_compiled_graph_is_captured_whole(kernels):
    pre, initial, _ = draw(5, 2, 7)
    assert_captured_whole(lambda pre, initial: kernels.gated_scan([pre], initial)[0].sum(), (pre, initial))


def test_errors_name_the_argument(kernels):
    pre, initial, _ = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"initial has shape \[2, 4\], expected \[2, 3\]"):
        kernels.gated_scan([pre[..., :9]], initial)
    with pytest.raises(RuntimeError, match='candidate is "relu", expected one of identity, tanh, silu, positive'):
        kernels.gated_scan([pre], initial, candidate="relu")

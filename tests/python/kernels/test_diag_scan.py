# SPDX-License-Identifier: GPL-3.0-or-later
"""diag_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

KINDS = list(itertools.product((torch.float64, torch.complex128), (False, True), (False, True), (False, True)))


def draw(steps, batch, width, dtype=torch.float64, constant=False):
    factor = torch.randn((width,) if constant else (steps, batch, width), dtype=dtype) * 0.6
    inputs = torch.randn(steps, batch, width, dtype=dtype, requires_grad=True)
    initial = torch.randn(batch, width, dtype=dtype, requires_grad=True)
    mask = torch.rand(steps, batch) < 0.7
    return factor.requires_grad_(True), inputs, initial, mask


def plain_loop(a, b, initial, mask, reverse):
    """h_t = a_t h_{t-1} + b_t, one step at a time."""
    h, states = initial, [None] * len(b)
    for t in reversed(range(len(b))) if reverse else range(len(b)):
        new = (a if a.dim() == 1 else a[t]) * h + b[t]
        h = new if mask is None else torch.where(mask[t][:, None], new, h)
        states[t] = h
    return torch.stack(states), h


@pytest.mark.parametrize("dtype,constant,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, dtype, constant, masked, reverse):
    a, b, initial, mask = draw(17, 3, 5, dtype, constant)
    mask = mask if masked else None
    want = plain_loop(a, b, initial, mask, reverse)
    got = kernels.diag_scan(a, b, initial, mask, reverse=reverse)
    weights = [torch.randn_like(w) for w in want]
    want_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, want)).abs(), (a, b, initial))
    got_grads = torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, got)).abs(), (a, b, initial))
    for g, w in zip((*got, *got_grads), (*want, *want_grads)):
        torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype,constant,masked,reverse", KINDS)
def test_gradcheck(kernels, dtype, constant, masked, reverse):
    a, b, initial, mask = draw(4, 2, 3, dtype, constant)

    def scan(a, b, initial):
        return kernels.diag_scan(a, b, initial, mask if masked else None, reverse=reverse)

    assert torch.autograd.gradcheck(scan, (a, b, initial))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.complex64, torch.complex128))
def test_opcheck(kernels, dtype):
    a, b, initial, mask = draw(5, 2, 7, dtype)
    constant = a[0, 0].detach().requires_grad_(True)
    for arguments, options in (
        ((a, b, initial, mask), {"reverse": True}),
        ((constant, b), {}),
        ((a, b, None, mask), {}),
        ((constant, b[:0], initial), {}),
    ):
        torch.library.opcheck(kernels.diag_scan.default, arguments, options)


def test_opcheck_of_the_backward(kernels):
    a, b, initial, mask = (t.detach() for t in draw(5, 2, 7, torch.complex128))
    h, last = kernels.diag_scan(a, b, initial, mask)
    for factor in (a, a[0, 0].clone()):
        for grads in ((h.clone(), last.clone()), (h.clone(), None), (None, last.clone())):
            torch.library.opcheck(kernels.diag_scan_backward.default, (factor, initial, mask, h, *grads))


def test_conjugated_views_are_taken_as_what_they_stand_for(kernels):
    a, b, initial, _ = (t.detach() for t in draw(6, 2, 3, torch.complex128))
    got = kernels.diag_scan(a.conj(), b.conj(), initial.conj())
    want = kernels.diag_scan(a, b, initial)
    for g, w in zip(got, want):
        torch.testing.assert_close(g, w.conj())


def test_errors_name_the_argument(kernels):
    a, b, initial, _ = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"initial has shape \[2, 4\], expected \[2, 3\]"):
        kernels.diag_scan(a[..., :3], b[..., :3], initial)

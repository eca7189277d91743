# SPDX-License-Identifier: GPL-3.0-or-later
"""diag_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_same, opcheck, plain_loop

KINDS = list(itertools.product((torch.float64, torch.complex128), (False, True), (False, True), (False, True)))


def draw(steps, batch, width, dtype=torch.float64, constant=False):
    factor = torch.randn((width,) if constant else (steps, batch, width), dtype=dtype) * 0.6
    inputs = torch.randn(steps, batch, width, dtype=dtype, requires_grad=True)
    initial = torch.randn(batch, width, dtype=dtype, requires_grad=True)
    mask = torch.rand(steps, batch) < 0.7
    return factor.requires_grad_(True), inputs, initial, mask


@pytest.mark.parametrize("dtype,constant,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, dtype, constant, masked, reverse):
    a, b, initial, mask = draw(17, 3, 5, dtype, constant)
    mask = mask if masked else None

    def step(t, h):
        return ((a if constant else a[t]) * h + b[t],)

    want = plain_loop(17, step, initial, mask, reverse)
    assert_same(kernels.diag_scan(a, b, initial, mask, reverse=reverse), want, (a, b, initial))


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
        opcheck(kernels.diag_scan.default, arguments, options, traced=dtype in (torch.float64, torch.complex128))


def test_opcheck_of_the_backward(kernels):
    a, b, initial, mask = (t.detach() for t in draw(5, 2, 7, torch.complex128))
    h, last = kernels.diag_scan(a, b, initial, mask)
    for factor in (a, a[0, 0].clone()):
        for grads in ((h.clone(), last.clone()), (h.clone(), None), (None, last.clone())):
            opcheck(kernels.diag_scan_backward.default, (factor, initial, mask, h, *grads), traced=False)


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

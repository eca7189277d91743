# SPDX-License-Identifier: GPL-3.0-or-later
"""matrix_scan through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_same, opcheck, plain_loop

KINDS = list(itertools.product((1, 3, 4, 18), (False, True), (False, True)))


def draw(steps, batch, heads, size, dtype=torch.float64):
    m = torch.eye(size, dtype=dtype) + 0.3 * torch.randn(steps, batch, heads, size, size, dtype=dtype) / size**0.5
    initial = torch.randn(batch, heads, size, size, dtype=dtype, requires_grad=True)
    mask = torch.rand(steps, batch) < 0.7
    return m.requires_grad_(True), initial, mask


@pytest.mark.parametrize("size,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, size, masked, reverse):
    m, initial, mask = draw(17, 3, 2, size)
    mask = mask if masked else None
    want = plain_loop(17, lambda t, h: (h @ m[t],), initial, mask, reverse)
    assert_same(kernels.matrix_scan(m, initial, mask, reverse=reverse), want, (m, initial))


@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_gradcheck(kernels, masked, reverse):
    m, initial, mask = draw(4, 2, 2, 3)

    def scan(m, initial):
        return kernels.matrix_scan(m, initial, mask if masked else None, reverse=reverse)

    assert torch.autograd.gradcheck(scan, (m, initial))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, dtype):
    m, initial, mask = draw(5, 2, 3, 4, dtype)
    for arguments, options in (((m, initial, mask), {"reverse": True}), ((m,), {}), ((m, None, mask), {}), ((m[:0], initial), {})):
        opcheck(kernels.matrix_scan.default, arguments, options, traced=dtype == torch.float64)


def test_opcheck_of_the_backward(kernels):
    m, initial, mask = (t.detach() for t in draw(5, 2, 3, 4))
    h, last = kernels.matrix_scan(m, initial, mask)
    for start in (initial, None):
        for grads in ((h.clone(), last.clone()), (h.clone(), None), (None, last.clone())):
            opcheck(kernels.matrix_scan_backward.default, (m, start, mask, h, *grads), traced=False)


def test_errors_name_the_argument(kernels):
    m, initial, _ = draw(5, 2, 3, 4)
    with pytest.raises(RuntimeError, match=r"initial has shape \[2, 3, 4, 4\], expected \[2, 2, 4, 4\]"):
        kernels.matrix_scan(m[:, :, :2], initial)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The product of dense layers, whichever library makes it, against torch's."""

import pytest
import torch
from torch.nn.functional import linear

from scans import assert_captured_whole


@pytest.mark.parametrize("rows", ((1,), (33, 2), (0, 2), (40,)))
@pytest.mark.parametrize("biased", (False, True))
@pytest.mark.parametrize("dtype", (torch.float, torch.double))
def test_as_torch(kernels, rows, biased, dtype):
    x, weight = torch.randn(*rows, 5, dtype=dtype, requires_grad=True), torch.randn(7, 5, dtype=dtype, requires_grad=True)
    bias = torch.randn(7, dtype=dtype, requires_grad=True) if biased else None
    inputs = [x, weight, *([bias] if biased else [])]
    got, want = kernels.dense_product(x, weight, bias), linear(x, weight, bias)
    cotangent = torch.randn_like(want)
    for g, w in zip((got, *torch.autograd.grad(got, inputs, cotangent)), (want, *torch.autograd.grad(want, inputs, cotangent)), strict=True):
        torch.testing.assert_close(g, w, rtol=1e-5, atol=1e-5)


def test_opcheck_and_capture(kernels):
    x, weight, bias = (torch.randn(*sizes, requires_grad=True) for sizes in ((20, 2, 5), (7, 5), (7,)))
    torch.library.opcheck(kernels.dense_product.default, (x, weight, bias))
    assert_captured_whole(lambda *inputs: kernels.dense_product(*inputs).square().sum(), [x, weight, bias])

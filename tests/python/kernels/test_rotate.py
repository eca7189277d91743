# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotary positions against the same in torch's words."""

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck


def by_torch(heads, cos, sin):
    first, second = heads.chunk(2, -1)
    c, s = cos.unsqueeze(1), sin.unsqueeze(1)
    return torch.cat([first * c - second * s, first * s + second * c], -1)


def trial(batch, angles, steps=5, heads=3, n=34, dtype=torch.double):
    turns = torch.randn(angles, steps, n // 2, dtype=dtype)
    return torch.randn(batch, heads, steps, n, dtype=dtype, requires_grad=True), turns.cos(), turns.sin()


@pytest.mark.parametrize("batch, angles", [(1, 1), (4, 1), (4, 4), (0, 1)])
def test_values_and_gradients(kernels, batch, angles):
    heads, cos, sin = trial(batch, angles)
    assert_same([kernels.rotate(heads, cos, sin)], [by_torch(heads, cos, sin)], [heads])


def test_derivatives_of_any_order(kernels):
    heads, cos, sin = trial(2, 1, n=6)
    assert torch.autograd.gradgradcheck(lambda x: kernels.rotate(x, cos, sin), heads)


def test_heads_of_one_projection(kernels):
    """As attention has them: steps first, the parts side by side."""
    whole = torch.randn(6, 2, 3 * 24, dtype=torch.double, requires_grad=True)
    _, cos, sin = trial(2, 1, steps=6, n=8)
    heads = whole.transpose(0, 1).chunk(3, -1)[1].unflatten(-1, (3, 8)).transpose(1, 2)
    assert_same([kernels.rotate(heads, cos, sin)], [by_torch(heads, cos, sin)], [whole])


def test_back_undoes_it(kernels):
    heads, cos, sin = trial(2, 1)
    torch.testing.assert_close(kernels.rotate(kernels.rotate(heads, cos, sin), cos, sin, back=True), heads)


def test_opcheck_and_capture(kernels):
    heads, cos, sin = trial(2, 1, dtype=torch.float)
    opcheck(kernels.rotate.default, (heads, cos, sin))
    assert_captured_whole(lambda x: kernels.rotate(x, cos, sin).square().sum(), [heads])


def test_wrong_angles_are_refused(kernels):
    heads, cos, sin = trial(2, 1)
    with pytest.raises(RuntimeError, match=r"rotate: sin has shape \[1, 4, 17\], expected \[1, 5, 17\]"):
        kernels.rotate(heads, cos, sin[:, 1:])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Causal attention of a window against torch's scaled_dot_product_attention."""

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck


def turned(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


def by_torch(qkv, heads, cos=None, sin=None):
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in qkv.transpose(0, 1).chunk(3, -1))
    if cos is not None:
        q, k = turned(q, cos, sin), turned(k, cos, sin)
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return y.permute(2, 0, 1, 3).flatten(2)


def trial(steps=5, batch=2, heads=3, features=6, dtype=torch.double):
    angles = torch.randn(1, steps, features // 2, dtype=dtype)
    return torch.randn(steps, batch, 3 * heads * features, dtype=dtype, requires_grad=True), heads, angles.cos(), angles.sin()


@pytest.mark.parametrize("steps, batch, heads, features", [(1, 1, 1, 2), (5, 2, 3, 6), (65, 1, 2, 34), (130, 3, 1, 16), (4, 0, 1, 2)])
def test_values_and_gradients(kernels, steps, batch, heads, features):
    qkv, heads, cos, sin = trial(steps, batch, heads, features)
    assert_same([kernels.causal_attention(qkv, heads, cos, sin)], [by_torch(qkv, heads, cos, sin)], [qkv])
    assert_same([kernels.causal_attention(qkv, heads)], [by_torch(qkv, heads)], [qkv])


def test_gradient_by_differences(kernels):
    qkv, heads, cos, sin = trial()
    assert torch.autograd.gradcheck(lambda x: kernels.causal_attention(x, heads, cos, sin), qkv)


def test_single_precision(kernels):
    qkv, heads, cos, sin = trial(200, 2, 2, 64, torch.float)
    exact = by_torch(qkv.double(), heads, cos.double(), sin.double())
    torch.testing.assert_close(kernels.causal_attention(qkv, heads, cos, sin).double(), exact, rtol=1e-5, atol=1e-5)


def test_opcheck_and_capture(kernels):
    qkv, heads, cos, sin = trial(dtype=torch.float)
    opcheck(kernels.causal_attention.default, (qkv, heads, cos, sin))
    assert_captured_whole(lambda x: kernels.causal_attention(x, heads, cos, sin).square().sum(), [qkv])


def test_what_does_not_fit_is_refused(kernels):
    qkv, heads, cos, sin = trial()
    with pytest.raises(RuntimeError, match=r"causal_attention: cos has shape \[1, 4, 3\], expected \[1, 5, 3\]"):
        kernels.causal_attention(qkv, heads, cos[:, 1:], sin)
    with pytest.raises(RuntimeError, match="causal_attention: cos and sin go together"):
        kernels.causal_attention(qkv, heads, cos)

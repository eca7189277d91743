# SPDX-License-Identifier: GPL-3.0-or-later
"""gru_steps against torch.nn.GRU and through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck, plain_loop

CONVENTIONS = ("reset_after", "reset_before", "reset_before_inverted_z")
KINDS = list(itertools.product(CONVENTIONS, (False, True), (False, True)))


def draw(steps, batch, width, dtype=torch.float64):
    u = torch.randn(steps, batch, 3 * width, dtype=dtype, requires_grad=True)
    weight = (torch.randn(3 * width, width, dtype=dtype) / width**0.5).requires_grad_(True)
    bias = torch.randn(width, dtype=dtype, requires_grad=True)
    initial = torch.randn(batch, width, dtype=dtype, requires_grad=True)
    return u, weight, bias, initial, torch.rand(steps, batch) < 0.7


def inside(convention, bias):
    """The bias of n stands inside the gated product, or nowhere."""
    return bias if convention == "reset_after" else None


def gru_step(convention, u, h, weight, bias):
    (u_r, u_z, u_n), (w_r, w_z, w_n) = u.chunk(3, -1), weight.chunk(3)
    r, z = torch.sigmoid(u_r + h @ w_r.T), torch.sigmoid(u_z + h @ w_z.T)
    n = torch.tanh(u_n + (r * (h @ w_n.T + bias) if convention == "reset_after" else (r * h) @ w_n.T))
    z = 1 - z if convention == "reset_before_inverted_z" else z
    return z * h + (1 - z) * n


@pytest.mark.parametrize("convention,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, convention, masked, reverse):
    u, weight, bias, initial, mask = draw(17, 7, 45)
    mask = mask if masked else None
    want = plain_loop(17, lambda t, h: (gru_step(convention, u[t], h, weight, bias),), initial, mask, reverse)
    got = kernels.gru_steps(u, weight, inside(convention, bias), initial, mask, convention=convention, reverse=reverse)
    leaves = (u, weight, initial, bias) if convention == "reset_after" else (u, weight, initial)
    assert_same(got[:2], want, leaves)


def test_equals_torchs_layer(kernels):
    layer = torch.nn.GRU(5, 6, dtype=torch.float64)
    x, initial = torch.randn(9, 3, 5, dtype=torch.float64), torch.randn(3, 6, dtype=torch.float64)
    hoisted = layer.bias_ih_l0 + torch.nn.functional.pad(layer.bias_hh_l0[:12], (0, 6))
    u = torch.nn.functional.linear(x, layer.weight_ih_l0, hoisted)
    y, last = layer(x, initial[None])
    got = kernels.gru_steps(u, layer.weight_hh_l0, layer.bias_hh_l0[12:], initial)
    assert_same(got[:2], (y, last[0]), (layer.weight_hh_l0, layer.weight_ih_l0, layer.bias_hh_l0, layer.bias_ih_l0))


@pytest.mark.parametrize("convention,masked,reverse", KINDS)
def test_gradcheck(kernels, convention, masked, reverse):
    u, weight, bias, initial, mask = draw(4, 2, 3)

    def steps(u, weight, bias, initial):
        return kernels.gru_steps(u, weight, inside(convention, bias), initial, mask if masked else None,
                                 convention=convention, reverse=reverse)[:2]

    assert torch.autograd.gradcheck(steps, (u, weight, bias, initial))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, dtype):
    u, weight, bias, initial, mask = draw(5, 2, 4, dtype)
    for arguments, options in (((u, weight, bias, initial, mask), {"reverse": True}), ((u, weight), {}),
                               ((u, weight, None, initial, mask), {"convention": "reset_before"}),
                               ((u[:0], weight, bias, initial), {})):
        opcheck(kernels.gru_steps.default, arguments, options, traced=dtype == torch.float64)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_opcheck_of_the_backward(kernels, convention):
    u, weight, bias, initial, mask = (t.detach() for t in draw(5, 2, 4))
    h, last, kept = kernels.gru_steps(u, weight, inside(convention, bias), initial, mask, convention=convention)
    for start in (initial, None):
        for grads in ((h.clone(), last.clone()), (h.clone(), None), (None, last.clone())):
            opcheck(kernels.gru_steps_backward.default, (weight, start, mask, h, kept, *grads), {"convention": convention}, traced=False)


def test_is_captured_whole(kernels):
    u, weight, bias, initial, mask = draw(5, 2, 4)
    assert_captured_whole(lambda *leaves: kernels.gru_steps(*leaves, mask)[0].sum(), (u, weight, bias, initial))


def test_errors_name_the_argument(kernels):
    u, weight, bias, initial, _ = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"weight has shape \[3, 4\], expected \[12, 4\]"):
        kernels.gru_steps(u, weight[:3], bias, initial)
    with pytest.raises(RuntimeError, match='convention is "cho", expected one of reset_after, reset_before'):
        kernels.gru_steps(u, weight, None, initial, convention="cho")

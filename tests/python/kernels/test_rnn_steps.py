# SPDX-License-Identifier: GPL-3.0-or-later
"""rnn_steps against torch.nn.RNN and through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck, plain_loop

KINDS = list(itertools.product(("tanh", "relu"), (False, True), (False, True)))


def draw(steps, batch, width, dtype=torch.float64):
    u = torch.randn(steps, batch, width, dtype=dtype, requires_grad=True)
    weight = (torch.randn(width, width, dtype=dtype) / width**0.5).requires_grad_(True)
    initial = torch.randn(batch, width, dtype=dtype, requires_grad=True)
    return u, weight, initial, torch.rand(steps, batch) < 0.7


@pytest.mark.parametrize("activation,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, activation, masked, reverse):
    u, weight, initial, mask = draw(17, 7, 70)
    mask = mask if masked else None
    act = getattr(torch, activation)
    want = plain_loop(17, lambda t, h: (act(u[t] + h @ weight.T),), initial, mask, reverse)
    got = kernels.rnn_steps(u, weight, initial, mask, activation=activation, reverse=reverse)
    assert_same(got, want, (u, weight, initial))


@pytest.mark.parametrize("activation", ("tanh", "relu"))
def test_equals_torchs_layer(kernels, activation):
    layer = torch.nn.RNN(5, 6, nonlinearity=activation, dtype=torch.float64)
    x, initial = torch.randn(9, 3, 5, dtype=torch.float64), torch.randn(3, 6, dtype=torch.float64)
    u = torch.nn.functional.linear(x, layer.weight_ih_l0, layer.bias_ih_l0 + layer.bias_hh_l0)
    y, last = layer(x, initial[None])
    got = kernels.rnn_steps(u, layer.weight_hh_l0, initial, activation=activation)
    assert_same(got, (y, last[0]), (layer.weight_hh_l0, layer.weight_ih_l0, layer.bias_hh_l0))


@pytest.mark.parametrize("activation,masked,reverse", KINDS)
def test_gradcheck(kernels, activation, masked, reverse):
    u, weight, initial, mask = draw(4, 2, 3)

    def steps(u, weight, initial):
        return kernels.rnn_steps(u, weight, initial, mask if masked else None, activation=activation, reverse=reverse)

    assert torch.autograd.gradcheck(steps, (u, weight, initial))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, dtype):
    u, weight, initial, mask = draw(5, 2, 4, dtype)
    for arguments, options in (((u, weight, initial, mask), {"reverse": True}), ((u, weight), {"activation": "relu"}),
                               ((u, weight, None, mask), {}), ((u[:0], weight, initial), {})):
        opcheck(kernels.rnn_steps.default, arguments, options, traced=dtype == torch.float64)


def test_opcheck_of_the_backward(kernels):
    u, weight, initial, mask = (t.detach() for t in draw(5, 2, 4))
    h, last = kernels.rnn_steps(u, weight, initial, mask)
    for start in (initial, None):
        for grads in ((h.clone(), last.clone()), (h.clone(), None), (None, last.clone())):
            opcheck(kernels.rnn_steps_backward.default, (weight, start, mask, h, *grads), traced=False)


def test_is_captured_whole(kernels):
    u, weight, initial, mask = draw(5, 2, 4)
    assert_captured_whole(lambda u, weight, initial: kernels.rnn_steps(u, weight, initial, mask)[0].sum(), (u, weight, initial))


def test_errors_name_the_argument(kernels):
    u, weight, initial, _ = draw(5, 2, 4)
    with pytest.raises(RuntimeError, match=r"weight has shape \[3, 4\], expected \[4, 4\]"):
        kernels.rnn_steps(u, weight[:3], initial)
    with pytest.raises(RuntimeError, match='activation is "silu", expected tanh or relu'):
        kernels.rnn_steps(u, weight, initial, activation="silu")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole layers that torch.nn has: RNN, LSTM, and the GRU with its reset gate after or before the product with the state.

The weights are torch.nn's, (gates H, in) and (gates H, H) with a bias each. The loops make the product with x once for all steps. Cho's GRU (2014)
resets the state before the product; torch.nn has no such layer, so its GRU stands beside it as a yardstick of the same size.
"""

import math

import torch
from torch import nn
from torch.nn.functional import linear

from case import Case, Form, Prepared, form, leaves_of, our_product, ours, products_alone
from kinds import TORCH, UNROLL
from recurrence import Recurrence


def zeros(states):
    def begin(sequences, weights):
        x, units = sequences[0], weights[1].shape[1]
        return tuple(x.new_zeros(x.shape[1], units) for _ in range(states))

    return begin


def stepped(step):
    """A layer from step(products with x, state, recurrent weight) -> state, whose first part is what the layer gives. Both biases are added to the
    products of all steps at once."""

    def walk(sequences, weights, state):
        weight_ih, weight_hh, bias_ih, bias_hh = weights
        outputs = []
        for a in linear(sequences[0], weight_ih, bias_ih + bias_hh).unbind(0):
            state = step(a, state, weight_hh)
            outputs.append(state[0])
        return torch.stack(outputs), state

    return walk


def gru_walk(sequences, weights, state):
    """The state's bias of the candidate stays apart: the reset gate acts on it too."""
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    (h,), outputs = state, []
    for a in linear(sequences[0], weight_ih, bias_ih).unbind(0):
        a_r, a_z, a_n = a.chunk(3, 1)
        q_r, q_z, q_n = linear(h, weight_hh, bias_hh).chunk(3, 1)
        r, z = torch.sigmoid(a_r + q_r), torch.sigmoid(a_z + q_z)
        h = torch.lerp(torch.tanh(torch.addcmul(a_n, r, q_n)), h, z)
        outputs.append(h)
    return torch.stack(outputs), (h,)


def rnn_step(a, state, weight):
    return (torch.tanh(torch.addmm(a, state[0], weight.t())),)


def lstm_step(a, state, weight):
    h, c = state
    i, f, g, o = torch.addmm(a, h, weight.t()).chunk(4, 1)
    c = torch.addcmul(torch.sigmoid(f) * c, torch.sigmoid(i), torch.tanh(g))
    return torch.sigmoid(o) * torch.tanh(c), c


def gru_reset_before_step(a, state, weight):
    (h,) = state
    gates = 2 * h.shape[1]
    a_r, a_z, a_n = a.chunk(3, 1)
    q_r, q_z = linear(h, weight[:gates]).chunk(2, 1)
    r, z = torch.sigmoid(a_r + q_r), torch.sigmoid(a_z + q_z)
    return (torch.lerp(torch.tanh(torch.addmm(a_n, r * h, weight[gates:].t())), h, z),)


def torch_layer(kind, **more):
    def prepare(inputs):
        x, weight_ih, weight_hh, bias_ih, bias_hh = leaves_of(inputs)
        layer = kind(x.shape[-1], weight_hh.shape[1])
        with torch.no_grad():
            for own, given in zip(layer.parameters(), (weight_ih, weight_hh, bias_ih, bias_hh), strict=True):
                own.copy_(given)
        return Prepared(lambda: layer(x)[0], [x, *layer.parameters()])

    return Form(f"nn.{kind.__name__}", TORCH, prepare, **more)


# Ours: what the blocks nodes/rnn and nodes/gru call.


def our_rnn(op, x, weight_ih, weight_hh, bias_ih, bias_hh):
    return op(our_product(x, weight_ih, bias_ih + bias_hh), weight_hh)[0]


def our_gru(op, x, weight_ih, weight_hh, bias_ih, bias_hh):
    units = weight_hh.shape[1]
    gates, candidate = bias_hh.split([2 * units, units])
    hoisted = bias_ih + torch.cat((gates, torch.zeros_like(candidate)))
    return op(our_product(x, weight_ih, hoisted), weight_hh, candidate, keeps=torch.is_grad_enabled())[0]


def our_gru_reset_before(op, x, weight_ih, weight_hh, bias_ih, bias_hh):
    u = our_product(x, weight_ih, bias_ih + bias_hh)
    return op(u, weight_hh, convention="reset_before", keeps=torch.is_grad_enabled())[0]


def our_lstm(x, *weights):
    """ATen's own, as the block nodes/lstm calls it: there is nothing to gain beside oneDNN's."""
    state = x.new_zeros(1, x.shape[1], weights[1].shape[1])
    return torch.lstm(x, (state, state), weights, True, 1, 0.0, torch.is_grad_enabled(), False, False)[0]


def case(name, size, gates, states, walk, forms):
    width = size[-1]
    definition = Recurrence(1, zeros(states), walk)

    def draw():
        shapes = (gates * width, width), (gates * width, width), (gates * width,), (gates * width,)
        return [torch.randn(size), *((torch.rand(shape) * 2 - 1) / math.sqrt(width) for shape in shapes)]

    products = products_alone(lambda x, weight_ih, weight_hh, *_: (x, torch.cat((weight_ih, weight_hh))))
    return Case(name, size, draw, definition.loop, [*forms, *definition.forms(size[0]), products])


def cases(sizes):
    for size in sizes.layers:
        yield case("RNN layer", size, 1, 1, stepped(rnn_step), [ours("rnn_steps", our_rnn), torch_layer(nn.RNN)])
        yield case("GRU layer", size, 3, 1, gru_walk, [ours("gru_steps", our_gru), torch_layer(nn.GRU)])
        yield case("GRU layer, reset before", size, 3, 1, stepped(gru_reset_before_step),
                   [ours("gru_steps", our_gru_reset_before), torch_layer(nn.GRU, same_values=False)])
        yield case("LSTM layer", size, 4, 2, stepped(lstm_step), [form("Unroll", UNROLL, our_lstm), torch_layer(nn.LSTM)])

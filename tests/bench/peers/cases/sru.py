# SPDX-License-Identifier: GPL-3.0-or-later
"""SRU (Lei et al. 2018, arXiv:1709.02755): its recurrence alone, and a whole layer with the product before it.

    f = sigmoid(u1 + v_f c + b_f),   r = sigmoid(u2 + v_r c + b_r),   c' = f c + (1 - f) u0,   h = r c' + (1 - r) x
"""

import math

import torch
from torch.nn.functional import linear

from case import Case, Form, Prepared, from_package, leaves_of, our_product, ours, products_alone
from kinds import CPU, PACKAGE
from recurrence import Recurrence


def zero_cell(sequences, _):
    return (torch.zeros_like(sequences[0][0]),)


def walk(sequences, weights, state):
    """sequences: x (T,B,d), u (T,B,3,d); weights: (2,d) each. The gates read c of the step before."""
    x, u = sequences
    (v_f, v_r), (b_f, b_r) = (both.unbind(0) for both in weights)
    (c,), cells, resets = state, [], []
    for u0, u1, u2 in (part.unbind(1) for part in u.unbind(0)):
        f, r = torch.sigmoid(u1 + v_f * c + b_f), torch.sigmoid(u2 + v_r * c + b_r)
        c = u0 + f * (c - u0)
        cells.append(c)
        resets.append(r)
    return x + torch.stack(resets) * (torch.stack(cells) - x), (c,)


def layer_walk(sequences, weights, state):
    """sequences: x (T,B,d); weights: W (3d,d) and the recurrence's. One product for all steps, then the recurrence."""
    (x,), (weight, *gates) = sequences, weights
    # Torch.compile has no Tensor.unflatten.
    return walk((x, linear(x, weight).view(*x.shape[:-1], 3, -1)), gates, state)


SCAN = Recurrence(2, zero_cell, walk)
LAYER = Recurrence(1, zero_cell, layer_walk)


def our_scan(op, x, u, weight_c, bias):
    return op(u, weight_c, bias, x)[0]


def our_layer(op, x, weight, weight_c, bias):
    """What the block nodes/sru calls."""
    return our_scan(op, x, our_product(x, weight).unflatten(-1, (3, -1)), weight_c, bias)


def units_together(u):
    """(..., 3, d), as ours, to the package's (..., 3 d) with the parts of a unit side by side."""
    return u.transpose(-1, -2).flatten(-2)


def units_apart(u):
    return u.unflatten(-1, (-1, 3)).transpose(-1, -2)


def package_scan():
    """The package's compiled op, which it has for inference only."""

    def prepare(inputs):
        operation = from_package("sru.ops", "sru").elementwise_recurrence_inference
        x, u, weight_c, bias = (i.detach() for i in inputs)
        words = (units_together(u), x, weight_c.flatten(), bias.flatten(), torch.zeros_like(x[0]), 0, x.shape[-1], False, True, torch.ones(1))
        return Prepared(lambda: operation(*words)[0], [])

    return Form("sru (its C++ op)", PACKAGE, prepare, modes=("forward",), devices=(CPU,))


def package_layer():
    def prepare(inputs):
        x, weight, weight_c, bias = leaves_of(inputs)
        layer = from_package("sru", "sru").SRU(x.shape[-1], x.shape[-1], num_layers=1).to(x.device)
        cell = layer.rnn_lst[0]
        with torch.no_grad():
            cell.weight.copy_(units_together(weight.unflatten(0, (3, -1)).movedim(-1, 0)))
            cell.weight_c.copy_(weight_c.flatten())
            cell.bias.copy_(bias.flatten())

        def gradients(found):
            of_x, of_weight, of_weight_c, of_bias = found
            return of_x, units_apart(of_weight).movedim(0, -1).flatten(0, 1), of_weight_c.view(2, -1), of_bias.view(2, -1)

        return Prepared(lambda: layer(x)[0], [x, cell.weight, cell.weight_c, cell.bias], gradients=gradients)

    return Form("sru", PACKAGE, prepare)


def scan_case(size):
    steps, sequences, width = size
    elements = math.prod(size)

    def draw():
        return [torch.randn(size), torch.randn(steps, sequences, 3, width), torch.randn(2, width), torch.randn(2, width)]

    # Forward: u and x in, h and c out; backward: u, x, c and a gradient in, two gradients out.
    return Case("sru_scan", size, draw, SCAN.loop, [ours("sru_scan", our_scan), *SCAN.forms(steps), package_scan()],
                (24 * elements, 64 * elements))


def layer_case(size):
    width = size[-1]

    def draw():
        weight = (torch.rand(3 * width, width) * 2 - 1) * math.sqrt(3 / width)
        return [torch.randn(size), weight, torch.randn(2, width), torch.randn(2, width)]

    forms = [ours("sru_scan", our_layer), *LAYER.forms(size[0]), package_layer(), products_alone(lambda x, weight, *_: (x, weight))]
    return Case("SRU layer", size, draw, LAYER.loop, forms)


def cases(sizes):
    yield from map(scan_case, sizes.scans)
    yield from map(layer_case, sizes.layers)

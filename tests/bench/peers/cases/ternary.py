# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense layers with weights in {-1, 0, 1} and activations of 8 bits, against the float layer of the same size. Sizes are (rows, in, out)."""

import dataclasses
import itertools
import math

import torch
from torch.nn.functional import linear

from case import Case, Form, Prepared, form, leaves_of, ours
from kinds import FORMULA, TORCH, UNROLL
from recurrence import compiled

EPSILON = 1e-8


def straight_through(value, rounded):
    return value + (rounded - value).detach()


def definition(x, gain, weight):
    """RMS norm, activations in 255 steps a row, weights in three a matrix, as floats (Ma et al. 2024, arXiv:2402.17764)."""
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * gain
    steps = 127 / x.abs().amax(-1, keepdim=True).clamp(min=1e-5)
    scale = weight.abs().mean().clamp(min=1e-5)
    x = straight_through(x, (x * steps).round().clamp(-128, 127) / steps)
    return linear(x, straight_through(weight, (weight / scale).round().clamp(-1, 1) * scale))


def our_layer(op, x, gain, weight):
    return op(x, gain, weight, epsilon=EPSILON)


def dense(kind=torch.float, **more):
    """torch.nn's layer of the same size, with weights that are not rounded: a yardstick. Each call takes the next of some copies of the weight."""

    def prepare(inputs, copies=1):
        x, _, weight = leaves_of(x.to(kind) for x in inputs)
        weights = itertools.cycle([weight, *(weight.detach().clone() for _ in range(copies - 1))])
        return Prepared(lambda: linear(x, next(weights)), [x, weight])

    return Form("nn.Linear" if kind is torch.float else "nn.Linear in bf16", TORCH, prepare, same_values=False, **more)


def case(size):
    rows, width, units = size

    def draw():
        return [torch.randn(rows, width), torch.rand(width) + 0.5, torch.randn(units, width) * 0.04]

    forms = [ours("ternary_dense", our_layer), form("float definition", FORMULA, definition), compiled("float definition", definition), dense()]
    return Case("ternary product", size, draw, definition, forms)


def out_of_cache(form, copies):
    """The form with so many copies of its weight that none is still in cache when its turn comes again."""
    return dataclasses.replace(form, prepare=lambda inputs: form.prepare(inputs, copies), modes=("forward",))


def packed():
    def prepare(inputs, copies):
        ops = torch.ops.unroll
        x, gain, weight = (i.detach() for i in inputs)
        weights = itertools.cycle([ops.ternary_pack(weight) for _ in range(copies)])

        def call():
            codes, step, _ = ops.ternary_rows(x, gain, epsilon=EPSILON)
            return ops.ternary_product(codes, step, *next(weights), None, len(weight))

        return Prepared(call, [])

    return Form("Unroll", UNROLL, prepare)


def packed_case(size):
    """Weights that stay as they are: ours at two bits, read from memory. Quantising the activations is part of the call."""
    rows, width, units = size
    whole = case(size)
    numbers = width * units
    forms = [out_of_cache(packed(), copies_beyond_caches(numbers / 4)), out_of_cache(dense(), copies_beyond_caches(4 * numbers)),
             out_of_cache(dense(torch.bfloat16), copies_beyond_caches(2 * numbers))]
    return dataclasses.replace(whole, name="packed ternary product", forms=forms, bytes=(numbers // 4 + 4 * rows * (width + units), None))


def copies_beyond_caches(size):
    return math.ceil((64 << 20) / size) + 1


def cases(sizes):
    yield from map(case, sizes.dense)
    yield from map(packed_case, sizes.packed)

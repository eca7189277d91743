# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense layers with weights in {-1, 0, 1} and activations of 8 bits, against the float layer of the same size. Sizes are (rows, in, out)."""

import dataclasses
import itertools
import math

import torch
from torch.nn.functional import linear

from case import Case, Form, Prepared, form, leaves_of, ours
from kinds import COMPILED, CPU, FORMULA, TORCH, UNROLL
from recurrence import compiled, compiled_call

EPSILON = 1e-8
SMALLEST = 1e-5  # scale of a row or a matrix


def straight_through(value, rounded):
    return value + (rounded - value).detach()


def rows(x, gain):
    """The normed x, what to multiply its rows by, and the integers that they then become."""
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * gain
    steps = 127 / x.abs().amax(-1, keepdim=True).clamp(min=SMALLEST)
    return x, steps, (x * steps).round().clamp(-128, 127)


def signs(weight):
    """-1, 0 and 1, and what they stand for."""
    scale = weight.abs().mean().clamp(min=SMALLEST)
    return (weight / scale).round().clamp(-1, 1), scale


def definition(x, gain, weight):
    """RMS norm, activations in 255 steps a row, weights in three a matrix, as floats (Ma et al. 2024, arXiv:2402.17764)."""
    (x, steps, codes), (ternary, scale) = rows(x, gain), signs(weight)
    return linear(straight_through(x, codes / steps), straight_through(weight, ternary * scale))


def by_bytes(x, gain, ternary, scale):
    """The same by torch's product of bytes, which has no gradient. ternary (in, out)."""
    _, steps, codes = rows(x, gain)
    return torch._int_mm(codes.to(torch.int8), ternary) * (scale / steps)


def product_of_bytes(kind, call):
    """For weights that stay as they are."""

    def prepare(inputs):
        x, gain, weight = (i.detach() for i in inputs)
        ternary, scale = signs(weight)
        ternary = ternary.t().to(torch.int8).contiguous()
        return Prepared(lambda: call(x, gain, ternary, scale), [])

    return Form("product of bytes", kind, prepare, modes=("forward",))


def our_layer(op, x, gain, weight):
    return op(x, gain, weight, epsilon=EPSILON)


def dense(kind=torch.float, **more):
    """torch.nn's layer of the same size, with weights that are not rounded: a yardstick. Each call takes the next of some copies of the weight."""

    def prepare(inputs, copies=1):
        x, _, weight = leaves_of(x.to(kind) for x in inputs)
        weights = itertools.cycle([weight, *(weight.detach().clone() for _ in range(copies - 1))])
        return Prepared(lambda: linear(x, next(weights)), [x, weight])

    return Form("nn.Linear" if kind is torch.float else "nn.Linear in bf16", TORCH, prepare, same_values=False, **more)


def bytes_dense():
    """torch's layer with weights of 8 bits, which quantises the activations in each call: a yardstick."""

    def prepare(inputs, copies=1):
        x, _, weight = (i.detach() for i in inputs)
        narrow = torch.quantize_per_tensor(weight, float(weight.abs().max() / 127), 0, torch.qint8)
        packed = itertools.cycle([torch.ops.quantized.linear_prepack(narrow.clone(), None) for _ in range(copies)])
        return Prepared(lambda: torch.ops.quantized.linear_dynamic(x, next(packed)), [])

    return Form("nn.Linear in int8", TORCH, prepare, same_values=False, devices=(CPU,))


def case(size):
    count, width, units = size

    def draw():
        return [torch.randn(count, width), torch.rand(width) + 0.5, torch.randn(units, width) * 0.04]

    forms = [ours("ternary_dense", our_layer), form("float definition", FORMULA, definition), product_of_bytes(FORMULA, by_bytes),
             compiled("float definition", definition), product_of_bytes(COMPILED, compiled_call(by_bytes)), dense()]
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
    count, width, units = size
    whole = case(size)
    numbers = width * units
    forms = [out_of_cache(packed(), copies_beyond_caches(numbers / 4)), out_of_cache(dense(), copies_beyond_caches(4 * numbers)),
             out_of_cache(dense(torch.bfloat16), copies_beyond_caches(2 * numbers)), out_of_cache(bytes_dense(), copies_beyond_caches(numbers))]
    return dataclasses.replace(whole, name="packed ternary product", forms=forms, bytes=(numbers // 4 + 4 * count * (width + units), None))


def copies_beyond_caches(size):
    return math.ceil((64 << 20) / size) + 1


def cases(sizes):
    yield from map(case, sizes.dense)
    yield from map(packed_case, sizes.packed)

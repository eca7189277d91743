# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear recurrence h_t = a_t h_{t-1} + b_t, real and complex; the LRU's is the complex one with a constant a."""

import math

import torch

from case import Case, as_it_is, form, ours
from kinds import FORMULA, LOOP
from recurrence import Recurrence, accelerated_scan, associative, compiled, doubling, hgrn, mambapy


def zeros_of_a_step(sequences, _):
    return (torch.zeros_like(sequences[0][0]),)


def steps_of(sequences, weights):
    """a_t and b_t; a is a sequence, or where there are weights the constant among them."""
    b = sequences[-1]
    return zip(weights * len(b) if weights else sequences[0].unbind(0), b.unbind(0))


def walk(sequences, weights, state):
    (h,), states = state, []
    for a, b in steps_of(sequences, weights):
        h = torch.addcmul(b, a, h)
        states.append(h)
    return torch.stack(states), (h,)


# torch.compile makes no code for complex numbers. What it is given has real and imaginary parts in planes: (T,2,B,d)
# for (T,B,d), (2,d) for (d).


def in_planes(x):
    return torch.view_as_real(x).movedim(-1, -3 if x.dim() == 3 else 0)


def from_planes(y):
    return torch.view_as_complex(y.movedim(-3 if y.dim() == 4 else 0, -1).contiguous())


def two_zeros_of_a_step(sequences, _):
    zeros = torch.zeros_like(sequences[0][0, 0])
    return zeros, zeros


def planes_walk(sequences, weights, state):
    (re, im), planes = state, []
    for (a_re, a_im), (b_re, b_im) in steps_of(sequences, weights):
        re, im = b_re + a_re * re - a_im * im, b_im + a_re * im + a_im * re
        planes += re, im
    return torch.stack(planes).view(-1, 2, *re.shape), (re, im)  # torch.compile has no Tensor.unflatten


def planes_after(first, then):
    """affine_after of planes."""
    a_re, a_im, b_re, b_im = first
    c_re, c_im, d_re, d_im = then
    return (c_re * a_re - c_im * a_im, c_re * a_im + c_im * a_re,
            c_re * b_re - c_im * b_im + d_re, c_re * b_im + c_im * b_re + d_im)


def planes_associative(a, b):
    from torch._higher_order_ops.associative_scan import associative_scan

    *_, re, im = associative_scan(planes_after, (*a.unbind(1), *b.unbind(1)), 0, combine_mode="generic")
    return torch.stack((re, im), 1)


def planes_associative_constant(b, a):
    """The products of a are as long as the sequence, and one batch wide."""
    return planes_associative(a.expand(len(b), *a.shape).unsqueeze(2), b)


def compiled_in_planes(sequences, steps, scan):
    loops = Recurrence(sequences, two_zeros_of_a_step, planes_walk).compiled_forms(steps, in_planes, from_planes)
    return [*loops, compiled("associative_scan", scan, in_planes, from_planes)]


PER_STEP = Recurrence(2, zeros_of_a_step, walk)
CONSTANT = Recurrence(1, zeros_of_a_step, walk)


def doubling_constant(a, b):
    """The same a at every step: only its powers are needed."""
    reach = 1
    while reach < len(b):
        b = torch.cat((b[:reach], torch.addcmul(b[reach:], a, b[:-reach])))
        a, reach = a * a, 2 * reach
    return b


def convolution(a, b):
    """h as b convolved with the powers of a, by Fourier transforms (Gu et al. 2021, arXiv:2110.13985, of a diagonal system)."""
    steps = len(b)
    powers = torch.exp(torch.arange(steps, device=a.device).unsqueeze(1) * torch.log(a))
    spectrum = torch.fft.fft(b, 2 * steps, dim=0) * torch.fft.fft(powers, 2 * steps, dim=0).unsqueeze(1)
    return torch.fft.ifft(spectrum, dim=0)[:steps]


def moduli(*size):
    return torch.rand(size) * 0.1 + 0.9


def eigenvalues(*size):
    """On a ring near the unit circle, as the LRU begins (Orvieto et al. 2023)."""
    return torch.polar(moduli(*size), torch.rand(size) * 2 * math.pi)


def reals(size, kind):
    return math.prod(size) * (1 if kind is torch.float else 2)


def per_step(name, size, kind, compiled_forms, extra):
    draw_a = moduli if kind is torch.float else eigenvalues
    forms = [ours("diag_scan", lambda op, a, b: op(a, b)[0]), form("step by step", LOOP, PER_STEP.loop), *compiled_forms,
             form("Hillis-Steele", FORMULA, doubling), *extra]
    # Forward: a and b in, h out; backward: a, h and a gradient in, two gradients out.
    return Case(name, size, lambda: [draw_a(*size), torch.randn(size, dtype=kind)], PER_STEP.loop, forms,
                (12 * reals(size, kind), 32 * reals(size, kind)))


def constant(name, size, kind):
    def swapped(call):
        return lambda b, a: call(a, b)

    forms = [ours("diag_scan", lambda op, b, a: op(a, b)[0]), form("step by step", LOOP, CONSTANT.loop),
             *compiled_in_planes(1, size[0], planes_associative_constant),
             form("Hillis-Steele of powers", FORMULA, swapped(doubling_constant)), form("FFT convolution", FORMULA, swapped(convolution))]
    # Forward: b in, h out; backward: h and a gradient in, one gradient out.
    return Case(name, size, lambda: [torch.randn(size, dtype=kind), eigenvalues(size[-1])], CONSTANT.loop, forms,
                (8 * reals(size, kind), 20 * reals(size, kind)))


def cases(sizes):
    for size in sizes.scans:
        real = [*PER_STEP.compiled_forms(size[0]), compiled("associative_scan", associative)]
        kernels = [mambapy(as_it_is), accelerated_scan(as_it_is), *hgrn(lambda scan: lambda a, b: scan(a.log(), b))]
        yield per_step("diag_scan", size, torch.float, real, kernels)
        yield constant("complex_scan constant", size, torch.cfloat)
        yield per_step("complex_scan per step", size, torch.cfloat, compiled_in_planes(2, size[0], planes_associative), [])

# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear recurrence h_t = a_t h_{t-1} + b_t, real and complex; the LRU's is the complex one with a constant a."""

import math

import torch

from case import Case, form, ours
from kinds import FORMULA
from recurrence import Recurrence, associative, compiled, doubling, mambapy


def zeros_of_a_step(sequences, _):
    return (torch.zeros_like(sequences[0][0]),)


def walk(sequences, weights, state):
    """a is a sequence, or where there are weights the constant among them."""
    b, (h,), states = sequences[-1], state, []
    for a_t, b_t in zip(weights * len(b) if weights else sequences[0].unbind(0), b.unbind(0)):
        h = torch.addcmul(b_t, a_t, h)
        states.append(h)
    return torch.stack(states), (h,)


def complex_after(first, then):
    """affine_after in real and imaginary parts: torch.compile makes no code for complex numbers."""
    a_re, a_im, b_re, b_im = first
    c_re, c_im, d_re, d_im = then
    return (c_re * a_re - c_im * a_im, c_re * a_im + c_im * a_re,
            c_re * b_re - c_im * b_im + d_re, c_re * b_im + c_im * b_re + d_im)


def complex_associative(a, b):
    from torch._higher_order_ops.associative_scan import associative_scan

    planes = [*torch.view_as_real(a.expand_as(b)).unbind(-1), *torch.view_as_real(b).unbind(-1)]
    *_, re, im = associative_scan(complex_after, tuple(x.contiguous() for x in planes), 0, combine_mode="generic")
    return torch.complex(re, im)


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
    powers = torch.exp(torch.arange(steps).unsqueeze(1) * torch.log(a))
    spectrum = torch.fft.fft(b, 2 * steps, dim=0) * torch.fft.fft(powers, 2 * steps, dim=0).unsqueeze(1)
    return torch.fft.ifft(spectrum, dim=0)[:steps]


def moduli(*size):
    return torch.rand(size) * 0.1 + 0.9


def eigenvalues(*size):
    """On a ring near the unit circle, as the LRU begins (Orvieto et al. 2023)."""
    return torch.polar(moduli(*size), torch.rand(size) * 2 * math.pi)


def reals(size, kind):
    return math.prod(size) * (1 if kind is torch.float else 2)


def per_step(name, size, kind, extra):
    definition = Recurrence(2, zeros_of_a_step, walk)
    draw_a = moduli if kind is torch.float else eigenvalues
    forms = [ours("diag_scan", lambda op, a, b: op(a, b)[0]), *definition.forms(), form("Hillis-Steele", FORMULA, doubling), *extra]
    # Forward: a and b in, h out; backward: a, h and a gradient in, two gradients out.
    return Case(name, size, lambda: [draw_a(*size), torch.randn(size, dtype=kind)], definition.loop, forms,
                (12 * reals(size, kind), 32 * reals(size, kind)))


def constant(name, size, kind):
    definition = Recurrence(1, zeros_of_a_step, walk)

    def swapped(call):
        return lambda b, a: call(a, b)

    forms = [ours("diag_scan", lambda op, b, a: op(a, b)[0]), *definition.forms(),
             compiled("associative_scan", swapped(complex_associative)),
             form("Hillis-Steele of powers", FORMULA, swapped(doubling_constant)), form("FFT convolution", FORMULA, swapped(convolution))]
    # Forward: b in, h out; backward: h and a gradient in, one gradient out.
    return Case(name, size, lambda: [torch.randn(size, dtype=kind), eigenvalues(size[-1])], definition.loop, forms,
                (8 * reals(size, kind), 20 * reals(size, kind)))


def cases(sizes):
    for size in sizes.scans:
        yield per_step("diag_scan", size, torch.float, [compiled("associative_scan", associative), mambapy(lambda scan: scan)])
        yield constant("complex_scan constant", size, torch.cfloat)
        yield per_step("complex_scan per step", size, torch.cfloat, [compiled("associative_scan", complex_associative)])

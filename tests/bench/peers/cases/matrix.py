# SPDX-License-Identifier: GPL-3.0-or-later
"""H_t = H_{t-1} M_t, matrices of n rows from the identity on: the MRU's. Sizes are (sequences, heads, steps, n).

The matrices are orthogonal, so that long products stay bounded. All forms read them time-major, (T, B, heads, n, n).
"""

import math

import torch

from case import Case, form, ours
from kinds import FORMULA
from recurrence import Recurrence, compiled


def identity(sequences, _):
    m = sequences[0][0]
    return (torch.eye(m.shape[-1], dtype=m.dtype, device=m.device).expand_as(m),)


def walk(sequences, _, state):
    (h,), states = state, []
    for m in sequences[0].unbind(0):
        h = h @ m
        states.append(h)
    return torch.stack(states), (h,)


def doubling(m):
    """Hillis and Steele 1986: in the round of reach r every step takes in the product that ends r steps before it."""
    reach = 1
    while reach < len(m):
        m = torch.cat((m[:reach], m[:-reach] @ m[reach:]))
        reach *= 2
    return m


def associative_products(m):
    from torch._higher_order_ops.associative_scan import associative_scan

    return associative_scan(torch.matmul, m, 0, combine_mode="generic")


def brent_kung_(count, combine):
    """Brent and Kung 1982 over `count` places: combine(left, right) folds the places `left` into the places `right`, slices both."""
    reach = 1
    while 2 * reach <= count:
        combine(slice(reach - 1, count - reach, 2 * reach), slice(2 * reach - 1, count, 2 * reach))
        reach *= 2
    while reach:
        combine(slice(2 * reach - 1, count - reach, 2 * reach), slice(3 * reach - 1, count, 2 * reach))
        reach //= 2


class BrentKung(torch.autograd.Function):
    """The tree of 2 T products in place of T log T; its backward pass is such a tree too, walked from the end.

    With g the gradient that arrives at h: c_t = g_t + c_{t+1} m_{t+1}^T, so pairs (m^T, g) are combined, and dm_t = h_{t-1}^T c_t.
    """

    @staticmethod
    def forward(context, m):
        h = m.clone()

        def combine(left, right):
            h[right] = h[left] @ h[right]

        brent_kung_(len(h), combine)
        context.save_for_backward(m, h)
        return h

    @staticmethod
    def backward(context, gradient):
        m, h = context.saved_tensors
        c = gradient.flip(0)
        # From the step after, which the flip puts before.
        through = torch.cat((torch.zeros_like(m[:1]), m[1:].flip(0))).mT.contiguous()

        def combine(left, right):
            c[right].add_(c[left] @ through[right])
            through[right] = through[left] @ through[right]

        brent_kung_(len(c), combine)
        c = c.flip(0)
        return torch.cat((c[:1], h[:-1].mT @ c[1:]))


def case(size):
    sequences, heads, steps, n = size
    definition = Recurrence(1, identity, walk)
    elements = math.prod(size) * n

    def draw():
        return [torch.linalg.qr(torch.randn(steps, sequences, heads, n, n))[0].contiguous()]

    forms = [ours("matrix_scan", lambda op, m: op(m)[0]), *definition.forms(steps), compiled("associative_scan", associative_products),
             form("Brent-Kung", FORMULA, BrentKung.apply), form("Hillis-Steele", FORMULA, doubling)]
    # Forward: m in, h out; backward: m, h and a gradient in, one gradient out.
    return Case("matrix_scan", size, draw, definition.loop, forms, (8 * elements, 24 * elements))


def cases(sizes):
    return map(case, sizes.matrices)

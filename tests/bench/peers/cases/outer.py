# SPDX-License-Identifier: GPL-3.0-or-later
"""S_t = a_t S_{t-1} + k_t v_t^T, y_t = S_t^T q_t from S = 0 on, with a factor for each head, or for each of its n keys: the recurrence of linear attention,
RetNet and Mamba-2, and that of GLA. Sizes are (sequences, heads, steps, n), n keys and n values. All forms read time-major, (T, B, heads, n)."""

import math

import torch

from case import Case, form, ours
from fla_forms import naive_form
from kinds import FORMULA
from recurrence import Recurrence

CHUNK = 64


def zeros(sequences, _):
    q, _, v, _ = (x[0] for x in sequences)
    return (q.new_zeros(*q.shape, v.shape[-1]),)


def walk(sequences, _, state):
    (S,), read = state, []
    for q, k, v, a in zip(*(x.unbind(0) for x in sequences)):
        S = a.view(*a.shape[:2], -1, 1) * S + k.unsqueeze(-1) * v.unsqueeze(-2)
        read.append((q.unsqueeze(-2) @ S).squeeze(-2))
    return torch.stack(read), (S,)


def in_chunks(q, k, v, a):
    """Dao and Gu 2024, listing 1: masked products within a chunk, the state between them."""
    (S,), read = zeros((q, k, v, a), ()), []
    for q_, k_, v_, a_ in zip(*(x.split(CHUNK) for x in (q, k, v, a))):
        q_, k_, v_, fading = q_.permute(1, 2, 0, 3), k_.permute(1, 2, 0, 3), v_.permute(1, 2, 0, 3), a_.log().cumsum(0).permute(1, 2, 0)
        mask = (fading.unsqueeze(-1) - fading.unsqueeze(-2)).tril().exp().tril()
        y = (q_ @ k_.mT * mask) @ v_ + (q_ * fading.exp().unsqueeze(-1)) @ S
        end = fading[..., -1:]
        S = end.exp().unsqueeze(-1) * S + (k_ * (end - fading).exp().unsqueeze(-1)).mT @ v_
        read.append(y.permute(2, 0, 1, 3))
    return torch.cat(read)


def all_at_once(q, k, v, a):
    """Attention of every step to every one before it, without a softmax."""
    q, k, v, fading = q.permute(1, 2, 0, 3), k.permute(1, 2, 0, 3), v.permute(1, 2, 0, 3), a.log().cumsum(0).permute(1, 2, 0)
    mask = (fading.unsqueeze(-1) - fading.unsqueeze(-2)).tril().exp().tril()
    return ((q @ k.mT * mask) @ v).permute(2, 0, 1, 3)


def of_heads(name):
    return lambda naive: lambda q, k, v, a: getattr(naive("simple_gla"), name)(q, k, v, a.log(), scale=1.0)[0]


def keys_in_steps(naive):
    """Its scale of q is given."""
    return lambda q, k, v, a: naive("gla").naive_recurrent_gla(q * q.shape[-1] ** 0.5, k, v, a.log())[0]


PACKAGES = [naive_form("simple_gla in chunks", of_heads("naive_chunk_simple_gla")),
            naive_form("simple_gla all steps at once", of_heads("naive_parallel_simple_gla"))]
PACKAGES_OF_KEYS = [naive_form("gla step by step", keys_in_steps)]


def case(size, of_keys):
    sequences, heads, steps, n = size
    definition = Recurrence(4, zeros, walk)

    def draw():
        shape = (steps, sequences, heads, n)
        q, k, v = (torch.randn(*shape) / n**0.25 for _ in range(3))
        return [q, k, v, 0.8 + 0.2 * torch.rand(*(shape if of_keys else shape[:-1]))]

    forms = [ours("outer_scan", lambda op, *given: op(*given)[0]), *definition.forms(steps)]
    if not of_keys:
        forms += [form(f"{CHUNK}-step chunks", FORMULA, in_chunks), form("all steps at once", FORMULA, all_at_once)]
    forms += PACKAGES_OF_KEYS if of_keys else PACKAGES
    # Forward: q, k and v in, y out; backward: three in with a gradient, three gradients out. Bound by products where n
    # is large.
    return Case("outer_scan" + (" of keys" if of_keys else ""), size, draw, definition.loop, forms, (16 * math.prod(size), 44 * math.prod(size)))


def cases(sizes):
    return [case(size, of_keys) for size in sizes.outers for of_keys in (False, True)]

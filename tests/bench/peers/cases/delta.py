# SPDX-License-Identifier: GPL-3.0-or-later
"""S_t = w_t S_{t-1} + b_t (S_{t-1}^T z_t)^T + k_t v_t^T, y_t = S_t^T q_t from S = 0 on. The gated delta rule: a decay w for each head, b = k and z = -w beta k;
and the general form of RWKV-7: w for each of the n keys, z and b of their own. Sizes are (sequences, heads, steps, n), n keys and n values. All forms read
time-major, (T, B, heads, n)."""

import math

import torch
import torch.nn.functional as F

from case import Case, form, ours
from fla_forms import dplr, heads_first, heads_last, naive_form
from kinds import FORMULA
from recurrence import Recurrence

CHUNK = 64


def zeros(sequences, _):
    q, _, v, *_ = (x[0] for x in sequences)
    return (q.new_zeros(*q.shape, v.shape[-1]),)


def walk_rule(sequences, _, state):
    (S,), read = state, []
    for q, k, v, beta, w in zip(*(x.unbind(0) for x in sequences)):
        S = w.view(*w.shape, 1, 1) * S
        S = S + k.unsqueeze(-1) * (beta.unsqueeze(-1) * (v - (k.unsqueeze(-2) @ S).squeeze(-2))).unsqueeze(-2)
        read.append((q.unsqueeze(-2) @ S).squeeze(-2))
    return torch.stack(read), (S,)


def walk_general(sequences, _, state):
    (S,), read = state, []
    for q, k, v, z, b, w in zip(*(x.unbind(0) for x in sequences)):
        S = w.unsqueeze(-1) * S + b.unsqueeze(-1) * (z.unsqueeze(-2) @ S) + k.unsqueeze(-1) * v.unsqueeze(-2)
        read.append((q.unsqueeze(-2) @ S).squeeze(-2))
    return torch.stack(read), (S,)


def in_chunks(q, k, v, beta, w):
    """Yang et al. 2025, arXiv:2412.06464, section 3.3: the WY form within a chunk, by a triangular solve, the state between chunks."""
    (S,), read = zeros((q, k, v), ()), []
    for parts in zip(*(x.split(CHUNK) for x in (q, k, v, beta, w))):
        q_, k_, v_, beta_, fading = (x.permute(1, 2, 0, *range(3, x.dim())) for x in parts)
        fading = fading.log().cumsum(-1)
        between = (fading.unsqueeze(-1) - fading.unsqueeze(-2)).tril().exp().tril()
        strong = k_ * beta_.unsqueeze(-1)
        system = (strong @ k_.mT * between).tril(-1) + torch.eye(k_.shape[-2], dtype=k.dtype, device=k.device)
        old = strong * fading.exp().unsqueeze(-1) @ S
        added = torch.linalg.solve_triangular(system, v_ * beta_.unsqueeze(-1) - old, upper=False, unitriangular=True)
        y = (q_ @ k_.mT * between) @ added + (q_ * fading.exp().unsqueeze(-1)) @ S
        end = fading[..., -1:]
        S = end.exp().unsqueeze(-1) * S + (k_ * (end - fading).exp().unsqueeze(-1)).mT @ added
        read.append(y.permute(2, 0, 1, 3))
    return torch.cat(read)


def rule_in_chunks(naive):
    return lambda q, k, v, beta, w: naive("gated_delta_rule").naive_chunk_gated_delta_rule(q, k, v, w.log(), beta, scale=1.0)[0]


def rule_in_steps(naive):
    return lambda q, k, v, beta, w: naive("gated_delta_rule").naive_recurrent_gated_delta_rule(q, k, v, beta, w.log(), scale=1.0)[0]


def general_by(name):
    """Its scale of q is given. Of (B,heads,T,n)."""

    def around(naive):
        scan = dplr(naive, name)
        return lambda q, k, v, z, b, w: scan(q * q.shape[-1] ** 0.5, k, v, z, b, w.log())[0]

    return around


PACKAGES = [naive_form("gated_delta_rule in chunks", rule_in_chunks), naive_form("gated_delta_rule step by step", rule_in_steps)]
PACKAGES_OF_GENERAL = [naive_form("dplr in chunks", general_by("dplr_chunkwise"), heads_first, heads_last),
                       naive_form("dplr step by step", general_by("dplr_recurrence"), heads_first, heads_last)]


def rule(size):
    sequences, heads, steps, n = size
    definition = Recurrence(5, zeros, walk_rule)

    def draw():
        shape = (steps, sequences, heads, n)
        q, k, v = (torch.randn(*shape) for _ in range(3))
        return [q / n**0.5, F.normalize(k, dim=-1), v, torch.rand(*shape[:-1]), 0.8 + 0.2 * torch.rand(*shape[:-1])]

    def kernel(op, q, k, v, beta, w):
        beta = beta.unsqueeze(-1)
        return op(q, k, v * beta, -(w.unsqueeze(-1) * beta) * k, None, w)[0]

    forms = [ours("delta_scan", kernel), *definition.forms(steps), form(f"{CHUNK}-step chunks", FORMULA, in_chunks), *PACKAGES]
    # Forward: q, k and v in, y out; backward: three in with a gradient, three gradients out. Bound by products where n
    # is large.
    return Case("delta_scan", size, draw, definition.loop, forms, (16 * math.prod(size), 44 * math.prod(size)))


def general(size):
    sequences, heads, steps, n = size
    definition = Recurrence(6, zeros, walk_general)

    def draw():
        shape = (steps, sequences, heads, n)
        q, v = (torch.randn(*shape) for _ in range(2))
        k, b = (F.normalize(torch.randn(*shape), dim=-1) for _ in range(2))
        return [q / n**0.5, k, v, -torch.rand(*shape[:-1], 1) * b, b, 0.8 + 0.2 * torch.rand(*shape)]

    forms = [ours("delta_scan", lambda op, *given: op(*given)[0]), *definition.forms(steps), *PACKAGES_OF_GENERAL]
    return Case("delta_scan general", size, draw, definition.loop, forms, (28 * math.prod(size), 80 * math.prod(size)))


def cases(sizes):
    return [make(size) for size in sizes.outers for make in (rule, general)]

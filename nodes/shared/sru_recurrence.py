# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def sru_dropout_mask(x, width, rate):
    """One mask for all steps of a sequence."""
    return x.new_empty(x.shape[1], width).bernoulli_(1 - rate) / (1 - rate)


def sru_recurrence(u0, u1, u2, skip, v, b, c, activation, dropout, mask):
    """f_t = sigmoid(u1_t + v_f c_{t-1} + b_f)        r_t = sigmoid(u2_t + v_r c_{t-1} + b_r)
    c_t = f_t c_{t-1} + (1 - f_t) u0_t             h_t = r_t (activation(c_t) - skip_t) dropout + skip_t

    u0, u1, u2, skip [T, B, d]; v, b [2, d]; c, dropout [B, d]; mask [T, B, 1]. At masked steps c is kept, and h read from it."""
    u1, u2 = (u1 + b[0]).unbind(0), (u2 + b[1]).unbind(0)
    outputs = []
    for t, (u, s) in enumerate(zip(u0.unbind(0), skip.unbind(0))):
        f = torch.sigmoid(u1[t] + v[0] * c)
        r = torch.sigmoid(u2[t] + v[1] * c)
        new = (c - u) * f + u
        c = new if mask is None else torch.where(mask[t], new, c)
        outputs.append((activation(c) - s) * dropout * r + s)
    return torch.stack(outputs), c

# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """S by the one before it, and what is read of it, by the other signals that were shown."""
    module, x, given = case.module(), case.tensors["input.x.0"], initial(case)
    heads, width = module.heads, x.shape[-1]
    n = width // heads
    start, last = (None, x.new_zeros(*x.shape[1:])) if given is None else given.split([heads * n * n, width], dim=1)
    shifted = torch.cat([last.unsqueeze(0), x[:-1]])
    xr, xw, xk, xv, xa, xg = (torch.lerp(x, shifted, getattr(module, name).expand_as(x)) for name in ("x_r", "x_w", "x_k", "x_v", "x_a", "x_g"))
    k, v = module.key(xk), module.value(xv)
    for first in case.values("input", "v_first"):
        v = torch.lerp(v, first, torch.sigmoid(module.v0 + xv @ module.v1 @ module.v2))
    signals = {
        "w": torch.exp(-math.exp(-0.5) * torch.sigmoid(module.w0 + torch.tanh(xw @ module.w1) @ module.w2)),
        "a": torch.sigmoid(module.a0 + xa @ module.a1 @ module.a2),
        "kappa": F.normalize((k * module.k_k).unflatten(-1, (heads, n)), dim=-1).flatten(2),
        "r": module.receptance(xr),
        "k": k + k * (shown["a"] - 1) * module.k_a,
        "v": v,
        "g": torch.sigmoid(xg @ module.g1) @ module.g2,
    }
    w, a, kappa, r, k, v = (shown[name].unflatten(-1, (heads, n)) for name in ("w", "a", "kappa", "r", "k", "v"))
    S = before(shown["S"], None if start is None else start.unflatten(1, (heads, n, n)))
    found = kappa.unsqueeze(-2) @ S
    signals["S"] = w.unsqueeze(-1) * S - (a * kappa).unsqueeze(-1) * found + k.unsqueeze(-1) * v.unsqueeze(-2)
    y = module.ln_x((r.unsqueeze(-2) @ shown["S"]).flatten(2).flatten(0, 1)).view_as(x)
    y = y + ((r * k * module.r_k).sum(-1, keepdim=True) * v).flatten(2)
    return signals, module.output(y * shown["g"])

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """S by the one before it, with complex numbers for pairs of rows; and what is read of it."""
    module, x, given, p = case.module(), case.tensors["input.x.0"], initial(case), case.facts["params"]
    heads, factor = p["num_heads"], p["value_factor"]
    q, k, v, g = (shown[name].unflatten(-1, (heads, -1)) for name in ("q", "k", "v", "g"))
    n = k.shape[-1]
    start = None if given is None else given.unflatten(-1, (heads, n, factor * n))
    S = shown["S"]  # [T, B, heads, n, factor n]
    old = before(S, start)
    if p["rotation"] != "none":
        half = p["rotation"] == "rope"
        pairs = old.unflatten(-2, (2, n // 2)).movedim(-3, -1) if half else old.unflatten(-2, (n // 2, 2)).movedim(-2, -1)
        places = torch.arange(n // 2, dtype=torch.float64) / (n // 2 if half else max(n // 2 - 1, 1))
        turned = torch.view_as_complex(pairs.contiguous()) * torch.exp(-1j * 1e4**-places).unsqueeze(-1)
        parts = torch.view_as_real(turned)
        old = parts.movedim(-1, -3).flatten(-3, -2) if half else parts.movedim(-1, -2).flatten(-3, -2)
    a = 1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float64)).view(-1, 1, 1)
    new = a * old + k.unsqueeze(-1) * v.unsqueeze(-2)
    o = (q.unsqueeze(-2) @ S).squeeze(-2)
    o = o - o.mean(-1, keepdim=True) if p["norm"] == "group" else o
    y = module.out_proj((o / torch.sqrt(o.square().mean(-1, keepdim=True) + 1e-6) * g).flatten(2))
    return {"S": new, "q": module.q_proj(x), "k": module.k_proj(x) / n**0.5, "v": module.v_proj(x), "g": F.silu(module.g_proj(x))}, y

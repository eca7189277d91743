# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """S by the one before it, and what is read of it, by the other signals that were shown."""
    module, x, given = case.module(), case.tensors["input.x.0"], initial(case)
    q, k, v, a, g = (shown[name].unflatten(-1, (module.heads, -1)) for name in ("q", "k", "v", "a", "g"))
    n = k.shape[-1]
    start = None if given is None else given.unflatten(-1, (module.heads, n, n))
    S = a.unsqueeze(-1) * before(shown["S"], start) + k.unsqueeze(-1) * v.unsqueeze(-2)
    y = module.o_proj((module.g_norm_swish_gate((q.unsqueeze(-2) @ shown["S"]).squeeze(-2)) * g).flatten(2))
    gate = torch.sigmoid(module.gk_proj(x)) ** (1 / module.gate_normalizer)
    return {"S": S, "a": gate, "q": module.q_proj(x) / n**0.5, "k": module.k_proj(x), "v": module.v_proj(x), "g": F.silu(module.g_proj(x))}, y

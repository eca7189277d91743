# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    """S by the one before it, and what is read of it, by the other signals that were shown."""
    module, x, given, w, p = case.module(), case.tensors["input.x.0"], initial(case), weights(case), case.facts["params"]
    q, f, i = (shown[name].unflatten(-1, (module.heads, -1)) for name in ("q", "f", "i"))
    n = q.shape[-1]
    start = None if given is None else given.unflatten(-1, (module.heads, n, n))
    S = f.unsqueeze(-1) * before(shown["S"], start) + (1 - f).unsqueeze(-1) * i.unsqueeze(-2)
    y = module.o_proj(module.g_norm((q.unsqueeze(-2) @ shown["S"]).squeeze(-2).flatten(2)))
    bound = 0.0
    if p["layer"] > 0:
        shares = torch.softmax(w["lower_bounds"], dim=0)
        bound = shares.cumsum(dim=0)[p["layer"]] - shares[0]
    q, i = module.q_proj(x), module.i_proj(x)
    q, i = (torch.sigmoid(q), F.silu(i)) if p["convention"] == "hgru" else (F.silu(q) / n**0.5, i)
    return {"S": S, "f": bound + (1 - bound) * torch.sigmoid(module.f_proj(x)), "q": q, "i": i}, y

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """S by the one before it and the keys and values that were shown; the sum of the weights is that of all keys."""
    module, x = case.module(), case.tensors["input.x.0"]
    heads, given = module.heads, initial(case)
    q, k, v = module.q_proj(x), module.k_proj(x), module.v_proj(x)
    q, k = (F.elu(a) + 1 if module.elu else a for a in (q, k))
    queries, keys, values = (shown[name].unflatten(-1, (heads, -1)) for name in ("q", "k", "v"))
    n, a = keys.shape[-1], module.factors(x)
    given = None if given is None else given.unflatten(-1, (heads, n, -1))
    S = a * before(shown["S"], None if given is None else given[..., :n]) + keys.unsqueeze(-1) * values.unsqueeze(-2)
    y = (queries.unsqueeze(-2) @ shown["S"]).squeeze(-2)
    if module.normalize:
        total, sums = torch.zeros_like(keys[0]) if given is None else given[..., n].abs(), []
        for query, key in zip(queries, keys):
            total = a.squeeze(-1) * total + key
            sums.append((query * total).sum(-1, keepdim=True))
        y = y / (torch.stack(sums) + 1e-6)
    return {"S": S, "q": q / n**0.5, "k": k, "v": v}, module.o_proj(y.flatten(2))

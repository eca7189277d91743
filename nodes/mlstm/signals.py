# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """Each by those of the step before and by the others that were shown."""
    module, x, given = case.module(), case.tensors["input.x.0"], initial(case)
    heads, d = module.heads, module.size
    cap = case.facts["params"]["gate_soft_cap"]
    capped = lambda a: cap * torch.tanh(a / cap) if cap > 0 else a
    joined = None if given is None else given[:, : heads * d * (d + 1)].view(-1, heads, d, d + 1)
    m = before(shown["m"], None if given is None else given[:, -heads:])
    q, k, v, o = (shown[name].unflatten(-1, (heads, d)) for name in ("q", "k", "v", "o"))
    write, keep = capped(module.igate_preact(x)), F.logsigmoid(capped(module.fgate_preact(x)))
    i, f = shown["i"].unsqueeze(-1), shown["f"].unsqueeze(-1)
    n = before(shown["n"].unflatten(-1, (heads, d)), None if joined is None else joined[..., d])
    S = before(shown["S"], None if joined is None else joined[..., :d])
    signals = {"m": torch.maximum(keep + m, write), "i": torch.exp(write - shown["m"]), "f": torch.exp(keep + m - shown["m"]),
               "n": (f * n + i * k).flatten(2), "S": f.unsqueeze(-1) * S + (i * k).unsqueeze(-1) * v.unsqueeze(-2),
               "q": module.q(x) / d**0.5, "k": module.k(x), "v": module.v(x), "o": torch.sigmoid(module.ogate_preact(x))}
    weight = (q * shown["n"].unflatten(-1, (heads, d))).sum(-1, keepdim=True).abs()
    read = (q.unsqueeze(-2) @ shown["S"]).squeeze(-2) / (torch.maximum(weight, torch.exp(-shown["m"]).unsqueeze(-1)) + 1e-6)
    normed = F.layer_norm(read, (d,), eps=1e-6) * module.multihead_norm.weight.view(heads, d)
    return signals, module.out_proj((normed * o).flatten(2))

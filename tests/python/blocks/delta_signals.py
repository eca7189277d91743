# SPDX-License-Identifier: GPL-3.0-or-later
"""What DeltaNet, Gated DeltaNet and DeltaProduct show, by the other signals that were shown."""

import torch
import torch.nn.functional as F

from block_dumps import before, initial


def convolved(module, projected, past):
    """By torch's convolution; `past` [B, reach width] or None."""
    if module.taps == 1:
        return F.silu(projected)
    reach, width = module.taps - 1, projected.shape[-1]
    past = projected.new_zeros(reach, projected.shape[1], width) if past is None else past.unflatten(1, (reach, width)).transpose(0, 1)
    kernel = torch.cat([module.q_conv1d.weight, module.k_conv1d.weight, module.v_conv1d.weight])
    return F.silu(F.conv1d(torch.cat([past, projected]).permute(1, 2, 0), kernel, groups=width)).permute(2, 0, 1)


def made(case, shown):
    module, x, given = case.module(), case.tensors["input.x.0"], initial(case)
    heads, substeps, units = module.heads, module.householders, module.o_proj.in_features
    n, rules = units // heads, units * substeps
    start, past = (None, None) if given is None else given.split([heads * n * n, given.shape[1] - heads * n * n], dim=1)
    u = convolved(module, torch.cat([layer(x) for layer in (module.q_proj, module.k_proj, module.v_proj)], dim=-1), past)
    q, k, v = (part.unflatten(-1, (-1, n)) for part in u.split([units, rules, rules], dim=-1))
    q, k = (part / torch.sqrt(part.square().sum(-1, keepdim=True) + 1e-6) for part in (q, k))
    beta, a = module.strength * torch.sigmoid(module.b_proj(x)), module.decay(x)
    signals = {"q": q.flatten(2) / n**0.5, "k": k.flatten(2), "v": v.flatten(2), "beta": beta}
    keys, values, strengths = (shown[name].unflatten(-1, (substeps, heads, -1)) for name in ("k", "v", "beta"))
    written = shown["r"].unflatten(-1, (substeps, heads, n))
    S = before(shown["S"], None if start is None else start.unflatten(1, (heads, n, n)))
    S = shown["a"][..., None, None] * S if "a" in shown else S
    expected = []
    for i in range(substeps):
        found = (keys[:, :, i].unsqueeze(-2) @ S).squeeze(-2)
        expected.append(strengths[:, :, i] * (values[:, :, i] - found))
        S = S + keys[:, :, i].unsqueeze(-1) * written[:, :, i].unsqueeze(-2)
    signals |= {"S": S, "r": torch.stack(expected, 2).flatten(2)}
    y = module.o_norm((shown["q"].unflatten(-1, (heads, 1, n)) @ shown["S"]).squeeze(-2)).flatten(2)
    if module.g_proj is not None:
        signals |= {"a": a, "g": F.silu(module.g_proj(x))}
        y = y * shown["g"]
    return signals, module.o_proj(y)

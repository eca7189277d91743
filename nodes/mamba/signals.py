# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    """The convolution by torch's; h and y by the signals that were shown."""
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    inner, N = w["D"].numel(), p["state_size"]
    u, z = F.linear(x, w["in_proj.weight"], w.get("in_proj.bias")).chunk(2, dim=-1)
    given = initial(case)
    past = u.new_zeros(p["kernel_size"] - 1, u.shape[1], inner) if given is None else given[:, inner * N :].unflatten(1, (-1, inner)).transpose(0, 1)
    u = F.silu(F.conv1d(torch.cat([past, u]).permute(1, 2, 0), w["conv1d.weight"], w.get("conv1d.bias"), groups=inner)).permute(2, 0, 1)
    d, B, C = F.linear(u, w["x_proj.weight"]).split([w["dt_proj.weight"].shape[1], N, N], dim=-1)
    delta = F.softplus(F.linear(d, w["dt_proj.weight"], w["dt_proj.bias"]))
    first = None if given is None else given[:, : inner * N]
    entering = (shown["delta"] * u).unsqueeze(-1) * shown["B"].unsqueeze(-2)
    h = shown["a"] * before(shown["h"].flatten(2), first) + entering.flatten(-2)
    y = (shown["h"].squeeze(2) * shown["C"].unsqueeze(-2)).sum(-1) + w["D"] * u
    a = torch.exp(-shown["delta"].unsqueeze(-1) * torch.exp(w["A_log"])).flatten(-2)
    signals = {"h": h.unflatten(-1, (1, inner, N)), "a": a, "delta": delta, "B": B, "C": C, "z": F.silu(z)}
    return signals, F.linear(y * shown["z"], w["out_proj.weight"], w.get("out_proj.bias"))

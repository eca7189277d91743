# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial


def made(case, shown):
    """The convolution by torch's; S and y by the signals that were shown."""
    module, x, given = case.module(), case.tensors["input.x.0"], initial(case)
    heads, N, inner, conv = module.heads, module.state_size, module.inner, module.conv1d
    z, u, d = module.in_proj(x).split([inner, conv.in_channels, heads], dim=-1)
    state, past = None, u.new_zeros(conv.kernel_size[0] - 1, *u.shape[1:])
    if given is not None:
        state, past = given.split([inner * N, past[:, 0].numel()], dim=1)
        state, past = state.unflatten(1, (heads, N, -1)), past.unflatten(1, (-1, conv.in_channels)).transpose(0, 1)
    v, B, C = F.silu(conv(torch.cat([past, u]).permute(1, 2, 0)).permute(2, 0, 1)).split([inner, N, N], dim=-1)
    v, delta, a = v.unflatten(-1, (heads, -1)), shown["delta"], shown["a"]
    S = shown["S"]
    new = a[..., None, None] * before(S, state) + shown["B"][:, :, None, :, None] * (delta.unsqueeze(-1) * v).unsqueeze(-2)
    y = (shown["C"][:, :, None, None] @ S).squeeze(-2) + module.D.unsqueeze(-1) * v
    decay = torch.exp(-delta * torch.exp(module.A_log))
    signals = {"S": new, "a": decay, "delta": F.softplus(d + module.dt_bias), "B": B, "C": C, "z": F.silu(z)}
    return signals, module.out_proj(module.norm(y.flatten(2) * shown["z"]))

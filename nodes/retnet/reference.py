# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class RetNet(nn.Module):
    """S_t = a R^-1 S_{t-1} + k_t v_t^T        o_t = S_t^T q_t        y_t = W_o (norm(o_t) * silu(W_g x_t))
    k_t = W_k x_t / sqrt(n), a = 1 - 2^(-5-h) in head h = 0, 1, ...

    R turns pairs of rows, each at its own speed, so that a key of s steps before is seen turned back by s. Computed with
    queries and keys turned on by their place in the pass, and S turned back by all its steps at the end. Head by head, the
    norm too. The state is S, [B, heads n m]. At masked steps S is kept."""

    def __init__(self, input_size, units=128, num_heads=4, value_factor=2, rotation="xpos", norm="rms", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.rotation, self.centred = num_heads, rotation, norm == "group"
        self.q_proj, self.k_proj = (nn.Linear(input_size, units, bias=False) for _ in range(2))
        self.v_proj, self.g_proj = (nn.Linear(input_size, value_factor * units, bias=False) for _ in range(2))
        self.out_proj = nn.Linear(value_factor * units, units, bias=False)
        for layer in (self.q_proj, self.k_proj, self.v_proj, self.g_proj):
            nn.init.xavier_uniform_(layer.weight, gain=2**-2.5)
        nn.init.xavier_uniform_(self.out_proj.weight)

    def turned(self, x, steps):
        """x [..., n] turned on by so many steps [...]. Entries 2i and 2i + 1 form a pair, or i and i + n / 2."""
        if self.rotation == "none":
            return x
        pairs = x.shape[-1] // 2
        places = torch.arange(pairs, dtype=torch.float64, device=x.device)
        speeds = 10000 ** -(places / (max(pairs - 1, 1) if self.rotation == "xpos" else pairs))
        angle = steps.unsqueeze(-1) * speeds
        cos, sin = torch.cos(angle).to(x.dtype), torch.sin(angle).to(x.dtype)
        one, other = (x[..., 0::2], x[..., 1::2]) if self.rotation == "xpos" else x.chunk(2, dim=-1)
        pair = one * cos - other * sin, other * cos + one * sin
        return torch.stack(pair, dim=-1).flatten(-2) if self.rotation == "xpos" else torch.cat(pair, dim=-1)

    def normed(self, o):
        o = o - o.mean(dim=-1, keepdim=True) if self.centred else o
        return o * torch.rsqrt(o.square().mean(dim=-1, keepdim=True) + 1e-6)

    def forward(self, x, state=None, mask=None):
        q, k, v, g = (layer(x).unflatten(-1, (self.heads, -1)) for layer in (self.q_proj, self.k_proj, self.v_proj, self.g_proj))
        k = k / k.shape[-1] ** 0.5
        S = x.new_zeros(*k.shape[1:], v.shape[-1]) if state is None else state[0].view(*k.shape[1:], v.shape[-1])
        steps = torch.ones(x.shape[:2], dtype=torch.float64, device=x.device) if mask is None else mask.double()
        places = steps.cumsum(dim=0).unsqueeze(-1)  # [T, B, 1]
        q, k = self.turned(q, places), self.turned(k, places)
        a = 1 - torch.exp2(-5 - torch.arange(self.heads, dtype=x.dtype, device=x.device)).view(-1, 1, 1)
        outputs = []
        for t in range(len(x)):
            new = a * S + k[t].unsqueeze(-1) @ v[t].unsqueeze(-2)
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((q[t].unsqueeze(-2) @ S).squeeze(-2))
        S = self.turned(S.transpose(-1, -2), -places[-1].unsqueeze(-1)).transpose(-1, -2)
        y = self.out_proj((self.normed(torch.stack(outputs)) * F.silu(g)).flatten(2))
        return at_masked_steps(y, mask, self.masked_output), (S.flatten(1),)

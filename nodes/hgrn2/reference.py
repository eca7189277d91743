# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.lower_bound import lower_bound
from shared.masked_output import at_masked_steps


class HGRN2(nn.Module):
    """S_t = diag(f_t) S_{t-1} + (1 - f_t) i_t^T        o_t = S_t^T q_t        y_t = W_o norm(o_t)
    f_t = l + (1 - l) sigmoid(W_f x_t)        l: the shares of layers 1 .. layer of a softmax over all layers

    fla: q_t = silu(W_q x_t) / sqrt(n), i_t = W_i x_t, an RMS norm. hgru: q_t = sigmoid(W_q x_t), i_t = silu(W_i x_t), a
    layer norm, biases. Head by head, but for the norm. The state is S, [B, heads n n]. At masked steps S is kept."""

    def __init__(self, input_size, units=128, num_heads=4, convention="fla", layer=0, layers=24, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.layer, self.hgru = num_heads, layer, convention == "hgru"
        self.q_proj, self.f_proj, self.i_proj = (nn.Linear(input_size, units, bias=self.hgru) for _ in range(3))
        self.g_norm = nn.LayerNorm(units, eps=1e-5) if self.hgru else nn.RMSNorm(units, eps=1e-5)
        self.o_proj = nn.Linear(units, units, bias=self.hgru)
        self.lower_bounds = nn.Parameter(torch.zeros(layers, units)) if layer > 0 else None

    def forward(self, x, state=None, mask=None):
        q, i = self.q_proj(x), self.i_proj(x)
        q, i = (torch.sigmoid(q), F.silu(i)) if self.hgru else (F.silu(q), i)
        l = lower_bound(self.lower_bounds, self.layer)
        a = self.f_proj(x)
        f, k = l + (1 - l) * torch.sigmoid(a), (1 - l) * torch.sigmoid(-a)  # k is 1 - f
        q, k, f, i = (part.unflatten(-1, (self.heads, -1)) for part in (q, k, f, i))
        q = q if self.hgru else q / q.shape[-1] ** 0.5
        S = x.new_zeros(*k.shape[1:], k.shape[-1]) if state is None else state[0].view(*k.shape[1:], k.shape[-1])
        outputs = []
        for t in range(len(x)):
            new = f[t].unsqueeze(-1) * S + k[t].unsqueeze(-1) @ i[t].unsqueeze(-2)
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((q[t].unsqueeze(-2) @ S).squeeze(-2))
        y = self.o_proj(self.g_norm(torch.stack(outputs).flatten(2)))
        return at_masked_steps(y, mask, self.masked_output), (S.flatten(1),)

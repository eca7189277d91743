# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class LinearAttention(nn.Module):
    """S_t = a S_{t-1} + k_t v_t^T        y_t = W_o S_t^T q_t        k_t = phi(W_k x_t), q_t = phi(W_q x_t) / sqrt(n), v_t = W_v x_t

    Head by head. With `normalize` a column of ones beside v sums up the weights, which what is read is divided by. The state is S,
    [B, heads n m]. At masked steps S is kept."""

    def __init__(self, input_size, units=128, num_heads=4, feature_map="elu", normalize=True, decay="learned", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.elu, self.decay = num_heads, feature_map == "elu", decay
        self.normalize = self.elu and normalize
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(input_size, units, bias=False) for _ in range(3))
        self.o_proj = nn.Linear(units, units, bias=False)
        self.logits = nn.Parameter(torch.empty(num_heads).uniform_(-3, 3)) if decay == "learned" else None

    def features(self, a):
        return F.elu(a) + 1 if self.elu else a

    def factors(self, like):
        """a, head by head."""
        if self.decay == "learned":
            return torch.sigmoid(self.logits).view(-1, 1, 1)
        heads = torch.arange(self.heads, dtype=like.dtype, device=like.device).view(-1, 1, 1)
        return 1 - torch.exp2(-5 - heads) if self.decay == "retnet" else torch.ones_like(heads)

    def forward(self, x, state=None, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)) for layer in (self.q_proj, self.k_proj, self.v_proj))
        q, k = self.features(q) / q.shape[-1] ** 0.5, self.features(k)
        if self.normalize:
            v = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)
        S = x.new_zeros(*k.shape[1:], v.shape[-1]) if state is None else state[0].view(*k.shape[1:], v.shape[-1])
        if self.normalize:  # sums of weights, never negative
            S = torch.cat([S[..., :-1], S[..., -1:].abs()], dim=-1)
        a = self.factors(x)
        outputs = []
        for t in range(len(x)):
            new = a * S + k[t].unsqueeze(-1) @ v[t].unsqueeze(-2)
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((q[t].unsqueeze(-2) @ S).squeeze(-2))
        y = torch.stack(outputs)
        if self.normalize:
            y = y[..., :-1] / (y[..., -1:] + 1e-6)
        y = self.o_proj(y.flatten(2))
        return at_masked_steps(y, mask, self.masked_output), (S.flatten(1),)

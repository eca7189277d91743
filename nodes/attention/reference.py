# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F


def attention_rotated(x, places, base):
    """RoPE: the pair (i, i + n/2) of the last dimension turns by places * base^(-2i/n). x [.., h, n], places [..]."""
    half = x.shape[-1] // 2
    angle = places[..., None, None] * base ** (-torch.arange(half, dtype=torch.float64, device=x.device) / half)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Attention(nn.Module):
    """q, k, v = x W_in^T + b_in                      cut into num_heads parts of n features each
    weights_tj = softmax_j(q_t k_j / sqrt(n))      over t - window < j <= t
    y_t = (sum_j weights_tj v_j) W_out^T + b_out

    The state [B, (window - 1) * (2 width + 1)] holds key, value and number of the last window - 1 steps, numbers from 1
    on, zeros where there was no step. Masked steps are not seen, not counted and not kept; their output is 0."""

    def __init__(self, input_size, num_heads=4, positions="rope", window=256, max_positions=256, rope_base=10000.0,
                 bias=True, dropout=0.0):
        super().__init__()
        self.num_heads, self.window, self.dropout = num_heads, window, dropout
        self.rope_base = rope_base if positions == "rope" else None
        self.position = nn.Embedding(max_positions, input_size) if positions == "learned" else None
        self.in_proj_weight = nn.Parameter(0.02 * torch.randn(3 * input_size, input_size))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * input_size)) if bias else None
        self.out_proj = nn.Linear(input_size, input_size, bias=bias)

    def drop(self, x):
        if not self.training or self.dropout == 0:
            return x
        return x * (x.new_empty(x.shape).bernoulli_(1 - self.dropout) / (1 - self.dropout))

    def seen(self, places, there, T):
        """Of K places the T last are the present steps. [T, K, B]: what is there, not later, and within the window. A masked
        step sees itself, for a softmax needs something."""
        distance = places[-T:].unsqueeze(1) - places.unsqueeze(0)
        own = torch.eye(len(places), dtype=torch.bool, device=places.device)[-T:].unsqueeze(-1)
        return there & (distance >= 0) & (distance < self.window) | own

    def forward(self, x, state=None, mask=None):
        T, B, width = x.shape
        slots = self.window - 1
        real = torch.ones(T, B, dtype=torch.bool, device=x.device) if mask is None else mask
        past = x.new_zeros(B, slots, 2 * width + 1) if state is None else state[0].view(B, slots, 2 * width + 1)
        past = past.transpose(0, 1)
        number = past[..., -1].detach().amax(0).clamp(min=0).long() + real.cumsum(0)
        if self.position is not None:
            if number.max() > self.position.num_embeddings:
                raise ValueError(f"step {number.max()} has no position: max_positions is {self.position.num_embeddings}")
            x = x + self.position((number - 1).clamp(min=0))
        q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)

        rows = torch.cat([past, torch.cat([k, v, number.unsqueeze(-1).to(x.dtype)], dim=-1)])
        kept = torch.cat([torch.ones_like(past[..., -1], dtype=torch.bool), real])
        last = torch.stack([rows[kept[:, b], b][-slots:] for b in range(B)])

        # The present steps stand at 0, 1, 2 ..., what is remembered at -1, -2 ... before them.
        places = torch.arange(-slots, 0, device=x.device).unsqueeze(1).expand(-1, B)
        places = torch.cat([places, real.cumsum(0) - 1])
        there = torch.cat([past[..., -1] > 0, real])
        if state is None:
            rows, places, there = rows[slots:], places[slots:], there[slots:]
        seen = self.seen(places, there, T)

        q, k, v = (part.unflatten(-1, (self.num_heads, -1)) for part in (q, rows[..., :width], rows[..., width:-1]))
        if self.rope_base is not None:
            q, k = attention_rotated(q, places[-T:], self.rope_base), attention_rotated(k, places, self.rope_base)
        scores = torch.einsum("tbhn,jbhn->bhtj", q, k) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~seen.permute(2, 0, 1).unsqueeze(1), -torch.inf).softmax(dim=-1)
        y = torch.einsum("bhtj,jbhn->tbhn", self.drop(weights), v).flatten(-2)
        y = self.drop(self.out_proj(y))
        return torch.where(real.unsqueeze(-1), y, 0.0), (last.flatten(1),)

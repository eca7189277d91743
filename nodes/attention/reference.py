# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.causal_attention import causal_attention, dropped_out, memory_slots, step_numbers


def attention_rotated(x, places, base, growth=0.0):
    """RoPE: the pair (i, i + n/2) of the last dimension is rotated by places * base^(-2i/n). x [.., h, n], places [..].
    xPos: it is also multiplied by ((2i/n + 0.4) / 1.4)^(places * growth)."""
    half, places = x.shape[-1] // 2, places[..., None, None]
    pairs = torch.arange(half, dtype=torch.float64, device=x.device) / half
    angle, factor = places * base**-pairs, ((pairs + 0.4) / 1.4) ** (places * growth)
    cos, sin = (factor * angle.cos()).to(x.dtype), (factor * angle.sin()).to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def attention_distances(count, width, like):
    """Sines, then cosines of the distances 0 .. count - 1 at the rates 10000^(-2i / width), [count, width]."""
    half = width // 2
    rates = 10000.0 ** (-torch.arange(half, dtype=torch.float64, device=like.device) / half)
    angle = torch.arange(count, dtype=torch.float64, device=like.device).unsqueeze(1) * rates
    return torch.cat([angle.sin(), angle.cos()], dim=-1).to(like.dtype)


def attention_sizes(width, keys, values, projections):
    """Features over all heads of queries and keys, and of values. 0 is not set: as wide as x, or without projections a part of it."""
    if projections:
        return keys or width, values or width
    if not keys:
        keys = (width - values) // 2 if values else width // 3
    return keys, values or width - 2 * keys


class Attention(nn.Module):
    """q, k, v = x W_in^T + b_in
    y_t = causal_attention(q, k, v)_t W_out^T + b_out, with q and k rotated by RoPE, by xPos or a learned vector per position added to x

    Relative positions (Transformer-XL): q_t k_j becomes (q_t + u) k_j + (q_t + v) W_R r_(t-j), r sines and cosines.

    Without projections x holds q, k and v side by side, and y is what the heads give. Masked steps give 0."""

    def __init__(self, input_size, num_heads=4, key_size=0, value_size=0, projections=True, positions="rope", window=256,
                 max_positions=256, rope_base=10000.0, xpos_scale=512.0, bias=True, dropout=0.0):
        super().__init__()
        self.num_heads, self.window, self.dropout = num_heads, window, dropout
        self.sizes = keys, values = attention_sizes(input_size, key_size, value_size, projections)
        self.rope_base = rope_base if positions in ("rope", "xpos") else None
        self.xpos_scale = xpos_scale if positions == "xpos" else None
        self.position = nn.Embedding(max_positions, input_size) if positions == "learned" else None
        self.in_proj_weight = nn.Parameter(0.02 * torch.randn(2 * keys + values, input_size)) if projections else None
        self.relative = nn.Linear(input_size, keys, bias=False) if positions == "relative" else None
        for name in ("content_bias", "position_bias"):
            setattr(self, name, nn.Parameter(0.02 * torch.randn(keys)) if positions == "relative" else None)
        self.in_proj_bias = nn.Parameter(torch.zeros(2 * keys + values)) if projections and bias else None
        self.out_proj = nn.Linear(values, input_size, bias=bias) if projections else None
        if projections:
            nn.init.normal_(self.out_proj.weight, std=0.02 / 2**0.5)  # a model with more layers: 0.02 / sqrt(2 layers)
        if projections and bias:
            nn.init.zeros_(self.out_proj.bias)
        for table in (self.position, self.relative):
            if table is not None:
                nn.init.normal_(table.weight, std=0.02)

    def drop(self, x):
        return dropped_out(x, self.dropout) if self.training and self.dropout > 0 else x

    def turned(self, heads, places, side):
        if self.rope_base is None:
            return heads
        return attention_rotated(heads, places, self.rope_base, side / self.xpos_scale if self.xpos_scale else 0.0)

    def by_distance(self, q, k, distance):
        """(q_t + u) k_j + (q_t + v) W_R r_(t-j); q [T, B, h, n], k [K, B, h, n], distance [T, K, B]."""
        u, v = (bias.view(self.num_heads, -1) for bias in (self.content_bias, self.position_bias))
        count = min(self.window, len(k))
        r = self.relative(attention_distances(count, self.relative.in_features, q)).unflatten(-1, (self.num_heads, -1))
        index = distance.clamp(0, count - 1).permute(2, 0, 1).unsqueeze(1).expand(-1, self.num_heads, -1, -1)
        return torch.einsum("tbhn,jbhn->bhtj", q + u, k) + torch.einsum("tbhn,dhn->bhtd", q + v, r).gather(3, index)

    def forward(self, x, state=None, mask=None):
        real = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device) if mask is None else mask
        past = memory_slots(None if state is None else state[0], sum(self.sizes), self.window)
        if self.position is not None:
            number = step_numbers(past, real)
            if number.max() > self.position.num_embeddings:
                raise ValueError(f"step {number.max()} has no position: max_positions is {self.position.num_embeddings}")
            x = x + self.position((number - 1).clamp(min=0))
        keys, values = self.sizes
        qkv = x if self.in_proj_weight is None else F.linear(x, self.in_proj_weight, self.in_proj_bias)
        q, k, v = qkv.split([keys, keys, values], dim=-1)
        scored = None if self.relative is None else self.by_distance
        y, last = causal_attention(q, k, v, past, real, self.num_heads, self.window, self.drop, self.turned, scored)
        y = self.drop(y if self.out_proj is None else self.out_proj(y))
        return torch.where(real.unsqueeze(-1), y, 0.0), (last,)

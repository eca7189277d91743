# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from torch import nn
import torch.nn.functional as F
from shared.causal_attention import causal_attention, dropped_out, full_attention, memory_slots
from shared.masked_output import at_masked_steps
from shared.sru_recurrence import sru_dropout_mask, sru_recurrence


class SRUppLayer(nn.Module):
    """SRU whose input passes through attention:

    q = x W_1        k, v = q W_2        z = norm(q + alpha causal_attention(q, k, v))        U = z W_3

    (attn_normalize_after=False: p = x W_1, q = norm(p), z = p + alpha causal_attention(q, k, v))

    and sru_recurrence over U, bidirectional also from the last step on. alpha starts at 0. Attention is causal, or full_attention; without
    it z = norm(q). linear3.weight [dirs * k * units, p] has k parts in each direction: u0, u1, u2, and u3 where the skip term needs another
    width than the input. weight_c and bias [2 * dirs * units] have the forget gate's entries first.

    The state [B, dirs * units + (window - 1) * (2 p + 1)] holds c, then, with causal attention, key, value and position of the last
    window - 1 steps."""

    def __init__(self, input_size, units=128, projection_size=32, attention="causal", num_heads=1, window=256, bidirectional=False,
                 highway_bias=-2.0, rescale=False, attn_layer_norm=True, attn_normalize_after=True,
                 layer_norm=False, normalize_after=False, dropout=0.0, transform_dropout=0.0, attn_dropout=0.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.num_heads, self.window, self.normalize_after = units, num_heads, window, normalize_after
        self.attn_normalize_after = attn_normalize_after or attention == "none"
        self.dropout, self.transform_dropout, self.attn_dropout = dropout, transform_dropout, attn_dropout
        self.dirs, self.attention = 2 if bidirectional else 1, attention
        self.out = out = units * self.dirs
        self.k = 3 if input_size == out else 4
        self.scale_x = math.sqrt(1 + 2 * math.exp(highway_bias)) if rescale else 1.0

        p = projection_size
        self.linear1 = nn.Linear(input_size, p, bias=False)
        self.linear2 = nn.Linear(p, 2 * p, bias=False) if attention != "none" else None
        self.alpha = nn.Parameter(torch.zeros(1)) if attention != "none" else None
        self.linear3 = nn.Linear(p, self.k * out, bias=False)
        for linear in (self.linear1, self.linear2, self.linear3):
            if linear is not None:
                nn.init.xavier_uniform_(linear.weight)
        with torch.no_grad():
            self.linear3.weight *= math.sqrt(1 - transform_dropout)
        self.weight_c = nn.Parameter(torch.empty(2 * out).uniform_(-1, 1))
        self.bias = nn.Parameter(torch.cat([torch.zeros(out), torch.full((out,), float(highway_bias))]))
        self.attn_layer_norm = nn.LayerNorm(p) if attn_layer_norm else None
        self.layer_norm = nn.LayerNorm(out if normalize_after else input_size) if layer_norm else None

    def state_width(self):
        p = self.linear1.out_features
        return self.out + ((self.window - 1) * (2 * p + 1) if self.attention == "causal" else 0)

    def dropped(self, x, rate):
        return dropped_out(x, rate) if self.training and rate > 0 else x

    def normed(self, z):
        return z if self.attn_layer_norm is None else self.attn_layer_norm(z)

    def transformed(self, x, memory, real):
        """z, and the KV cache for the next steps."""
        z, last = self.linear1(x), None
        if self.linear2 is not None:
            q = z if self.attn_normalize_after else self.normed(z)
            k, v = self.linear2(q).chunk(2, dim=-1)
            drop = lambda weights: self.dropped(weights, self.attn_dropout)
            if self.attention == "full":
                y = full_attention(q, k, v, real, self.num_heads, drop)
            else:
                slots = memory_slots(memory, 2 * z.shape[-1], self.window)
                y, last = causal_attention(q, k, v, slots, real, self.num_heads, self.window, drop)
            z = z + self.alpha * y
        if self.attn_normalize_after:
            z = self.normed(z)
        return self.dropped(z, self.transform_dropout), last

    def forward(self, x, state=None, mask=None):
        T, B, _ = x.shape
        real = torch.ones(T, B, dtype=torch.bool, device=x.device) if mask is None else mask
        c = x.new_zeros(B, self.out) if state is None else state[0][:, : self.out]
        memory = None if state is None else state[0][:, self.out :]

        normed = x if self.layer_norm is None or self.normalize_after else self.layer_norm(x)
        z, memory = self.transformed(normed, memory, real)
        u = self.linear3(z).view(T, B, self.dirs, self.k, self.units)
        drop = x.new_ones(B, self.out)
        if self.training and self.dropout > 0:
            drop = sru_dropout_mask(x, self.out, self.dropout)
        v, b = self.weight_c.view(2, self.dirs, self.units), self.bias.view(2, self.dirs, self.units)
        outputs, ends = [], []
        for d in range(self.dirs):
            mine, parts = slice(d * self.units, (d + 1) * self.units), u[:, :, d].unbind(2)
            skip = parts[3] if self.k == 4 else x[..., mine] * self.scale_x
            sequences = [*parts[:3], skip, real.unsqueeze(-1)]
            u0, u1, u2, skip, m = sequences if d == 0 else [s.flip(0) for s in sequences]
            h, end = sru_recurrence(u0, u1, u2, skip, v[:, d], b[:, d], c[:, mine], lambda cell: cell, drop[:, mine], m)
            outputs.append(h if d == 0 else h.flip(0))
            ends.append(end)
        y = torch.cat(outputs, dim=-1)
        if self.layer_norm is not None and self.normalize_after:
            y = self.layer_norm(y)
        return at_masked_steps(y, mask, self.masked_output, self.dirs), (torch.cat(ends if memory is None else [*ends, memory], dim=-1),)


class SRUpp(SRUppLayer):
    """Layers of SRUppLayer, one over the other. Of several, each attention_every_n_layers-th attends, or only the last
    attention_last_n_layers where that is not 0, and the last has no dropout in its highway; weights are called layers.0.linear1.weight
    and so on. The state holds each layer's, one after the other."""

    def __init__(self, input_size, units=128, projection_size=32, attention="causal", num_layers=1, attention_every_n_layers=1,
                 attention_last_n_layers=0, num_heads=1, window=256, bidirectional=False, highway_bias=-2.0, rescale=False,
                 attn_layer_norm=True,
                 attn_normalize_after=True, layer_norm=False, normalize_after=False, dropout=0.0, transform_dropout=0.0, attn_dropout=0.0,
                 masked_output="zero"):
        rest = (num_heads, window, bidirectional, highway_bias, rescale, attn_layer_norm, attn_normalize_after, layer_norm, normalize_after)
        if num_layers == 1:
            super().__init__(input_size, units, projection_size, attention, *rest, dropout, transform_dropout, attn_dropout, masked_output)
            self.layers = None
            return
        nn.Module.__init__(self)
        self.masked_output = masked_output
        layers, width = [], units * (2 if bidirectional else 1)
        for i in range(num_layers):
            attends = num_layers - i <= attention_last_n_layers if attention_last_n_layers else (i + 1) % attention_every_n_layers == 0
            layers.append(SRUppLayer(width if i else input_size, units, projection_size, attention if attends else "none", *rest,
                                     dropout if i + 1 < num_layers else 0.0, transform_dropout, attn_dropout, masked_output))
        self.layers = nn.ModuleList(layers)

    def forward(self, x, state=None, mask=None):
        if self.layers is None:
            return super().forward(x, state, mask)
        ends, rest = [], None if state is None else state[0]
        for layer in self.layers:
            before = None if rest is None else (rest[:, : layer.state_width()],)
            rest = None if rest is None else rest[:, layer.state_width() :]
            x, (end,) = layer(x, before, mask)
            ends.append(end)
        return x, (torch.cat(ends, dim=-1),)

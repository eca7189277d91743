# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from torch import nn
import torch.nn.functional as F
from shared.causal_attention import causal_attention, dropped_out, memory_slots
from shared.sru_recurrence import sru_dropout_mask, sru_recurrence


class SRUppLayer(nn.Module):
    """SRU whose input passes through attention:

    q = x W_1        k, v = q W_2        z = norm(q + alpha causal_attention(q, k, v))        U = z W_3

    (attn_normalize_after=False: p = x W_1, q = norm(p), z = p + alpha causal_attention(q, k, v))

    and sru_recurrence over U. alpha starts at 0. Without attention z = norm(q). linear3.weight [k * units, p] has k parts: u0, u1,
    u2, and u3 where the skip term needs another width than the input.

    The state [B, units + (window - 1) * (2 p + 1)] holds c, then key, value and position of the last window - 1 steps."""

    def __init__(self, input_size, units=128, projection_size=32, attention="causal", num_heads=1, window=256,
                 highway_bias=-2.0, rescale=False, attn_layer_norm=True, attn_normalize_after=True,
                 layer_norm=False, normalize_after=False, dropout=0.0, transform_dropout=0.0, attn_dropout=0.0):
        super().__init__()
        self.units, self.num_heads, self.window, self.normalize_after = units, num_heads, window, normalize_after
        self.attn_normalize_after = attn_normalize_after or attention == "none"
        self.dropout, self.transform_dropout, self.attn_dropout = dropout, transform_dropout, attn_dropout
        self.k = 3 if input_size == units else 4
        self.scale_x = math.sqrt(1 + 2 * math.exp(highway_bias)) if rescale else 1.0

        p = projection_size
        self.linear1 = nn.Linear(input_size, p, bias=False)
        self.linear2 = nn.Linear(p, 2 * p, bias=False) if attention == "causal" else None
        self.alpha = nn.Parameter(torch.zeros(1)) if attention == "causal" else None
        self.linear3 = nn.Linear(p, self.k * units, bias=False)
        for linear in (self.linear1, self.linear2, self.linear3):
            if linear is not None:
                nn.init.xavier_uniform_(linear.weight)
        with torch.no_grad():
            self.linear3.weight *= math.sqrt(1 - transform_dropout)
        self.weight_c = nn.Parameter(torch.empty(2 * units).uniform_(-1, 1))
        self.bias = nn.Parameter(torch.cat([torch.zeros(units), torch.full((units,), float(highway_bias))]))
        self.attn_layer_norm = nn.LayerNorm(p) if attn_layer_norm else None
        self.layer_norm = nn.LayerNorm(units if normalize_after else input_size) if layer_norm else None

    def state_width(self):
        p = self.linear1.out_features
        return self.units + (0 if self.linear2 is None else (self.window - 1) * (2 * p + 1))

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
            y, last = causal_attention(q, k, v, memory_slots(memory, 2 * z.shape[-1], self.window), real, self.num_heads,
                                       self.window, lambda weights: self.dropped(weights, self.attn_dropout))
            z = z + self.alpha * y
        if self.attn_normalize_after:
            z = self.normed(z)
        return self.dropped(z, self.transform_dropout), last

    def forward(self, x, state=None, mask=None):
        T, B, _ = x.shape
        real = torch.ones(T, B, dtype=torch.bool, device=x.device) if mask is None else mask
        c = x.new_zeros(B, self.units) if state is None else state[0][:, : self.units]
        memory = None if state is None else state[0][:, self.units :]

        normed = x if self.layer_norm is None or self.normalize_after else self.layer_norm(x)
        z, memory = self.transformed(normed, memory, real)
        u = self.linear3(z).unflatten(-1, (self.k, self.units)).unbind(2)
        skip = u[3] if self.k == 4 else x * self.scale_x
        drop = x.new_ones(B, self.units)
        if self.training and self.dropout > 0:
            drop = sru_dropout_mask(x, self.units, self.dropout)
        v, b = self.weight_c.view(2, self.units), self.bias.view(2, self.units)
        y, c = sru_recurrence(*u[:3], skip, v, b, c, lambda cell: cell, drop, real.unsqueeze(-1))
        if self.layer_norm is not None and self.normalize_after:
            y = torch.where(real.unsqueeze(-1), self.layer_norm(y), 0.0)
        return y, (c if memory is None else torch.cat([c, memory], dim=-1),)


class SRUpp(SRUppLayer):
    """Layers of SRUppLayer, one over the other. Of several, each attention_every_n_layers-th attends, or only the last attention_last_n_layers where
    that is not 0, and the last has no dropout in its highway; weights are called layers.0.linear1.weight and so on. The state holds each layer's, one
    after the other."""

    def __init__(self, input_size, units=128, projection_size=32, attention="causal", num_layers=1, attention_every_n_layers=1,
                 attention_last_n_layers=0, num_heads=1, window=256, highway_bias=-2.0, rescale=False, attn_layer_norm=True,
                 attn_normalize_after=True, layer_norm=False, normalize_after=False, dropout=0.0, transform_dropout=0.0, attn_dropout=0.0):
        rest = (num_heads, window, highway_bias, rescale, attn_layer_norm, attn_normalize_after, layer_norm, normalize_after)
        if num_layers == 1:
            super().__init__(input_size, units, projection_size, attention, *rest, dropout, transform_dropout, attn_dropout)
            self.layers = None
            return
        nn.Module.__init__(self)
        layers = []
        for i in range(num_layers):
            attends = num_layers - i <= attention_last_n_layers if attention_last_n_layers else (i + 1) % attention_every_n_layers == 0
            layers.append(SRUppLayer(units if i else input_size, units, projection_size, attention if attends else "none", *rest,
                                     dropout if i + 1 < num_layers else 0.0, transform_dropout, attn_dropout))
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

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps
from shared.sru_recurrence import sru_dropout_mask, sru_recurrence


class SRU(nn.Module):
    """Simple Recurrent Unit: one product U = x W for all steps, then sru_recurrence.

    weight [dirs * k * units, in] has k parts for each direction: u0, u1, u2, and u3 where the skip term needs another
    width than the input. weight_c and bias [2 * dirs * units] have the forget gate's entries first. Without projections
    x is U, with a part u3 of its own if there is a skip term."""

    def __init__(self, input_size, units=128, bidirectional=False, has_skip_term=True, highway_bias=0.0, rescale=False,
                 activation="identity", v1=False, projections=True, projection_size=0, layer_norm=False, normalize_after=False,
                 dropout=0.0, rnn_dropout=0.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.dirs = units, 2 if bidirectional else 1
        self.out = out = units * self.dirs
        self.k = k = 4 if has_skip_term and not (projections and input_size == out) else 3
        self.has_skip_term, self.normalize_after = has_skip_term, normalize_after
        self.activation = torch.tanh if activation == "tanh" else lambda c: c
        self.dropout, self.rnn_dropout = dropout, rnn_dropout if projections else 0.0
        self.scale_x = math.sqrt(1 + 2 * math.exp(highway_bias)) if rescale and has_skip_term else 1.0

        self.weight = self.weight_proj = None
        if projections:
            fan_in = projection_size if projection_size > 0 else input_size
            w = torch.empty(self.dirs, k, units, fan_in).uniform_(-math.sqrt(3 / fan_in), math.sqrt(3 / fan_in))
            w[:, 0] *= math.sqrt(1 - dropout)
            w *= math.sqrt(1 - rnn_dropout) * (0.1 if layer_norm else 1)
            if k == 4:
                w[:, 3] *= self.scale_x
            if not v1:
                w[:, 1:3] *= math.sqrt(0.5)
            self.weight = nn.Parameter(w.reshape(self.dirs * k * units, fan_in))
        if projections and projection_size > 0:
            bound = math.sqrt(3 / input_size)
            self.weight_proj = nn.Parameter(torch.empty(projection_size, input_size).uniform_(-bound, bound))
        if v1:
            self.register_buffer("weight_c", torch.zeros(2 * out))
        else:
            self.weight_c = nn.Parameter(torch.empty(2 * out).uniform_(-math.sqrt(1.5), math.sqrt(1.5)))
        self.bias = nn.Parameter(torch.cat([torch.zeros(out), torch.full((out,), float(highway_bias))]))
        self.layer_norm = nn.LayerNorm(out if normalize_after else input_size) if layer_norm else None

    def forward(self, x, state=None, mask=None):
        T, B, _ = x.shape
        c0 = x.new_zeros(B, self.out) if state is None else state[0]
        real = None if mask is None else mask.unsqueeze(-1)

        z = self.layer_norm(x) if self.layer_norm is not None and not self.normalize_after else x
        if self.training and self.rnn_dropout > 0:
            z = z * sru_dropout_mask(x, x.shape[-1], self.rnn_dropout)
        drop = x.new_ones(B, self.out)
        if self.training and self.dropout > 0:
            drop = sru_dropout_mask(x, self.out, self.dropout)
        if self.weight_proj is not None:
            z = F.linear(z, self.weight_proj)
        u = z if self.weight is None else F.linear(z, self.weight)
        u = u.view(T, B, self.dirs, self.k, self.units)

        v, b = self.weight_c.view(2, self.dirs, self.units), self.bias.view(2, self.dirs, self.units)
        outputs, last = [], []
        for d in range(self.dirs):
            mine = slice(d * self.units, (d + 1) * self.units)
            parts = u[:, :, d].unbind(2)
            if not self.has_skip_term:
                skip = torch.zeros_like(parts[0])
            else:
                skip = parts[3] if self.k == 4 else x[..., mine] * self.scale_x
            sequences = [*parts[:3], skip, real]
            if d == 1:
                sequences = [None if s is None else s.flip(0) for s in sequences]
            u0, u1, u2, skip, m = sequences
            h, c = sru_recurrence(u0, u1, u2, skip, v[:, d], b[:, d], c0[:, mine], self.activation, drop[:, mine], m)
            outputs.append(h if d == 0 else h.flip(0))
            last.append(c)
        y = torch.cat(outputs, dim=-1)
        if self.layer_norm is not None and self.normalize_after:
            y = self.layer_norm(y)
        return at_masked_steps(y, mask, self.masked_output, self.dirs), (torch.cat(last, dim=-1),)

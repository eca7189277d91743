# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.lower_bound import lower_bound
from shared.masked_output import at_masked_steps


class HGRN(nn.Module):
    """h_t = f_t e^(i theta) h_{t-1} + (1 - f_t) silu(W_i x_t)        y_t = W_o (norm(h_t) * silu(W_g x_t))
    f_t = l + (1 - l) sigmoid(W_f x_t)        l: the shares of layers 1 .. layer of a softmax over all layers

    hgru: h is complex; the state, the norm (a layer norm) and the gate have all real parts, then all imaginary ones; biases.
    fla: h is real, theta 0, an RMS norm. At masked steps the state is kept."""

    def __init__(self, input_size, units=128, convention="hgru", layer=0, layers=24, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.layer, self.complex = layer, convention == "hgru"
        width = 2 * units if self.complex else units
        self.i_proj = nn.Linear(input_size, width, bias=self.complex)
        self.f_proj = nn.Linear(input_size, units, bias=self.complex)
        self.g_proj = nn.Linear(input_size, width, bias=self.complex)
        self.theta = nn.Parameter(10000 ** (-2 * torch.arange(units) / units)) if self.complex else None
        self.g_norm = nn.LayerNorm(width, eps=1e-5) if self.complex else nn.RMSNorm(width, eps=1e-5)
        self.o_proj = nn.Linear(width, units, bias=self.complex)
        self.lower_bounds = nn.Parameter(torch.zeros(layers, units)) if layer > 0 else None

    def turned(self, h):
        """e^(i theta) h."""
        if not self.complex:
            return h
        cos, sin, (re, im) = torch.cos(self.theta), torch.sin(self.theta), h.chunk(2, dim=-1)
        return torch.cat([cos * re - sin * im, cos * im + sin * re], dim=-1)

    def forward(self, x, state=None, mask=None):
        a, l = self.f_proj(x), lower_bound(self.lower_bounds, self.layer)
        f, enters = l + (1 - l) * torch.sigmoid(a), (1 - l) * torch.sigmoid(-a)  # enters is 1 - f
        i = F.silu(self.i_proj(x))
        if self.complex:  # rows 2 j and 2 j + 1 of i_proj are the parts of unit j
            i = torch.cat([i[..., 0::2], i[..., 1::2]], dim=-1)
            f, enters = (torch.cat([part, part], dim=-1) for part in (f, enters))
        h = torch.zeros_like(i[0]) if state is None else state[0]
        states = []
        for t, new in enumerate((enters * i).unbind(0)):
            new = f[t] * self.turned(h) + new
            h = new if mask is None else torch.where(mask[t].unsqueeze(-1), new, h)
            states.append(h)
        y = self.o_proj(self.g_norm(torch.stack(states)) * F.silu(self.g_proj(x)))
        return at_masked_steps(y, mask, self.masked_output), (h,)

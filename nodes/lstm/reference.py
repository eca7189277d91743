# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class LSTM(nn.Module):
    """i, f, o = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)        g = tanh(likewise)
    c_t = f c_{t-1} + i g        h_t = o tanh(c_t)

    Rows in the order i f g o. At masked steps h and c are held and the output is 0."""

    def __init__(self, input_size, units=128, forget_bias=0.0, chrono=0):
        super().__init__()
        bound = 1 / math.sqrt(units)
        self.units = units
        self.weight_ih_l0 = nn.Parameter(torch.empty(4 * units, input_size).uniform_(-bound, bound))
        self.weight_hh_l0 = nn.Parameter(torch.empty(4 * units, units).uniform_(-bound, bound))
        self.bias_ih_l0 = nn.Parameter(torch.empty(4 * units).uniform_(-bound, bound))
        self.bias_hh_l0 = nn.Parameter(torch.empty(4 * units).uniform_(-bound, bound))
        with torch.no_grad():
            if chrono > 0:  # units that forget over 1 to chrono - 1 steps
                spread = torch.empty(units).uniform_(1, chrono - 1).log()
                self.bias_ih_l0[: 2 * units] = torch.cat((-spread, spread))
                self.bias_hh_l0[: 2 * units] = 0
            self.bias_ih_l0[units : 2 * units] += forget_bias

    def forward(self, x, state=None, mask=None):
        zeros = x.new_zeros(x.shape[1], self.units)
        h, c = (zeros, zeros) if state is None else state
        inputs = F.linear(x, self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            i, f, g, o = torch.addmm(a, h, self.weight_hh_l0.t()).chunk(4, dim=-1)
            new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            new_h = torch.sigmoid(o) * torch.tanh(new_c)
            h = new_h if m is None else torch.where(m, new_h, h)
            c = new_c if m is None else torch.where(m, new_c, c)
            outputs.append(h if m is None else torch.where(m, h, 0.0))
        return torch.stack(outputs), (h, c)

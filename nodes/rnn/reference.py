# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class RNN(nn.Module):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or relu. At masked steps h is held and the output is 0."""

    def __init__(self, input_size, units=128, nonlinearity="tanh"):
        super().__init__()
        bound = 1 / math.sqrt(units)
        self.units = units
        self.nonlinearity = torch.tanh if nonlinearity == "tanh" else torch.relu
        self.weight_ih_l0 = nn.Parameter(torch.empty(units, input_size).uniform_(-bound, bound))
        self.weight_hh_l0 = nn.Parameter(torch.empty(units, units).uniform_(-bound, bound))
        self.bias_ih_l0 = nn.Parameter(torch.empty(units).uniform_(-bound, bound))
        self.bias_hh_l0 = nn.Parameter(torch.empty(units).uniform_(-bound, bound))

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        inputs = F.linear(x, self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            new = self.nonlinearity(torch.addmm(a, h, self.weight_hh_l0.t()))
            h = new if m is None else torch.where(m, new, h)
            outputs.append(h if m is None else torch.where(m, h, 0.0))
        return torch.stack(outputs), (h,)

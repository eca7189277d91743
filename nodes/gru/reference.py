# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class GRU(nn.Module):
    """r, z = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
    n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn))        h_t = (1 - z) n + z h_{t-1}

    Rows in the order r z n. The reset gate acts after the matrix product.
    At masked steps h is held and the output is 0."""

    def __init__(self, input_size, units=128, convention="reset_after"):
        super().__init__()
        assert convention == "reset_after"
        bound = 1 / math.sqrt(units)
        self.units = units
        self.weight_ih_l0 = nn.Parameter(torch.empty(3 * units, input_size).uniform_(-bound, bound))
        self.weight_hh_l0 = nn.Parameter(torch.empty(3 * units, units).uniform_(-bound, bound))
        self.bias_ih_l0 = nn.Parameter(torch.empty(3 * units).uniform_(-bound, bound))
        self.bias_hh_l0 = nn.Parameter(torch.empty(3 * units).uniform_(-bound, bound))

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        inputs = F.linear(x, self.weight_ih_l0, self.bias_ih_l0).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            a_r, a_z, a_n = a.chunk(3, dim=-1)
            q_r, q_z, q_n = F.linear(h, self.weight_hh_l0, self.bias_hh_l0).chunk(3, dim=-1)
            r, z = torch.sigmoid(a_r + q_r), torch.sigmoid(a_z + q_z)
            n = torch.tanh(a_n + r * q_n)
            new = (1 - z) * n + z * h
            h = new if m is None else torch.where(m, new, h)
            outputs.append(h if m is None else torch.where(m, h, 0.0))
        return torch.stack(outputs), (h,)

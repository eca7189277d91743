# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class GRU(nn.Module):
    """r, z = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
    reset_after     n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn))        h_t = (1 - z) n + z h_{t-1}
    reset_before    n = tanh(W_in x_t + b_in + W_hn (r h_{t-1}) + b_hn)        h_t = (1 - z) n + z h_{t-1}
    reset_before_inverted_z    the same n                                      h_t = (1 - z) h_{t-1} + z n

    Rows in the order r z n. At masked steps h is held and the output is 0."""

    def __init__(self, input_size, units=128, convention="reset_after"):
        super().__init__()
        bound = 1 / math.sqrt(units)
        self.units, self.convention = units, convention
        self.weight_ih_l0 = nn.Parameter(torch.empty(3 * units, input_size).uniform_(-bound, bound))
        self.weight_hh_l0 = nn.Parameter(torch.empty(3 * units, units).uniform_(-bound, bound))
        self.bias_ih_l0 = nn.Parameter(torch.empty(3 * units).uniform_(-bound, bound))
        self.bias_hh_l0 = nn.Parameter(torch.empty(3 * units).uniform_(-bound, bound))

    def step(self, a, h):
        """h_t from the input's product a with its bias, and h_{t-1}."""
        (a_r, a_z, a_n), (W_r, W_z, W_n) = a.chunk(3, dim=-1), self.weight_hh_l0.chunk(3)
        b_r, b_z, b_n = self.bias_hh_l0.chunk(3)
        r, z = torch.sigmoid(a_r + F.linear(h, W_r, b_r)), torch.sigmoid(a_z + F.linear(h, W_z, b_z))
        if self.convention == "reset_after":
            n = torch.tanh(a_n + r * F.linear(h, W_n, b_n))
        else:
            n = torch.tanh(a_n + F.linear(r * h, W_n, b_n))
        return (1 - z) * h + z * n if self.convention == "reset_before_inverted_z" else (1 - z) * n + z * h

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        inputs = F.linear(x, self.weight_ih_l0, self.bias_ih_l0).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            new = self.step(a, h)
            h = new if m is None else torch.where(m, new, h)
            outputs.append(h if m is None else torch.where(m, h, 0.0))
        return torch.stack(outputs), (h,)

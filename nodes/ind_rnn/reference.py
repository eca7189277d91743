# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class IndRNN(nn.Module):
    """h_t = relu(W_ih x_t + weight_hh h_{t-1} + bias), or tanh: each unit reads only its own state.

    weight_hh [units, 1] is kept within +-growth^(1 / time_steps) after each update. At masked steps h is kept."""

    def __init__(self, input_size, units=128, nonlinearity="relu", use_bias=True, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.nonlinearity = torch.relu if nonlinearity == "relu" else torch.tanh
        bound = 1 / math.sqrt(input_size)
        self.weight_ih = nn.Parameter(torch.empty(units, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(units).uniform_(-bound, bound)) if use_bias else None
        self.weight_hh = nn.Parameter(torch.empty(units, 1).uniform_(0, 2 ** (1 / 100)))

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], len(self.weight_hh)) if state is None else state[0]
        outputs = []
        for t, a in enumerate(F.linear(x, self.weight_ih, self.bias).unbind(0)):
            new = self.nonlinearity(a + self.weight_hh.squeeze(1) * h)
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import math
from shared.ternary import straight_through, ternary_dense


class DenseMML(nn.Module):
    """y = int8(rms_norm(x) gain) (a q)^T + b,  a = mean |W|,  q = round(W / a) within -1..1.

    The stored weight W is unrounded; rounding is half to even."""

    def __init__(self, input_size, units=128, use_bias=True, gradient="straight_through"):
        super().__init__()
        self.gradient = gradient
        bound = math.sqrt(6 / (input_size + units))
        self.gain = nn.Parameter(torch.ones(input_size))
        self.weight = nn.Parameter(torch.empty(units, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(units)) if use_bias else None

    def forward(self, x):
        return ternary_dense(x, self.gain, self.weight, self.bias, self.gradient)

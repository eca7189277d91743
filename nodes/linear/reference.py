# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Linear(nn.Module):
    """y_t = W x_t + b."""

    def __init__(self, input_size, width=128, bias=True):
        super().__init__()
        bound = 1 / math.sqrt(input_size)
        self.weight = nn.Parameter(torch.empty(width, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(width).uniform_(-bound, bound)) if bias else None

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Gate(nn.Module):
    """g_t = sigmoid(W x_t + v c_t + b), v and b one per feature."""

    def __init__(self, input_size, width, bias=True):
        super().__init__()
        bound = 1 / math.sqrt(input_size)
        self.weight = nn.Parameter(torch.empty(width, input_size).uniform_(-bound, bound))
        self.weight_c = nn.Parameter(torch.zeros(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x, c):
        return torch.sigmoid(F.linear(x, self.weight, self.bias) + self.weight_c * c)

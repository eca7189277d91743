# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class MultiplicativeDense(nn.Module):
    """y_(s,m) = sum_i x_i D_(s,i) E_(m,i) + b_(s,m), module s after module s - 1

    weight_modules D [num_modules, in], weight E [width / num_modules, in]."""

    def __init__(self, input_size, width=128, num_modules=16, bias=True):
        super().__init__()
        module = width // num_modules
        bound = math.sqrt(6 / (input_size + module))
        self.weight_modules = nn.Parameter(0.5 * torch.randn(num_modules, input_size))
        self.weight = nn.Parameter(torch.empty(module, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        matrix = self.weight_modules.unsqueeze(1) * self.weight  # [num_modules, width / num_modules, in]
        return F.linear(x, matrix.flatten(0, 1), self.bias)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class RMSNorm(nn.Module):
    """y = x / sqrt(mean(x^2) + epsilon) * gain, over the features of each step."""

    def __init__(self, input_size, epsilon=1e-6, gain=True):
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(input_size)) if gain else None

    def forward(self, x):
        y = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.epsilon)
        return y if self.weight is None else y * self.weight

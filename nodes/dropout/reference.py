# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Dropout(nn.Module):
    """In training each element is zeroed with probability rate, and the others are divided by 1 - rate."""

    def __init__(self, input_size, rate=0.1):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        if not self.training or self.rate == 0:
            return x
        keep = torch.empty_like(x).bernoulli_(1 - self.rate)
        return x * (keep / (1 - self.rate))

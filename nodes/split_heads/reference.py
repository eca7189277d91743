# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class SplitHeads(nn.Module):
    """y_t = the features of one of num_heads equal parts of x_t; head counts from 1."""

    def __init__(self, input_size, num_heads=2, head=1):
        super().__init__()
        self.num_heads, self.head = num_heads, head

    def forward(self, x):
        return x.chunk(self.num_heads, dim=-1)[self.head - 1]

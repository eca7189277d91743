# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Scale(nn.Module):
    """y = s x: s one number, or learned, one per feature."""

    def __init__(self, input_size, factor=1.0, learned=False):
        super().__init__()
        self.factor = factor
        self.weight = nn.Parameter(torch.full((input_size,), float(factor))) if learned else None

    def forward(self, x):
        return x * (self.factor if self.weight is None else self.weight)

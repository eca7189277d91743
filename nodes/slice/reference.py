# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Slice(nn.Module):
    """y_t = features start .. start + width - 1 of x_t."""

    def __init__(self, start=0, width=8):
        super().__init__()
        self.start, self.width = start, width

    def forward(self, x):
        return x[..., self.start:self.start + self.width]

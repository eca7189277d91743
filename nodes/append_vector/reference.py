# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class AppendVector(nn.Module):
    """y_t = [x_t, v]."""

    def forward(self, x, v):
        return torch.cat([x, v.expand(len(x), -1, -1)], dim=-1)

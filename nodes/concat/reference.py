# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Concat(nn.Module):
    """y_t = [a_t, b_t]."""

    def forward(self, a, b):
        return torch.cat([a, b], dim=-1)

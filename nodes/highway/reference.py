# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Highway(nn.Module):
    """y = g a + (1 - g) b, element by element."""

    def forward(self, g, a, b):
        return g * a + (1 - g) * b

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class OneMinus(nn.Module):
    """y = 1 - x."""

    def forward(self, x):
        return 1 - x

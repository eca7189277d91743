# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Activation(nn.Module):
    """y = function(x), elementwise."""

    def __init__(self, input_size, function="tanh"):
        super().__init__()
        self.function = {
            "tanh": torch.tanh,
            "sigmoid": torch.sigmoid,
            "relu": torch.relu,
            "silu": F.silu,
            "gelu": F.gelu,
            "softplus": F.softplus,
        }[function]

    def forward(self, x):
        return self.function(x)

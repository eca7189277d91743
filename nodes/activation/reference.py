# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.activations import element_function


class Activation(nn.Module):
    """y = function(x), elementwise."""

    def __init__(self, input_size, function="tanh"):
        super().__init__()
        self.function = element_function(function)

    def forward(self, x):
        return self.function(x)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.activations import element_function
from shared.feature_functions import feature_function


class Activation(nn.Module):
    """y = function(x), elementwise or over the features of each step."""

    def __init__(self, input_size, function="tanh", threshold=0.0, default_value=0.0):
        super().__init__()
        if function == "threshold":
            self.function = lambda x: F.threshold(x, threshold, default_value)
        else:
            self.function = feature_function(function) or element_function(function)

    def forward(self, x):
        return self.function(x)

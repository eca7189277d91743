# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class LayerNorm(nn.Module):
    """y = (x - mean) / sqrt(variance + epsilon) * gain + bias, over the features of each step."""

    def __init__(self, input_size, epsilon=1e-5, gain=True, bias=True):
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(input_size)) if gain else None
        self.bias = nn.Parameter(torch.zeros(input_size)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.epsilon)

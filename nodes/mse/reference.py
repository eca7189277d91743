# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class MseHead(nn.Module):
    """prediction_t = W x_t + b, or x_t with readout none; loss = mean of (prediction_t - target_t)^2 over the targets that are not NaN."""

    def __init__(self, input_size, output_size, readout="linear", bias=True):
        super().__init__()
        self.linear = readout == "linear"
        if not self.linear:
            return
        bound = 1 / math.sqrt(input_size)
        self.weight = nn.Parameter(torch.empty(output_size, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(output_size).uniform_(-bound, bound)) if bias else None

    def forward(self, x, targets=None):
        prediction = F.linear(x, self.weight, self.bias) if self.linear else x
        if targets is None:
            return None, prediction
        scored = ~targets.isnan()
        error = torch.where(scored, prediction - targets, 0.0)
        return error.square().sum() / scored.sum().clamp(min=1), prediction

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class BceHead(nn.Module):
    """logits_t = W x_t + b, or x_t with readout none; loss = mean of -y ln p - (1 - y) ln(1 - p), p = sigmoid(logits_t), over the targets y
    that are not NaN."""

    def __init__(self, input_size, output_size, readout="linear", bias=True):
        super().__init__()
        self.linear = readout == "linear"
        if not self.linear:
            return
        bound = 1 / math.sqrt(input_size)
        self.weight = nn.Parameter(torch.empty(output_size, input_size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(output_size).uniform_(-bound, bound)) if bias else None

    def forward(self, x, targets=None):
        logits = F.linear(x, self.weight, self.bias) if self.linear else x
        if targets is None:
            return None, logits
        scored = ~targets.isnan()
        each = F.binary_cross_entropy_with_logits(logits, torch.where(scored, targets, 0.0), reduction="none")
        return torch.where(scored, each, 0.0).sum() / scored.sum().clamp(min=1), logits

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Head(nn.Module):
    """logits_t = W x_t + b, or x_t with readout none; tied: W is the table of another block.
    loss = mean of -ln softmax(logits_t)[target_t] over the targets that are not -100."""

    def __init__(self, input_size, classes, readout="linear", bias=True):
        super().__init__()
        self.readout = readout
        bound = 1 / math.sqrt(input_size)
        if readout == "linear":
            self.weight = nn.Parameter(torch.empty(classes, input_size).uniform_(-bound, bound))
        if readout != "none":
            self.bias = nn.Parameter(torch.empty(classes).uniform_(-bound, bound)) if bias else None

    def forward(self, x, targets=None, table=None):
        if self.readout == "none":
            logits = x
        else:
            logits = F.linear(x, self.weight if self.readout == "linear" else table, self.bias)
        if targets is None:
            return None, logits
        total = F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=-100, reduction="sum")
        scored = (targets != -100).sum().clamp(min=1)
        return total / scored, logits

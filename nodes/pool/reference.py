# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Pool(nn.Module):
    """y = max, mean, last or first of the real steps; zeros where there is none."""

    def __init__(self, kind="max"):
        super().__init__()
        self.kind = kind

    def forward(self, x, mask=None):
        sequences = []
        for b in range(x.shape[1]):
            steps = x[:, b] if mask is None else x[mask[:, b], b]
            if len(steps) == 0:
                sequences.append(x.new_zeros(x.shape[2]))
            else:
                sequences.append({"max": steps.amax(0), "mean": steps.mean(0), "last": steps[-1], "first": steps[0]}[self.kind])
        return torch.stack(sequences)

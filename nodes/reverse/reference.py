# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Reverse(nn.Module):
    """The real steps of each sequence in reverse order, at the same positions; zeros elsewhere."""

    def forward(self, x, mask=None):
        if mask is None:
            return x.flip(0)
        sequences = []
        for b in range(x.shape[1]):
            steps = mask[:, b].nonzero().flatten()
            sequences.append(torch.zeros_like(x[:, b]).index_copy(0, steps, x[steps.flip(0), b]))
        return torch.stack(sequences, dim=1)

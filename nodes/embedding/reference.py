# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Embedding(nn.Module):
    """y_t = E[token_t]: every class has a row of the table E [classes, width]. share_table also outputs E."""

    def __init__(self, classes, width=128, init_std=1.0, share_table=False):
        super().__init__()
        self.share_table = share_table
        self.weight = nn.Parameter(torch.randn(classes, width) * init_std)

    def forward(self, tokens):
        y = F.embedding(tokens, self.weight)
        return (y, self.weight) if self.share_table else y

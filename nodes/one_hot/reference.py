# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class OneHot(nn.Module):
    """y_t = e_i with i = token_t: a row of the identity matrix."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.register_buffer("one", torch.ones(()), persistent=False)  # has the type and place of the numbers

    def forward(self, tokens):
        return F.one_hot(tokens, self.classes).to(self.one)

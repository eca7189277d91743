# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class CausalConv(nn.Module):
    """y_t = W_0 x_t + W_1 x_{t-d} + ... + W_{k-1} x_{t-(k-1)d} + b

    weight [width, k in] is W_0 .. W_{k-1} side by side; depthwise they are diagonal, and weight [width, k] is their diagonals. The
    state is the last (k - 1) d inputs, oldest first. Masked steps are skipped, and the output there is 0."""

    def __init__(self, input_size, width=128, kernel_size=4, dilation=1, bias=True, depthwise=False):
        super().__init__()
        read = kernel_size * (1 if depthwise else input_size)
        bound, self.depthwise = 1 / math.sqrt(read), depthwise
        self.input_size, self.reach = input_size, (kernel_size - 1) * dilation
        self.taps = [self.reach - j * dilation for j in range(kernel_size)]
        self.weight = nn.Parameter(torch.empty(width, read).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(width).uniform_(-bound, bound)) if bias else None

    def forward(self, x, state=None, mask=None):
        size = (x.shape[1], self.reach, self.input_size)
        past, outputs = x.new_zeros(size) if state is None else state[0].reshape(size), []
        for t in range(x.shape[0]):
            seen = torch.cat([past, x[t].unsqueeze(1)], dim=1)
            if self.depthwise:
                y = (seen[:, self.taps] * self.weight.t()).sum(1) + (0 if self.bias is None else self.bias)
            else:
                y = F.linear(seen[:, self.taps].flatten(1), self.weight, self.bias)
            past = seen[:, 1:] if mask is None else torch.where(mask[t].view(-1, 1, 1), seen[:, 1:], past)
            outputs.append(y if mask is None else torch.where(mask[t].unsqueeze(-1), y, 0.0))
        return torch.stack(outputs), (past.flatten(1),)

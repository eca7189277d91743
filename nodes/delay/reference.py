# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Delay(nn.Module):
    """y_t = x_{t-1}, and y_1 = initial_value

    The state is the last x, and where there is an initial value also 1 for a sequence that has begun: zeros stand for one that has not. At
    masked steps it is held and the output is 0. In a loop `before` gives a step's output while its input is not there yet."""

    def __init__(self, input_size, initial_value=0.0):
        super().__init__()
        self.initial_value = initial_value
        self.register_buffer("zeros", torch.zeros(input_size), persistent=False)

    def begin(self, state, sequences):
        parts = 1 if self.initial_value == 0 else 2
        return (self.zeros.expand(sequences, -1),) * parts if state is None else state

    def before(self, state, mask, sequences):
        last, *begun = self.begin(state, sequences)
        y = (last + (1 - begun[0]) * self.initial_value if begun else last).unsqueeze(0)
        return y if mask is None else torch.where(mask.unsqueeze(-1), y, 0.0)

    def forward(self, x, state=None, mask=None):
        outputs = []
        for t in range(x.shape[0]):
            real = None if mask is None else mask[t:t + 1]
            outputs.append(self.before(state, real, x.shape[1]))
            held = self.begin(state, x.shape[1])
            new = (x[t], torch.ones_like(x[t]))[:len(held)]
            state = new if mask is None else tuple(torch.where(mask[t].unsqueeze(-1), a, b) for a, b in zip(new, held))
        return torch.cat(outputs), state

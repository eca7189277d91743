# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Delay(nn.Module):
    """y_t = x_{t-1}, and y_1 = initial_value

    The state is x less the initial value, so that zeros stand for a sequence that has not begun. At masked steps it is held and the output is
    0. In a loop `before` gives a step's output while its input is not there yet."""

    def __init__(self, input_size, initial_value=0.0):
        super().__init__()
        self.initial_value = initial_value
        self.register_buffer("zeros", torch.zeros(input_size), persistent=False)

    def before(self, state, mask, sequences):
        held = self.zeros.expand(sequences, -1) if state is None else state[0]
        y = (held + self.initial_value).unsqueeze(0)
        return y if mask is None else torch.where(mask.unsqueeze(-1), y, 0.0)

    def forward(self, x, state=None, mask=None):
        outputs = []
        for t in range(x.shape[0]):
            real = None if mask is None else mask[t:t + 1]
            outputs.append(self.before(state, real, x.shape[1]))
            new, held = x[t] - self.initial_value, self.zeros.expand(x.shape[1], -1) if state is None else state[0]
            state = (new if mask is None else torch.where(mask[t].unsqueeze(-1), new, held),)
        return torch.cat(outputs), state

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class Delay(nn.Module):
    """y_t = x_{t-1}, and y_1 = initial_value

    The state is the last x, and with an initial value an extra column, 1 once the sequence has started: zeros mean that it
    has not. At masked steps it is kept and the output is 0. In a loop `before` gives a step's output before its input is known."""

    def __init__(self, input_size, initial_value=0.0):
        super().__init__()
        self.initial_value = initial_value
        self.register_buffer("zeros", torch.zeros(input_size if initial_value == 0 else input_size + 1), persistent=False)

    def begin(self, state, sequences):
        return self.zeros.expand(sequences, -1) if state is None else state[0]

    def before(self, state, mask, sequences):
        held = self.begin(state, sequences)
        y = held if self.initial_value == 0 else held[:, :-1] + (1 - held[:, -1:]) * self.initial_value
        return y.unsqueeze(0) if mask is None else torch.where(mask.unsqueeze(-1), y.unsqueeze(0), 0.0)

    def forward(self, x, state=None, mask=None):
        outputs = []
        for t in range(x.shape[0]):
            real = None if mask is None else mask[t:t + 1]
            outputs.append(self.before(state, real, x.shape[1]))
            new = x[t] if self.initial_value == 0 else F.pad(x[t], (0, 1), value=1.0)
            state = (new if mask is None else torch.where(mask[t].unsqueeze(-1), new, self.begin(state, x.shape[1])),)
        return torch.cat(outputs), state

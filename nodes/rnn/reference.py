# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.stacked_recurrence import StackedRecurrence


class RNN(StackedRecurrence):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or relu."""

    def __init__(self, input_size, units=128, nonlinearity="tanh", num_layers=1, bidirectional=False, bias=True,
                 learned_state=False, masked_output="zero"):
        super().__init__(input_size, units, num_layers, bidirectional, bias, learned_state, masked_output)
        self.nonlinearity = torch.tanh if nonlinearity == "tanh" else torch.relu

    def step(self, a, state, w_hh, b_hh):
        return (self.nonlinearity(torch.addmm(a, state[0], w_hh.t())),)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.stacked_recurrence import StackedRecurrence


class JANET(StackedRecurrence):
    """s = W_ih x_t + b_ih + W_hh h_{t-1} + b_hh        g = tanh(likewise)
    h_t = sigmoid(s) h_{t-1} + (1 - sigmoid(s - beta)) g

    Rows in the order f g."""

    gates = 2

    def __init__(self, input_size, units=128, beta=1.0, chrono=0, num_layers=1, bidirectional=False, bias=True,
                 learned_state=False, masked_output="zero"):
        super().__init__(input_size, units, num_layers, bidirectional, bias, learned_state, masked_output)
        self.beta = beta
        with torch.no_grad():
            for place in (place for places in self.places for place in places if bias and chrono > 0):
                # Units that forget over 1 to chrono - 1 steps.
                spread = torch.empty(units).uniform_(1, chrono - 1).log()
                getattr(self, "bias_ih" + place).copy_(torch.cat((spread, torch.zeros(units))))
                getattr(self, "bias_hh" + place).zero_()

    def step(self, a, state, w_hh, b_hh):
        (h,), (s, g) = state, torch.addmm(a, state[0], w_hh.t()).chunk(2, dim=-1)
        return (torch.sigmoid(s) * h + torch.sigmoid(self.beta - s) * torch.tanh(g),)

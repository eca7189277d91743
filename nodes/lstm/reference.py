# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from torch import nn
import torch.nn.functional as F
from shared.activations import element_function
from shared.stacked_recurrence import StackedRecurrence


class LSTM(StackedRecurrence):
    """i, f, o = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)        g = tanh(likewise)
    c_t = f c_{t-1} + i g        h_t = o tanh(c_t)

    Rows in the order i f g o. Both tanh are replaced by `activation` if it is set, sigmoid by `gate_activation`. With peepholes the
    sums of i and f have p_i c_{t-1} and p_f c_{t-1}, those of o p_o c_t, more, p elementwise."""

    gates, states = 4, 2

    def __init__(self, input_size, units=128, forget_bias=0.0, chrono=0, activation="tanh", gate_activation="sigmoid", peepholes=False,
                 num_layers=1, bidirectional=False, bias=True, learned_state=False, masked_output="zero"):
        super().__init__(input_size, units, num_layers, bidirectional, bias, learned_state, masked_output)
        self.activation, self.sigma = element_function(activation), element_function(gate_activation)
        with torch.no_grad():
            for place in (place for places in self.places for place in places if bias):
                bias_ih, bias_hh = getattr(self, "bias_ih" + place), getattr(self, "bias_hh" + place)
                if chrono > 0:  # units that forget over 1 to chrono - 1 steps
                    spread = torch.empty(units).uniform_(1, chrono - 1).log()
                    bias_ih[: 2 * units] = torch.cat((-spread, spread))
                    bias_hh[: 2 * units] = 0
                bias_ih[units : 2 * units] += forget_bias

        self.peepholes = peepholes
        for place in (place for places in self.places for place in places if peepholes):
            bound = 1 / math.sqrt(units)
            self.register_parameter("peephole" + place, nn.Parameter(torch.empty(3 * units).uniform_(-bound, bound)))

    def walk(self, x, state, mask, place):
        self.peephole = getattr(self, "peephole" + place).chunk(3) if self.peepholes else (0.0, 0.0, 0.0)
        return super().walk(x, state, mask, place)

    def step(self, a, state, w_hh, b_hh):
        (h, c), (p_i, p_f, p_o) = state, self.peephole
        i, f, g, o = torch.addmm(a, h, w_hh.t()).chunk(4, dim=-1)
        if self.peepholes:
            i, f = i + p_i * c, f + p_f * c
        c = self.sigma(f) * c + self.sigma(i) * self.activation(g)
        return self.sigma(o + p_o * c if self.peepholes else o) * self.activation(c), c

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from shared.masked_output import at_masked_steps


def min_gru_g(a):
    """Positive everywhere, and continuous: a + 1/2 where a >= 0, sigmoid(a) elsewhere."""
    return torch.where(a >= 0, a + 0.5, torch.sigmoid(a))


class MinGRU(nn.Module):
    """z_t = sigmoid(W_z x_t)        c_t = g(W_h x_t)        h_t = (1 - z_t) h_{t-1} + z_t c_t

    Rows in the order hidden, gate. At masked steps h is kept."""

    def __init__(self, input_size, units=128, activation="g", use_bias=False, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units = units
        self.activation = {"g": min_gru_g, "identity": nn.Identity(), "tanh": torch.tanh}[activation]
        self.to_hidden_and_gate = nn.Linear(input_size, 2 * units, bias=use_bias)

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        hidden, gate = self.to_hidden_and_gate(x).chunk(2, dim=-1)
        c, z = self.activation(hidden).unbind(0), torch.sigmoid(gate).unbind(0)
        outputs = []
        for t in range(len(x)):
            new = (1 - z[t]) * h + z[t] * c[t]
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

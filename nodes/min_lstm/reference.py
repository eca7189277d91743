# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


def min_lstm_g(a):
    """Positive everywhere, and continuous: a + 1/2 where a >= 0, sigmoid(a) elsewhere."""
    return torch.where(a >= 0, a + 0.5, torch.sigmoid(a))


class MinLSTM(nn.Module):
    """f_t = sigmoid(W_f x_t)    i_t = sigmoid(W_i x_t)    c_t = g(W_h x_t)
    f'_t = f_t / (f_t + i_t)     i'_t = i_t / (f_t + i_t)
    h_t = f'_t h_{t-1} + i'_t c_t

    f / (f + i) is computed as sigmoid(ln f - ln i), and i' = 1 - f'. Rows in the order hidden, f, i. At masked steps h is kept."""

    def __init__(self, input_size, units=128, activation="g", use_bias=False, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units = units
        self.activation = {"g": min_lstm_g, "identity": nn.Identity(), "tanh": torch.tanh}[activation]
        self.to_hidden_and_f_i_gate = nn.Linear(input_size, 3 * units, bias=use_bias)

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        hidden, f, i = self.to_hidden_and_f_i_gate(x).chunk(3, dim=-1)
        f = torch.sigmoid(F.logsigmoid(f) - F.logsigmoid(i)).unbind(0)
        c = self.activation(hidden).unbind(0)
        outputs = []
        for t in range(len(x)):
            new = f[t] * h + (1 - f[t]) * c[t]
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

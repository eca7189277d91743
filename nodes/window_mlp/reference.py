# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F


class WindowMLP(nn.Module):
    """h_t = f(W_1 [x_t, x_{t-1}, ..., x_{t-k+1}] + b_1)        y_t = W_2 h_t + b_2

    f is tanh, relu or gelu. With direct connections W_3 [x_t, ..., x_{t-k+1}] is added to y_t. The state is the last k - 1 inputs, oldest
    first. Masked steps are skipped, and the output there is 0."""

    def __init__(self, input_size, width=128, window=8, hidden=256, activation="tanh", direct=False):
        super().__init__()
        self.input_size, self.window = input_size, window
        self.activation = {"tanh": torch.tanh, "relu": torch.relu, "gelu": F.gelu}[activation]
        self.hidden = nn.Linear(window * input_size, hidden)
        self.output = nn.Linear(hidden, width)
        self.direct = nn.Linear(window * input_size, width, bias=False) if direct else None

    def forward(self, x, state=None, mask=None):
        size = (x.shape[1], self.window - 1, self.input_size)
        past, windows = x.new_zeros(size) if state is None else state[0].reshape(size), []
        for t in range(x.shape[0]):
            seen = torch.cat([past, x[t].unsqueeze(1)], dim=1)
            windows.append(seen.flip(1).flatten(1))
            past = seen[:, 1:] if mask is None else torch.where(mask[t].view(-1, 1, 1), seen[:, 1:], past)
        read = torch.stack(windows)
        y = self.output(self.activation(self.hidden(read)))
        if self.direct is not None:
            y = y + self.direct(read)
        return y if mask is None else torch.where(mask.unsqueeze(-1), y, 0.0), (past.flatten(1),)

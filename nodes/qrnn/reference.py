# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from shared.masked_output import at_masked_steps


class QRNN(nn.Module):
    """z_t = tanh(W_z [x_t, x_{t-1}, ...])        f_t, o_t = sigmoid(likewise)
    c_t = f_t c_{t-1} + (1 - f_t) z_t        y_t = o_t c_t

    Rows in the order z f o. In the convention of pytorch-qrnn f and 1 - f are exchanged; with f-pooling y is c.
    The state is c and the preceding inputs in the window, oldest first. At masked steps it is kept."""

    def __init__(self, input_size, units=128, window=1, pooling="fo", convention="paper", zoneout=0.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.window, self.pooling, self.zoneout = units, window, pooling, zoneout
        self.f_keeps = convention == "paper"
        self.linear = nn.Linear(window * input_size, (3 if pooling == "fo" else 2) * units)

    def forward(self, x, state=None, mask=None):
        T, B, width = x.shape
        state = x.new_zeros(B, self.units + (self.window - 1) * width) if state is None else state[0]
        c, *kept = state.split([self.units] + [width] * (self.window - 1), dim=1)
        earlier = kept[::-1]  # the newest first, as in the columns of the weight
        real = [None] * T if mask is None else mask.unsqueeze(-1).unbind(0)

        windows = []
        for t in range(T):
            window = [x[t], *earlier]
            windows.append(torch.cat(window, dim=1))
            if self.window > 1:
                moved = window[:-1]
                earlier = moved if mask is None else [torch.where(real[t], a, b) for a, b in zip(moved, earlier)]

        z, f, *o = self.linear(torch.stack(windows)).split(self.units, dim=2)
        z, write = torch.tanh(z), 1 - torch.sigmoid(f) if self.f_keeps else torch.sigmoid(f)
        if self.zoneout > 0 and self.training:
            write = write * torch.empty_like(write).bernoulli_(1 - self.zoneout)
        elif self.zoneout > 0:
            write = write * (1 - self.zoneout)

        outputs = []
        for t in range(T):
            new = (1 - write[t]) * c + write[t] * z[t]
            c = new if mask is None else torch.where(real[t], new, c)
            outputs.append(torch.sigmoid(o[0][t]) * c if self.pooling == "fo" else c)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (torch.cat([c, *earlier[::-1]], dim=1),)

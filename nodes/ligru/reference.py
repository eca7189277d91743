# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class LiGRU(nn.Module):
    """a, z = norm(w x_t) + u h_{t-1}
    h_t = sigmoid(z) h_{t-1} + (1 - sigmoid(z)) relu(a)

    Rows in the order candidate, z. norm is a layer norm over both, or adds a bias. At masked steps h is kept."""

    def __init__(self, input_size, units=128, nonlinearity="relu", normalization="layer_norm", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units = units
        self.nonlinearity = {"relu": torch.relu, "tanh": torch.tanh}[nonlinearity]
        self.w = nn.Linear(input_size, 2 * units, bias=normalization == "none")
        self.u = nn.Linear(units, 2 * units, bias=False)
        nn.init.orthogonal_(self.u.weight)
        self.norm = nn.LayerNorm(2 * units) if normalization == "layer_norm" else None

    def from_input(self, x):
        a = self.w(x)
        if self.norm is None:
            return a
        a = a - a.mean(dim=-1, keepdim=True)
        return a / torch.sqrt(a.square().mean(dim=-1, keepdim=True) + self.norm.eps) * self.norm.weight + self.norm.bias

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        outputs = []
        for t, inputs in enumerate(self.from_input(x).unbind(0)):
            a, z = (inputs + self.u(h)).chunk(2, dim=-1)
            z = torch.sigmoid(z)
            new = z * h + (1 - z) * self.nonlinearity(a)
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class LeCunTanh(nn.Module):
    def forward(self, a):
        return 1.7159 * torch.tanh(0.666 * a)


class CfC(nn.Module):
    """z = backbone([x_t, h_{t-1}])        u = tanh(ff1 z)        v = tanh(ff2 z)        g = sigmoid(time_a z dt + time_b z)
    h_t = (1 - g) u + g v; no_gate: u + g v
    pure: h_t = A - A exp(-dt (|w_tau| + |ff1 z|)) ff1 z

    dt, the time since the step before, is 1 where none is given. At masked steps h is kept."""

    def __init__(self, input_size, units=128, mode="default", time_spans=False, backbone_units=128, backbone_layers=1,
                 backbone_activation="lecun_tanh", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.mode = units, mode
        activation = {"lecun_tanh": LeCunTanh, "tanh": nn.Tanh, "relu": nn.ReLU, "silu": nn.SiLU, "gelu": nn.GELU}[backbone_activation]
        layers, width = [], input_size + units
        for _ in range(backbone_layers):
            layers += [nn.Linear(width, backbone_units), activation()]
            width = backbone_units
        self.backbone = nn.Sequential(*layers)
        self.ff1 = nn.Linear(width, units)
        if mode == "pure":
            self.w_tau, self.A = nn.Parameter(torch.zeros(1, units)), nn.Parameter(torch.ones(1, units))
        else:
            self.ff2, self.time_a, self.time_b = (nn.Linear(width, units) for _ in range(3))
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.xavier_uniform_(weight)

    def step(self, x, h, dt):
        z = self.backbone(torch.cat([x, h], dim=1))
        if self.mode == "pure":
            u = self.ff1(z)
            return self.A - self.A * torch.exp(-dt * (self.w_tau.abs() + u.abs())) * u
        u, v, g = torch.tanh(self.ff1(z)), torch.tanh(self.ff2(z)), torch.sigmoid(self.time_a(z) * dt + self.time_b(z))
        return u + g * v if self.mode == "no_gate" else u * (1 - g) + g * v

    def forward(self, x, state=None, mask=None, dt=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        outputs = []
        for t in range(len(x)):
            new = self.step(x[t], h, 1.0 if dt is None else dt[t])
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

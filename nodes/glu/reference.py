# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.activations import element_function
from shared.ternary import straight_through, ternary_dense


class GLU(nn.Module):
    """g, u = W_up x + b_up        y = W_down (activation(g) u) + b_down

    Both layers are ternary dense layers, or without `ternary` plain ones. Rows of W_up: the gate's, then those of u."""

    def __init__(self, input_size, units=128, inner=256, activation="silu", ternary=True, use_bias=True, gradient="straight_through"):
        super().__init__()
        self.activation, self.gradient = element_function(activation), gradient
        for name, inputs, outputs in (("up", input_size, 2 * inner), ("down", inner, units)):
            bound = math.sqrt(6 / (inputs + outputs))
            setattr(self, "gain_" + name, nn.Parameter(torch.ones(inputs)) if ternary else None)
            setattr(self, "weight_" + name, nn.Parameter(torch.empty(outputs, inputs).uniform_(-bound, bound)))
            setattr(self, "bias_" + name, nn.Parameter(torch.zeros(outputs)) if use_bias else None)

    def dense(self, name, x):
        weight, gain, bias = (getattr(self, kind + name) for kind in ("weight_", "gain_", "bias_"))
        return F.linear(x, weight, bias) if gain is None else ternary_dense(x, gain, weight, bias, self.gradient)

    def forward(self, x):
        g, u = self.dense("up", x).chunk(2, dim=-1)
        return self.dense("down", self.activation(g) * u)

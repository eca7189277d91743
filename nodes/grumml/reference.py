# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


def straight_through(value, rounded):
    """rounded, with the gradient of value."""
    return value + (rounded - value).detach()


def quantise_rows(n):
    """Each row in 255 steps of its largest element (int8 range)."""
    s = 127 / n.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5)
    return straight_through(n, torch.clamp(torch.round(n * s), -128, 127) / s)


def ternary_weight(weight, gradient, scales=1):
    """a q: q in {-1, 0, 1}, a = mean |w|, over each of so many equal parts of the rows."""
    w = weight.unflatten(0, (scales, -1))
    a = w.abs().mean(dim=(1, 2), keepdim=True).clamp(min=1e-5)
    q = torch.clamp(torch.round(w / a), -1, 1).detach()
    rounded = straight_through(w, q) * a if gradient == "keras" else straight_through(w, q * a)
    return rounded.flatten(0, 1)


def ternary_dense(x, gain, weight, bias, gradient, scales=1, epsilon=1e-8):
    n = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + epsilon) * gain
    return F.linear(quantise_rows(n), ternary_weight(weight, gradient, scales), bias)


def grumml_activation(name):
    return {
        "silu": F.silu,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "relu": torch.relu,
        "identity": lambda a: a,
        "hard_sigmoid": F.hardsigmoid,
    }[name]


class GRUMML(nn.Module):
    """f = sigmoid(W_f x_t + b_f)   c = silu(W_c x_t + b_c)   g = sigmoid(W_g x_t + b_g)
    h_t = f h_{t-1} + (1 - f) c   y_t = W_o (g h_t) + b_o

    W_f and W_c are one ternary dense layer; W_g joins it and W_o is ternary too when fully_mml. num_heads only reshapes
    the state. At masked steps h is held and the output is 0."""

    def __init__(self, input_size, units=128, fully_mml=False, num_heads=1, activation="silu",
                 recurrent_activation="sigmoid", use_bias=True, scales="shared", gradient="straight_through"):
        super().__init__()
        self.units, self.fully_mml, self.gradient = units, fully_mml, gradient
        self.scales = 1 if scales == "shared" else 3 if fully_mml else 2
        self.activation, self.gate = grumml_activation(activation), grumml_activation(recurrent_activation)

        def weight(inputs, outputs):
            bound = math.sqrt(6 / (inputs + outputs))
            return nn.Parameter(torch.empty(outputs, inputs).uniform_(-bound, bound))

        def bias(outputs):
            return nn.Parameter(torch.zeros(outputs)) if use_bias else None

        if fully_mml:
            self.gain_fcg = nn.Parameter(torch.ones(input_size))
            self.weight_fcg, self.bias_fcg = weight(input_size, 3 * units), bias(3 * units)
            self.gain_o = nn.Parameter(torch.ones(units))
        else:
            self.gain_fc = nn.Parameter(torch.ones(input_size))
            self.weight_fc, self.bias_fc = weight(input_size, 2 * units), bias(2 * units)
            self.weight_g, self.bias_g = weight(input_size, units), bias(units)
        self.weight_o, self.bias_o = weight(units, units), bias(units)

    def gates(self, x):
        if self.fully_mml:
            fcg = ternary_dense(x, self.gain_fcg, self.weight_fcg, self.bias_fcg, self.gradient, self.scales)
            return fcg.chunk(3, dim=-1)
        fc = ternary_dense(x, self.gain_fc, self.weight_fc, self.bias_fc, self.gradient, self.scales)
        return *fc.chunk(2, dim=-1), F.linear(x, self.weight_g, self.bias_g)

    def forward(self, x, state=None, mask=None):
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        f, c, g = self.gates(x)
        f, c, g = self.gate(f), self.activation(c), self.gate(g)
        real = None if mask is None else mask.unsqueeze(-1)
        states = []
        for t, (keep, new) in enumerate(zip(f.unbind(0), ((1 - f) * c).unbind(0))):
            h_new = keep * h + new
            h = h_new if mask is None else torch.where(real[t], h_new, h)
            states.append(h)
        u = g * torch.stack(states)
        if mask is not None:
            u = torch.where(real, u, 0.0)
        if self.fully_mml:
            y = ternary_dense(u, self.gain_o, self.weight_o, self.bias_o, self.gradient)
        else:
            y = F.linear(u, self.weight_o, self.bias_o)
        return (y if mask is None else torch.where(real, y, 0.0)), (h,)

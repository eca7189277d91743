# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.activations import element_function
from shared.masked_output import at_masked_steps
from shared.ternary import straight_through, ternary_dense


class GRUMML(nn.Module):
    """f = sigmoid(W_f x_t + b_f)   c = silu(W_c x_t + b_c)   g = sigmoid(W_g x_t + b_g)
    h_t = f h_{t-1} + (1 - f) c   y_t = W_o (g h_t) + b_o

    keras: W_f and W_c are one ternary dense layer; W_g joins it and W_o is ternary too when fully_mml.
    paper: each of the four is a separate ternary layer.
    mmfreelm: likewise, with f = l + (1 - l) sigmoid(W_f x_t) and y_t = W_o (rms_norm(W_g x_t) silu(h_t)); l is the sum
    over the layers 1 .. layer of a softmax over a table of all layers, its own or a given one.

    num_heads only reshapes the state. At masked steps h is kept."""

    def __init__(self, input_size, units=128, variant="keras", fully_mml=False, num_heads=1, activation="silu",
                 recurrent_activation="sigmoid", use_bias=True, scales="shared", gradient="straight_through", layer=0,
                 layers=24, share_table=False, table_width=0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.variant, self.scales, self.gradient, self.layer = units, variant, scales, gradient, layer
        self.share_table = share_table and variant == "mmfreelm"
        self.activation, self.gate = element_function(activation), element_function(recurrent_activation)
        if variant != "keras":
            sizes = {"f": (input_size, units, True), "c": (input_size, units, True), "g": (input_size, units, True)}
        elif fully_mml:
            sizes = {"fcg": (input_size, 3 * units, True)}
        else:
            sizes = {"fc": (input_size, 2 * units, True), "g": (input_size, units, False)}
        self.gate_layers = list(sizes)
        for name, (inputs, outputs, ternary) in (sizes | {"o": (units, units, variant != "keras" or fully_mml)}).items():
            bound = math.sqrt(6 / (inputs + outputs))
            setattr(self, "gain_" + name, nn.Parameter(torch.ones(inputs)) if ternary else None)
            setattr(self, "weight_" + name, nn.Parameter(torch.empty(outputs, inputs).uniform_(-bound, bound)))
            setattr(self, "bias_" + name, nn.Parameter(torch.zeros(outputs)) if use_bias else None)
        mmfreelm = variant == "mmfreelm"
        self.gate_norm = nn.Parameter(torch.ones(units)) if mmfreelm else None
        owned = mmfreelm and (layer > 0 or share_table) and table_width == 0  # else another layer's, or none
        self.lower_bound = nn.Parameter(torch.zeros(layers, units)) if owned else None

    def dense(self, name, x):
        weight, gain, bias = (getattr(self, kind + name) for kind in ("weight_", "gain_", "bias_"))
        if gain is None:
            return F.linear(x, weight, bias)
        scales = len(name) if self.scales == "per_gate" else 1  # a layer is named by its gates' letters
        return ternary_dense(x, gain, weight, bias, self.gradient, scales, 1e-6 if self.variant == "mmfreelm" else 1e-8)

    def gates(self, x):
        """The pre-activations of f, c and g."""
        return torch.cat([self.dense(name, x) for name in self.gate_layers], dim=-1).chunk(3, dim=-1)

    def forget_gate(self, a, table):
        if table is None:
            return self.gate(a)
        shares = torch.softmax(table, dim=0)
        bound = shares.cumsum(dim=0)[self.layer] - shares[0]
        return bound + (1 - bound) * self.gate(a)

    def shown(self, a, h):
        """The input of the output layer."""
        if self.variant != "mmfreelm":
            return self.gate(a) * h
        return a * torch.rsqrt(a.square().mean(dim=-1, keepdim=True) + 1e-6) * self.gate_norm * F.silu(h)

    def forward(self, x, state=None, mask=None, table=None):
        table = self.lower_bound if table is None else table
        h = x.new_zeros(x.shape[1], self.units) if state is None else state[0]
        a_f, a_c, a_g = self.gates(x)
        f, c = self.forget_gate(a_f, table), self.activation(a_c)
        real = None if mask is None else mask.unsqueeze(-1)
        states = []
        for t, (keep, new) in enumerate(zip(f.unbind(0), ((1 - f) * c).unbind(0))):
            h_new = keep * h + new
            h = h_new if mask is None else torch.where(real[t], h_new, h)
            states.append(h)
        y = self.dense("o", self.shown(a_g, torch.stack(states)))
        y = at_masked_steps(y, mask, self.masked_output)
        return (y, (h,), table) if self.share_table else (y, (h,))

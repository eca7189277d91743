# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class StackedRecurrence(nn.Module):
    """Layers over one another, each walked from the first step, or from both ends; weights by torch.nn's names. States of
    all layers and directions lie side by side, [B, layers * directions * units]. At masked steps they are held and the
    output is 0. A subclass says what a `step` is, how many `gates` and `states` it has, and whether both biases come in
    with the input."""

    gates = states = 1
    bias_with_input = True

    def __init__(self, input_size, units, num_layers, bidirectional):
        super().__init__()
        self.units = units
        sides = ("", "_reverse") if bidirectional else ("",)
        self.places = [[f"_l{layer}{side}" for side in sides] for layer in range(num_layers)]
        for layer, places in enumerate(self.places):
            rows, width = self.gates * units, input_size if layer == 0 else units * len(sides)
            shapes = {"weight_ih": (rows, width), "weight_hh": (rows, units), "bias_ih": (rows,), "bias_hh": (rows,)}
            for place in places:
                for name, shape in shapes.items():
                    weight = torch.empty(shape).uniform_(-1 / math.sqrt(units), 1 / math.sqrt(units))
                    self.register_parameter(name + place, nn.Parameter(weight))

    def walk(self, x, state, mask, place):
        """One direction of one layer: the output at every step and the last state."""
        w_ih, w_hh, b_ih, b_hh = (getattr(self, n + place) for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        inputs = F.linear(x, w_ih, b_ih + b_hh if self.bias_with_input else b_ih).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            new = self.step(a, state, w_hh, b_hh)
            state = new if m is None else tuple(torch.where(m, n, s) for n, s in zip(new, state))
            outputs.append(state[0] if m is None else torch.where(m, state[0], 0.0))
        return torch.stack(outputs), state

    def forward(self, x, state=None, mask=None):
        if state is None:
            width = self.units * sum(len(places) for places in self.places)
            state = [x.new_zeros(x.shape[1], width)] * self.states
        starts, last = iter(zip(*(part.split(self.units, dim=1) for part in state))), []
        for places in self.places:
            sides = []
            for place in places:
                back = place.endswith("_reverse")
                there = [t.flip(0) if back and t is not None else t for t in (x, mask)]
                y, end = self.walk(there[0], next(starts), there[1], place)
                sides.append(y.flip(0) if back else y)
                last.append(end)
            x = torch.cat(sides, dim=-1)
        return x, tuple(torch.cat(parts, dim=1) for parts in zip(*last))


class GRU(StackedRecurrence):
    """r, z = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
    reset_after     n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn))        h_t = (1 - z) n + z h_{t-1}
    reset_before    n = tanh(W_in x_t + b_in + W_hn (r h_{t-1}) + b_hn)        h_t = (1 - z) n + z h_{t-1}
    reset_before_inverted_z    the same n                                      h_t = (1 - z) h_{t-1} + z n

    Rows in the order r z n."""

    gates = 3
    bias_with_input = False

    def __init__(self, input_size, units=128, convention="reset_after", num_layers=1, bidirectional=False):
        super().__init__(input_size, units, num_layers, bidirectional)
        self.convention = convention

    def step(self, a, state, w_hh, b_hh):
        (h,), (a_r, a_z, a_n) = state, a.chunk(3, dim=-1)
        if self.convention == "reset_after":
            q_r, q_z, q_n = F.linear(h, w_hh, b_hh).chunk(3, dim=-1)
            r, z = torch.sigmoid(a_r + q_r), torch.sigmoid(a_z + q_z)
            n = torch.tanh(a_n + r * q_n)
        else:
            (w_r, w_z, w_n), (b_r, b_z, b_n) = w_hh.chunk(3), b_hh.chunk(3)
            r, z = torch.sigmoid(a_r + F.linear(h, w_r, b_r)), torch.sigmoid(a_z + F.linear(h, w_z, b_z))
            n = torch.tanh(a_n + F.linear(r * h, w_n, b_n))
        return ((1 - z) * h + z * n if self.convention == "reset_before_inverted_z" else (1 - z) * n + z * h,)

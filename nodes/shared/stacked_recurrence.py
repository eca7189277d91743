# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
import torch.nn.functional as F
from torch import nn
from shared.masked_output import at_masked_steps


class StackedRecurrence(nn.Module):
    """Stacked layers, unidirectional or bidirectional; weights by torch.nn's names. States of all layers and directions are
    concatenated, [B, layers * directions * units]. At masked steps they are kept, and the output is as masked_output says. With a
    learned state, initial_h and so on, what comes in is added to it and what goes out is less by it: zeros stand for it. A subclass
    defines a `step`, how many `gates` and `states` it has, and whether both biases come in with the input."""

    gates = states = 1
    bias_with_input = True

    def __init__(self, input_size, units, num_layers, bidirectional, bias, learned_state, masked_output):
        super().__init__()
        self.units, self.masked_output = units, masked_output
        sides = ("", "_reverse") if bidirectional else ("",)
        self.places = [[f"_l{layer}{side}" for side in sides] for layer in range(num_layers)]
        for layer, places in enumerate(self.places):
            rows, width = self.gates * units, input_size if layer == 0 else units * len(sides)
            shapes = {"weight_ih": (rows, width), "weight_hh": (rows, units)}
            if bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            for place in places:
                for name, shape in shapes.items():
                    weight = torch.empty(shape).uniform_(-1 / math.sqrt(units), 1 / math.sqrt(units))
                    self.register_parameter(name + place, nn.Parameter(weight))

        self.learned = ["initial_" + "hc"[i] for i in range(self.states)] if learned_state else []
        for name in self.learned:
            self.register_parameter(name, nn.Parameter(torch.zeros(units * sum(map(len, self.places)))))

    def walk(self, x, state, mask, place):
        """One direction of one layer: the output at every step and the last state."""
        w_ih, w_hh = getattr(self, "weight_ih" + place), getattr(self, "weight_hh" + place)
        b_ih, b_hh = (getattr(self, name + place, x.new_zeros(len(w_hh))) for name in ("bias_ih", "bias_hh"))
        inputs = F.linear(x, w_ih, b_ih + b_hh if self.bias_with_input else b_ih).unbind(0)
        real = [None] * len(inputs) if mask is None else mask.unsqueeze(-1).unbind(0)
        outputs = []
        for a, m in zip(inputs, real):
            new = self.step(a, state, w_hh, b_hh)
            state = new if m is None else tuple(torch.where(m, n, s) for n, s in zip(new, state))
            outputs.append(state[0])
        return torch.stack(outputs), state

    def forward(self, x, state=None, mask=None):
        if state is None:
            width = self.units * sum(len(places) for places in self.places)
            state = [x.new_zeros(x.shape[1], width)] * self.states
        if self.learned:
            # Where a sequence begins is not learned from one that has started: its state is carried, without
            # gradients, and not 0.
            before = sum(part.ne(0).any(1, keepdim=True) for part in state) > 0
            before = before & (not any(part.requires_grad for part in state))
            learned = [getattr(self, name) for name in self.learned]
            state = [part + torch.where(before, s.detach(), s) for part, s in zip(state, learned)]
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
        ends = [torch.cat(parts, dim=1) for parts in zip(*last)]
        for part, name in enumerate(self.learned):
            ends[part] = ends[part] - getattr(self, name)
        return at_masked_steps(x, mask, self.masked_output, len(self.places[0])), tuple(ends)

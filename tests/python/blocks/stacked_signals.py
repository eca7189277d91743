# SPDX-License-Identifier: GPL-3.0-or-later
"""The signals of cells in torch.nn's form, layer over layer, worked out for test_signals.py."""

import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


class Walk:
    """One direction of one layer of RNN, LSTM and GRU: what it reads, and what it showed."""

    def __init__(self, case, shown, place, number, x):
        self.case, self.all_shown, self.back, self.place = case, shown, place.endswith("_reverse"), place
        units = case.facts["params"]["units"]
        self.mine = slice(number * units, (number + 1) * units)
        w = weights(case)
        self.weight_hh = w["weight_hh" + place]
        bias_ih, self.bias_hh = (w.get(name + place, x.new_zeros(len(self.weight_hh))) for name in ("bias_ih", "bias_hh"))
        self.from_input = F.linear(x, w["weight_ih" + place], bias_ih)
        self.from_state = F.linear(self.before("h"), self.weight_hh, self.bias_hh)

    def shown(self, signal):
        return self.all_shown[signal][..., self.mine]

    def before(self, signal, part=0):
        """A state before each step of the walk."""
        given, states = initial(self.case, part), self.shown(signal)
        start = None if given is None else given[:, self.mine]
        learned = weights(self.case).get("initial_" + "hc"[part])
        if learned is not None:
            start = (0 if start is None else start) + learned[self.mine].expand(states.shape[1], -1)
        return before(states.flip(0), start).flip(0) if self.back else before(states, start)


def stacked(case, shown, cell):
    """The signals of all walks side by side, and the topmost layer's output."""
    p, x, made, number = case.facts["params"], case.tensors["input.x.0"], [], 0
    for layer in range(p["num_layers"]):
        sides = []
        for side in ("", "_reverse") if p["bidirectional"] else ("",):
            made.append(cell(p, Walk(case, shown, f"_l{layer}{side}", number, x)))
            sides.append(made[-1]["h"])
            number += 1
        x = torch.cat(sides, dim=2)
    return {name: torch.cat([walk[name] for walk in made], dim=2) for name in made[0]}, x

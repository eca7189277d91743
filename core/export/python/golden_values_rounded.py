# SPDX-License-Identifier: GPL-3.0-or-later
"""The same for models that round, with the roundings of the golden run."""

import torch
from torch.overrides import TorchFunctionMode

from .golden_inputs import golden_inputs


class Rounding(TorchFunctionMode):
    """Rounds a value that lies in the middle between two integers to the one that the golden values were made with: there the last
    bit decides. `table` [N, 3] holds which rounding, which value of it, its integer; a value further than `near` from the middle keeps
    its own."""

    def __init__(self, table, near):
        super().__init__()
        self.table, self.near, self.roundings, self.turned = table, near, 0, 0

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        rounded = function(*arguments, **(keywords or {}))
        if function not in (torch.round, torch.Tensor.round):
            return rounded
        _, place, integer = self.table[self.table[:, 0] == self.roundings].unbind(1)
        self.roundings += 1
        x = arguments[0].flatten()[place]
        middle = (x - x.floor() - 0.5).abs() < self.near
        flat = rounded.flatten()
        self.turned += int((flat[place] != integer)[middle].sum())
        return flat.index_put((place[middle],), integer[middle].to(flat.dtype)).view_as(rounded)


def golden_values(model, golden, key):
    """Runs the golden chunks, each with the states of the one before; yields name, our values, theirs."""
    states, chunk, near = None, 0, {"fp64": 1e-9, "fp32": 1e-4}[key]
    while f"{chunk}.model_input" in golden:
        given = golden_inputs(model, golden, chunk)
        with torch.no_grad(), Rounding(golden[f"{key}.{chunk}.rounded"], near) as rounding:
            loss, model_prediction, states = model(*given, states)
        if rounding.turned:
            where = f"within {near:g} of the middle between two integers"
            print(f"{key}, chunk {chunk}: {rounding.turned} values {where} rounded as in the golden run")
        yield "loss", loss, golden[f"{key}.{chunk}.loss"]
        yield "model_prediction", model_prediction, golden[f"{key}.{chunk}.model_prediction"]
        for node, state in states.items():
            for i, tensor in enumerate(state):
                yield "states", tensor, golden[f"{key}.{chunk}.state.{node}.{i}"]
        chunk += 1

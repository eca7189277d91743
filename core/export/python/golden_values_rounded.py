# SPDX-License-Identifier: GPL-3.0-or-later
"""The same for models that round or choose, with the roundings and choices of the golden run."""

import torch
from torch.overrides import TorchFunctionMode

from .golden_inputs import golden_inputs


class Rounding(TorchFunctionMode):
    """Rounds a value that lies in the middle between two integers to the one that the golden values were made with, and takes of scores
    that are nearly equal the one that was taken then: there the last bit decides. `table` [N, 3] holds which rounding, which value of it,
    its integer, `ties` [N, 3] which argmax, which choice of it, the index; a value further than `near` from the other keeps its own."""

    def __init__(self, table, near, ties=None):
        super().__init__()
        self.table, self.near, self.roundings, self.choices, self.turned = table, near, 0, 0, 0
        self.ties = torch.zeros(0, 3, dtype=torch.int64) if ties is None else ties

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        made = function(*arguments, **(keywords or {}))
        if function in (torch.round, torch.Tensor.round):
            return self.rounded(made, arguments[0])
        if function in (torch.argmax, torch.Tensor.argmax) and arguments[0].is_floating_point():
            return self.chosen(made, arguments[0], (keywords or {}).get("dim", arguments[1] if len(arguments) > 1 else None))
        return made

    def replaced(self, made, place, known, near):
        flat = made.flatten()
        self.turned += int((flat[place] != known)[near].sum())
        return flat.index_put((place[near],), known[near].to(flat.dtype)).view_as(made)

    def rounded(self, made, exact):
        _, place, integer = self.table[self.table[:, 0] == self.roundings].unbind(1)
        self.roundings += 1
        x = exact.flatten()[place]
        return self.replaced(made, place, integer, (x - x.floor() - 0.5).abs() < self.near)

    def chosen(self, made, scores, dim):
        if dim is None:
            return made
        _, place, index = self.ties[self.ties[:, 0] == self.choices].unbind(1)
        self.choices += 1
        rows = scores.movedim(dim, -1).flatten(0, -2)[place]
        behind = rows.amax(dim=-1) - rows.gather(-1, index.unsqueeze(-1)).squeeze(-1)
        return self.replaced(made, place, index, behind < self.near)


def golden_values(model, golden, key):
    """Runs the golden chunks, each with the states of the one before; yields name, our values, theirs."""
    states, chunk, near = None, 0, {"fp64": 1e-9, "fp32": 1e-4}[key]
    none = torch.zeros(0, 3, dtype=torch.int64)  # where the golden run did nothing of the kind
    while f"{chunk}.model_input" in golden:
        given = golden_inputs(model, golden, chunk)
        table, ties = (golden.get(f"{key}.{chunk}.{noted}", none) for noted in ("rounded", "chosen"))
        with torch.no_grad(), Rounding(table, near, ties) as rounding:
            loss, model_prediction, states = model(*given, states)
        if rounding.turned:
            where = f"within {near:g} of another integer or choice"
            print(f"{key}, chunk {chunk}: {rounding.turned} values {where} are as in the golden run")
        yield "loss", loss, golden[f"{key}.{chunk}.loss"]
        yield "model_prediction", model_prediction, golden[f"{key}.{chunk}.model_prediction"]
        for node, state in states.items():
            for i, tensor in enumerate(state):
                yield "states", tensor, golden[f"{key}.{chunk}.state.{node}.{i}"]
        chunk += 1

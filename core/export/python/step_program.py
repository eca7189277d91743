# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of the model as a program of torch.export."""

import torch
from torch import nn

from .here import HERE
from .load import load
from .stand_ins import example


class StepOf(nn.Module):
    """model_input of one step, without T, and the parts of all states in the order of `names`; gives the prediction and the new parts."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, model_input, *parts):
        states = {}
        for (node, _), part in zip(self.names, parts):
            states[node] = (*states.get(node, ()), part)
        _, prediction, after = self.model(model_input.unsqueeze(0), states=states)
        return prediction[0], *(after[node][part] for node, part in self.names)


def save_step(path, folder=HERE, most=1024):
    """Writes one step, of 1 to `most` sequences, as a program that torch.export.load reads (.pt2), and gives the order of its states:
    (node, part). They begin as zeros. torch.export refuses what depends on the numbers themselves, as learned positions' check does."""
    model = load(folder)
    with torch.no_grad():
        _, _, states = model(example(1))
    names = [(node, part) for node, parts in states.items() for part in range(len(parts))]
    zeros = [torch.zeros_like(states[node][part]).repeat(2, 1) for node, part in names]
    first = torch.cat([example(1)[0]] * 2)
    sizes = {0: torch.export.Dim("B", min=1, max=most)}
    dynamic = {"model_input": sizes, **({"parts": tuple(sizes for _ in zeros)} if zeros else {})}
    program = torch.export.export(StepOf(model, names), (first, *zeros), dynamic_shapes=dynamic)
    torch.export.save(program, path)
    return names

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the model makes of the golden inputs."""

import torch

from .golden_inputs import golden_inputs


def golden_values(model, golden, key):
    """Runs the golden chunks, each with the states of the one before; yields name, our values, theirs."""
    states, chunk = None, 0
    while f"{chunk}.model_input" in golden:
        with torch.no_grad():
            loss, model_prediction, states = model(*golden_inputs(model, golden, chunk), states)
        yield "loss", loss, golden[f"{key}.{chunk}.loss"]
        yield "model_prediction", model_prediction, golden[f"{key}.{chunk}.model_prediction"]
        for node, state in states.items():
            for i, tensor in enumerate(state):
                yield "states", tensor, golden[f"{key}.{chunk}.state.{node}.{i}"]
        chunk += 1

# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.RNN has the same names and shapes."""

SOURCE = "torch.nn.RNN"
NAMES = r"(weight|bias)_(ih|hh)_l\d+(_reverse)?"


def taken(weights, params):
    """Of the weights of one module {name: tensor}: (our name, their name, tensor, what was done to it)."""
    for name, tensor in weights.items():
        if tensor.dim() == 2 and name.startswith("weight_hh") and len(tensor) != tensor.shape[1]:
            raise ValueError(f"{name} is {list(tensor.shape)}, expected as many rows as columns: this is no plain RNN")
        yield name, name, tensor, ""

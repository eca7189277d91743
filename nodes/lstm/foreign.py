# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.LSTM has the same names, shapes and order of rows (i f g o)."""

SOURCE = "torch.nn.LSTM"
NAMES = r"(weight|bias)_(ih|hh|hr)_l\d+(_reverse)?"


def taken(weights, params):
    """Of the weights of one module {name: tensor}: (our name, their name, tensor, what was done to it)."""
    if any(name.startswith("weight_hr") for name in weights):
        raise ValueError("this LSTM projects its states (proj_size), which the block does not")
    for name, tensor in weights.items():
        if tensor.dim() == 2 and name.startswith("weight_hh") and len(tensor) != 4 * tensor.shape[1]:
            raise ValueError(f"{name} is {list(tensor.shape)}, expected 4 times as many rows as columns: this is no LSTM")
        yield name, name, tensor, ""

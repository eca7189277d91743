# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.GRU has the same names, shapes and order of rows (r z n), in the convention reset_after."""

SOURCE = "torch.nn.GRU"
NAMES = r"(weight|bias)_(ih|hh)_l\d+(_reverse)?"
FORM = "convention reset_after"


def taken(weights, params):
    """Of the weights of one module {name: tensor}: (our name, their name, tensor, what was done to it)."""
    for name, tensor in weights.items():
        if tensor.dim() == 2 and name.startswith("weight_hh") and len(tensor) != 3 * tensor.shape[1]:
            raise ValueError(f"{name} is {list(tensor.shape)}, expected 3 times as many rows as columns: this is no GRU")
        yield name, name, tensor, ""

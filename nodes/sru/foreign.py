# SPDX-License-Identifier: GPL-3.0-or-later
"""A cell of the package sru: its weight is ours transposed, with the parts of a unit side by side."""


def taken(given):
    weights = given.weights
    if "weight" not in weights or "bias" not in weights:
        raise ValueError("a cell of sru has weight and bias; of a layer of sru.SRU name it: NODE=PREFIX.rnn_lst.0")
    given.demand("projections", True, True, "a cell of sru has projections")
    out, dirs = weights["bias"].numel() // 2, 2 if given.param("bidirectional", False) else 1
    for name, tensor in weights.items():
        if name == "weight":
            k, rest = divmod(tensor.shape[1], out)
            if rest or k not in (3, 4):
                raise ValueError(f"weight is {list(tensor.shape)} and bias [{2 * out}]: expected 3 or 4 columns a unit")
            given.demand("units", 128, out // dirs, "the cell has units")
            parts = tensor.reshape(len(tensor), dirs, out // dirs, k).permute(1, 3, 2, 0)
            yield name, name, parts.reshape(out * k, -1), f"transposed, the {k} parts of a unit one behind the other"
        elif name == "weight_proj":
            yield name, name, tensor.t(), "transposed"
        else:
            yield name, name, tensor, ""


SOURCES = ({"source": "sru.SRUCell", "names": r"weight|weight_proj|weight_c|bias|layer_norm\.(weight|bias)", "taken": taken},)

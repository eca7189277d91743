# SPDX-License-Identifier: GPL-3.0-or-later
"""The MRU layer of mru-lm, branches main (maker ldu) and old: the same numbers, two of them in layers of their own."""

SOURCE = "mru-lm"
NAMES = r"state_matrices_up(\.weight)?|state_matrices_down|mru_out\.weight"


def taken(weights, params):
    """Of the weights of one module {name: tensor}: (our name, their name, tensor, what was done to it)."""
    maker = "old" if "state_matrices_up" in weights else "ldu"
    if params.get("maker", "ldu") != maker:
        raise ValueError(f"these are of the maker {maker}, and the node has {params.get('maker', 'ldu')}")
    for name, tensor in weights.items():
        yield name.removesuffix(".weight"), name, tensor, ""

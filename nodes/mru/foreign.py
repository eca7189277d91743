# SPDX-License-Identifier: GPL-3.0-or-later
"""The MRU layer of mru-lm, branches main (maker ldu) and old: the same numbers, two of them in layers of their own."""


def taken(given):
    weights = given.weights
    maker = "old" if "state_matrices_up" in weights else "ldu"
    given.demand("maker", "ldu", maker, "these are of the maker")
    for name, tensor in weights.items():
        yield name.removesuffix(".weight"), name, tensor, ""


SOURCES = ({"source": "mru-lm", "names": r"state_matrices_up(\.weight)?|state_matrices_down|mru_out\.weight", "taken": taken},)

# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.Embedding has the same table, a row for each class."""

from unroll_weights import plain


def taken(given):
    given.demand("width", 128, given.weights["weight"].shape[1], "the Embedding has width")
    given.notes.append(plain.VOCABULARY)
    return plain.same(given.weights)


SOURCES = ({"source": "torch.nn.Embedding", "names": plain.NAMES, "fits": plain.has_dimensions(2, bias=False), "taken": taken},)

# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.LayerNorm over the last dimension has the same names and shapes."""

from unroll_weights import plain


def taken(given):
    given.demand("gain", True, True, "the LayerNorm has gain")
    given.demand("bias", True, "bias" in given.weights, "the LayerNorm has bias")
    given.notes.append("the file does not have eps, which is 1e-5 where nothing else was said; the node's epsilon is used")
    return plain.same(given.weights)


SOURCES = ({"source": "torch.nn.LayerNorm", "names": plain.NAMES, "fits": plain.has_dimensions(1), "taken": taken},)

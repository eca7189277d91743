# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.RMSNorm over the last dimension has the same weight."""

from unroll_weights import plain


def taken(given):
    given.demand("gain", True, True, "the RMSNorm has gain")
    given.notes.append("the file does not have eps, which is 1.2e-7 in float32 where nothing else was said; the node's epsilon is used")
    return plain.same(given.weights)


SOURCES = ({"source": "torch.nn.RMSNorm", "names": plain.NAMES, "fits": plain.has_dimensions(1, bias=False), "taken": taken},)

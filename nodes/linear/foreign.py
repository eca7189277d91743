# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.Linear has the same names and shapes."""

from unroll_weights import plain


def taken(given):
    return plain.of_linear(given, width=("width", 128))


SOURCES = ({"source": "torch.nn.Linear", "names": plain.NAMES, "fits": plain.has_dimensions(2), "taken": taken},)

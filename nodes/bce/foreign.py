# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.Linear as the readout: the same names and shapes."""

from unroll_weights import plain

SOURCES = plain.read_out_sources()

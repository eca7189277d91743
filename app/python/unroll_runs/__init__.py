# SPDX-License-Identifier: GPL-3.0-or-later
"""Run folders that Unroll writes: read, listed as a table, sent to the trackers of others. Needs no torch."""

from .folder import NotARun, RunFolder
from .table import runs

__all__ = ["NotARun", "RunFolder", "runs"]

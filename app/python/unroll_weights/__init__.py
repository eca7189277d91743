# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of modules of others (PyTorch, Keras), taken into blocks by the mapping that a block states (nodes/*/foreign.py)."""

from .mapping import Refused, Taken, mapped
from .reading import read_weights

__all__ = ["Refused", "Taken", "mapped", "read_weights"]

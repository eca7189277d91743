# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent cells of Unroll for PyTorch: readable classes with CPU kernels behind them.

    import torch, unroll

    cell = unroll.nn.SRU(64, units=128)
    y, state = cell(torch.randn(100, 8, 64))      # time first: [T, B, width]

unroll.kernels() says what computes each class; unroll.load(folder) gives a trained model; unroll.runs(folder) a table
of runs."""

from unroll_runs import runs

from . import nn
from ._by_kernels import kernels, reference_forms
from ._load import load, take_weights
from ._version import __version__

__all__ = ["__version__", "kernels", "load", "nn", "reference_forms", "runs", "take_weights"]

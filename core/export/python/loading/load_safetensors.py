# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads an exported safetensors file; "exported" stands for its path."""

from safetensors.torch import load_file  # pip install safetensors

weights = load_file("exported")
for name, weight in weights.items():
    print(name, tuple(weight.shape))

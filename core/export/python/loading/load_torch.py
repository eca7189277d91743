# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads an exported state_dict; "exported" stands for its path."""

import torch

weights = torch.load("exported", weights_only=True)
for name, weight in weights.items():
    print(name, tuple(weight.shape))

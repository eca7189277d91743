# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as bytes."""

import torch


def encode(text):
    """Classes of a text, int64 [T]: its bytes in UTF-8."""
    return torch.tensor(list(text.encode()), dtype=torch.int64)

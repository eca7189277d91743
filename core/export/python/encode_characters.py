# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the characters that the model has learned."""

import torch

from .stand_ins import ALPHABET


def encode(text):
    """Classes of a text, int64 [T]. Characters that the alphabet lacks raise a ValueError."""
    index = {character: i for i, character in enumerate(ALPHABET)}
    unknown = [character for character in text if character not in index]
    if unknown:
        raise ValueError(f"the model has not learned {unknown[0]!r}")
    return torch.tensor([index[character] for character in text], dtype=torch.int64)

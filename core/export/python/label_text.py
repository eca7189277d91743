# SPDX-License-Identifier: GPL-3.0-or-later
"""Predicts the label of a text."""

import torch

from .encode_characters import encode
from .stand_ins import LABELS


def label(model, text):
    """The chance of each label of a text, the likeliest first."""
    with torch.no_grad():
        _, logits, _ = model(encode(text).unsqueeze(1))
    chances = logits.reshape(-1, len(LABELS))[-1].softmax(0)
    return sorted(zip(LABELS, chances.tolist()), key=lambda entry: -entry[1])

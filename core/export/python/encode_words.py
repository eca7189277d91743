# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the words that the model has learned."""

import re

import torch

from .stand_ins import ALPHABET


def encode(text):
    """Classes of a text, int64 [T]: words between blanks, a line end as <eos>, and <unk> for words that the vocabulary lacks."""
    index = {word: i for i, word in enumerate(ALPHABET)}
    words = [word for word in re.split("[ \t\v\f\r]+", text.removeprefix("\ufeff").replace("\n", " <eos> ")) if word]
    return torch.tensor([index.get(word, 0) for word in words], dtype=torch.int64)

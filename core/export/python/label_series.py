# SPDX-License-Identifier: GPL-3.0-or-later
"""Predicts the label of a series."""

import torch

from .stand_ins import INPUTS, LABELS


def normalise(numbers, columns):
    """Numbers [..., columns] as the model reads them."""
    shift, scale = torch.tensor([column[1:] for column in columns], dtype=torch.float64).T
    return ((numbers - shift) / scale).float()


def label(model, series):
    """The chance of each label of a series [T, columns] in the columns' own units, the likeliest first."""
    with torch.no_grad():
        _, logits, _ = model(normalise(series.double(), INPUTS).unsqueeze(1))
    chances = logits.reshape(-1, len(LABELS))[-1].softmax(0)
    return sorted(zip(LABELS, chances.tolist()), key=lambda entry: -entry[1])


def read_series(path):
    """A step a line, its columns with commas or blanks between: [T, columns]."""
    with open(path, encoding="utf-8-sig") as file:
        steps = [[float(number) for number in line.replace(",", " ").split()] for line in file if line.strip()]
    if not steps or any(len(step) != len(INPUTS) for step in steps):
        raise ValueError(f"{path}: expected {len(INPUTS)} numbers on each line: {', '.join(name for name, _, _ in INPUTS)}")
    return torch.tensor(steps, dtype=torch.float64)

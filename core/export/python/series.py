# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a table of numbers."""

import csv

import torch

from .stand_ins import HORIZON, INPUTS, TARGETS


def read_columns(path, columns):
    """Columns of a CSV file by the names in INPUTS or TARGETS, [rows, columns]; empty cells are NaN. Without a header 1, 2, 3 are meant."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    named = all(name in rows[0] for name, _, _ in columns)
    places = [rows[0].index(name) if named else int(name) - 1 for name, _, _ in columns]
    return torch.tensor([[float(row[place] or "nan") for place in places] for row in rows[named:] if row], dtype=torch.float64)


def normalise(numbers, columns):
    """Numbers [..., columns] as the model reads them: (x - shift) / scale."""
    shift, scale = (torch.tensor([column[i] for column in columns], dtype=torch.float64) for i in (1, 2))
    return ((numbers - shift) / scale).float()


def restore(numbers, columns):
    """The way back, from what the model tells to the units of the table."""
    shift, scale = (torch.tensor([column[i] for column in columns], dtype=torch.float64) for i in (1, 2))
    return numbers.double() * scale + shift


def series_batches(path, steps, length, batch, seed=0):
    """`steps` batches of random windows of a CSV file: (features, targets), [length, batch, columns]."""
    features, targets = (normalise(read_columns(path, columns), columns) for columns in (INPUTS, TARGETS))
    features, generator = features.nan_to_num(0.0), torch.Generator().manual_seed(seed)
    for _ in range(steps):
        starts = torch.randint(len(features) - HORIZON - length + 1, (batch,), generator=generator)
        window = starts + torch.arange(length).unsqueeze(1)
        yield features[window], targets[window + HORIZON]

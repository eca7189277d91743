# SPDX-License-Identifier: GPL-3.0-or-later
"""What weights add to the loss."""

import torch
import torch.nn.functional as F

from .stand_ins import PENALTIES


def mean_cosine(vectors):
    """The mean |cos| of the angle between two of the vectors [count, size]; one alone gives 0."""
    units, count = F.normalize(vectors, dim=1, eps=1e-7), len(vectors)
    cosines = torch.matmul(units, units.t()) * (1 - torch.eye(count, dtype=units.dtype, device=units.device))
    return cosines.abs().sum() / max(count * (count - 1), 1)


def add_penalties(model):
    """Adds the gradients of what the weights in PENALTIES add to the loss; gives the sum of that."""
    total = 0.0
    for name, weight in model.named_parameters():
        if name in PENALTIES:
            l1, l2, orthogonal, columns = PENALTIES[name]
            penalty = l1 * weight.abs().sum() + l2 * weight.square().sum()
            if orthogonal:
                rows = weight.flatten(1)
                penalty = penalty + orthogonal * mean_cosine(rows.t() if columns else rows)
            penalty.backward()
            total += penalty.item()
    return total

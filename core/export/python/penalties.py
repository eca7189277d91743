# SPDX-License-Identifier: GPL-3.0-or-later
"""What weights add to the loss."""

from .stand_ins import PENALTIES


def add_penalties(model):
    """Adds the gradients of what the weights in PENALTIES add to the loss; gives the sum of that."""
    total = 0.0
    for name, weight in model.named_parameters():
        if name in PENALTIES:
            l1, l2 = PENALTIES[name]
            penalty = l1 * weight.abs().sum() + l2 * weight.square().sum()
            penalty.backward()
            total += penalty.item()
    return total

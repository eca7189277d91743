# SPDX-License-Identifier: GPL-3.0-or-later
"""States of cells that begin from learned numbers."""

import torch


def begun(carried, start):
    """The state of a cell whose sequences begin at start. What is carried is how far it has moved from there, 0 in a sequence
    that has not begun. Where that is, is not learned from sequences that have: their state is carried without gradients."""
    if carried is None:
        return start
    before = sum(part.ne(0).any(1, keepdim=True) for part in carried) > 0
    before = before & (not any(part.requires_grad for part in carried))
    return tuple(part + torch.where(before, first.detach(), first) for part, first in zip(carried, start))


def moved(state, start):
    """What is carried of such a state."""
    return tuple(part - first for part, first in zip(state, start))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What weights are held to."""

import torch

from .stand_ins import CONSTRAINTS


def constrain(model):
    """Brings the weights in CONSTRAINTS back to where they are held: norms are of rows or columns, or of a vector as a whole."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            kind, dim, smallest, largest, rate = CONSTRAINTS.get(name, ("", -1, 0.0, 0.0, 1.0))
            norm = weight.norm(dim=dim, keepdim=True)
            if kind == "max_norm":
                weight.mul_((largest / norm).clamp(max=1))
            elif kind == "min_max_norm":
                weight.mul_(1 + rate * (torch.where(norm > 0, norm.clamp(smallest, largest) / norm, 1.0) - 1))
            elif kind == "unit_norm":
                weight.div_(torch.where(norm > 0, norm, 1.0))
            elif kind == "non_negative":
                weight.clamp_(min=0)

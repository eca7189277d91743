# SPDX-License-Identifier: GPL-3.0-or-later
"""What weights are held to."""

import torch

from .stand_ins import CONSTRAINTS


def constrain(model):
    """Brings the weights in CONSTRAINTS back to where they are held: norms are of rows, or of a vector as a whole."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            kind, largest = CONSTRAINTS.get(name, ("", 0.0))
            norm = weight.norm(dim=-1, keepdim=True)
            if kind == "max_norm":
                weight.mul_((largest / norm).clamp(max=1))
            elif kind == "unit_norm":
                weight.div_(torch.where(norm > 0, norm, 1.0))
            elif kind == "non_negative":
                weight.clamp_(min=0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Adam; weight decay is added to the gradient (L2)."""

import torch

from .stand_ins import TRAINING


def update_rule(groups):
    t = TRAINING
    return torch.optim.Adam(groups, lr=t["learning_rate"], betas=(t["beta1"], t["beta2"]), eps=t["epsilon"], fused=True)

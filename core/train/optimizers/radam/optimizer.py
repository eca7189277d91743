# SPDX-License-Identifier: GPL-3.0-or-later
"""RAdam: Adam with rectified (damped) first steps; decoupled weight decay."""

import torch

from .stand_ins import TRAINING


def update_rule(groups):
    t = TRAINING
    return torch.optim.RAdam(groups, lr=t["learning_rate"], betas=(t["beta1"], t["beta2"]), eps=t["epsilon"], decoupled_weight_decay=True)

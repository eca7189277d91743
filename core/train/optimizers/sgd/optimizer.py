# SPDX-License-Identifier: GPL-3.0-or-later
"""Stochastic gradient descent, with momentum if set."""

import torch

from .stand_ins import TRAINING


def update_rule(groups):
    return torch.optim.SGD(groups, lr=TRAINING["learning_rate"], momentum=TRAINING["momentum"])

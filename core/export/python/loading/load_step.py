# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads one step as a program of torch.export; "exported" stands for its path."""

import torch

program = torch.export.load("exported")
print(*program.graph_signature.user_inputs)  # the input of a step, and the parts of all states
step = program.module()

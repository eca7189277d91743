# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def lower_bound(table, layer):
    """The shares of layers 1 .. layer of a softmax over a table [layers, units]; 0 without a table."""
    return 0.0 if table is None else torch.softmax(table, dim=0)[1 : layer + 1].sum(dim=0)

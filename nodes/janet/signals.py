# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from stacked_signals import stacked


def cell(p, walk):
    s, g = (walk.from_input + walk.from_state).chunk(2, dim=2)
    h = walk.shown("f") * walk.before("h") + walk.shown("i") * walk.shown("g")
    return {"f": torch.sigmoid(s), "i": 1 - torch.sigmoid(s - p["beta"]), "g": torch.tanh(g), "h": h}


def made(case, shown):
    return stacked(case, shown, cell)

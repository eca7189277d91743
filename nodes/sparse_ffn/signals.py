# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F


def made(case, shown):
    """Each step by itself: the rows of the units that are kept, one after the other."""
    module, x = case.module(), case.tensors["input.x.0"]
    z = (x @ module.weight_low.t() @ module.weight_control.t()).unflatten(-1, (-1, module.block_size))
    m = F.one_hot(z.argmax(-1), module.block_size).to(x.dtype).flatten(-2)
    up, down = (0 if bias is None else bias for bias in (module.bias_up, module.bias_down))
    h = (x @ module.weight_up.t() + up).clamp(min=0) * shown["m"]
    y = torch.stack([sum(h * row for h, row in zip(each, module.weight_down)) for each in shown["h"].flatten(0, 1)])
    y = y.unflatten(0, x.shape[:2]) + down
    return {"m": m, "h": h, "y": y}, y

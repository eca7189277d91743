# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def at_masked_steps(y, mask, rule, directions=1):
    """What a recurrent cell gives at masked steps, of y [T, B, width] as it is read there from the state that they hold: read leaves
    that; zero is 0; hold repeats the output of the last real step before, 0 before the first of the pass. Of two directions, side by
    side, the second holds what its walk, from the last step on, came by before."""
    if mask is None or rule == "read":
        return y
    y = torch.where(mask.unsqueeze(-1), y, 0.0)
    if rule == "zero":
        return y
    steps, sides = torch.arange(len(y), device=y.device).unsqueeze(1), []
    for side, turned in zip(y.chunk(directions, dim=-1), (False, True)):
        side, real = (side.flip(0), mask.flip(0)) if turned else (side, mask)
        last = torch.where(real, steps, 0).cummax(dim=0).values  # before the first it is step 0, which is masked then
        side = side.gather(0, last.unsqueeze(-1).expand_as(side))
        sides.append(side.flip(0) if turned else side)
    return torch.cat(sides, dim=-1)

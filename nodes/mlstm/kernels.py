# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "outer_scan", "dense_product"


def stabilisers(write, keep, before, mask):
    """m of all steps: F_t + max(m_0, i~_s - F_s over s <= t) with the sums F of ln f. In double, since F grows with the steps."""
    write, keep = write.double(), keep.double()
    if mask is not None:
        keep = torch.where(mask.unsqueeze(-1), keep, 0.0)
    sums = keep.cumsum(0)
    entering = write - sums
    if mask is not None:
        entering = torch.where(mask.unsqueeze(-1), entering, -math.inf)
    largest = torch.cummax(torch.cat([before.double().unsqueeze(0), entering]), dim=0)[0]
    return (sums + largest[1:]).to(before.dtype)


def forward(self, x, state=None, mask=None):
    heads, size = self.heads, self.size
    weight = torch.cat([layer.weight for layer in (self.q, self.k, self.v, self.ogate_preact)])
    q, k, v, o = dense(x, weight).unflatten(-1, (4, heads, size)).unbind(2)
    gates = (self.igate_preact, self.fgate_preact)
    both = dense(x, torch.cat([layer.weight for layer in gates]), torch.cat([layer.bias for layer in gates]))
    write, keep = self.capped(both).chunk(2, dim=-1)
    keep = F.logsigmoid(keep)
    held = heads * size * (size + 1)
    state = x.new_zeros(x.shape[1], held + heads) if state is None else state[0]
    S, first = state.split([held, heads], dim=1)
    m = stabilisers(write, keep, first, mask)
    before = torch.cat([first.unsqueeze(0), m[:-1]])
    i, f = torch.exp((write - m).clamp(max=0)), torch.exp((keep + before - m).clamp(max=0))
    v = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)  # what n sums up
    read, S = ops.outer_scan(q / math.sqrt(size), k * i.unsqueeze(-1), v, f, S.unflatten(1, (heads, size, size + 1)), mask)
    least = torch.exp(-m).unsqueeze(-1)
    y = self.normed(read[..., :-1] / (torch.maximum(read[..., -1:].abs(), least) + 1e-6))
    y = dense(y * torch.sigmoid(o.flatten(2)), self.out_proj.weight)
    return real_steps(y, mask), (torch.cat([S.flatten(1), m[-1]], dim=1),)

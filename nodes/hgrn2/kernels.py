# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps
from shared.lower_bound import lower_bound

uses = "outer_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    layers = self.q_proj, self.f_proj, self.i_proj
    bias = torch.cat([layer.bias for layer in layers]) if self.hgru else None
    q, a, i = dense(x, torch.cat([layer.weight for layer in layers]), bias).chunk(3, dim=-1)
    q, i = (torch.sigmoid(q), F.silu(i)) if self.hgru else (F.silu(q), i)
    l = lower_bound(self.lower_bounds, self.layer)
    f, k = l + (1 - l) * torch.sigmoid(a), (1 - l) * torch.sigmoid(-a)
    q, k, f, i = (part.unflatten(-1, (self.heads, -1)) for part in (q, k, f, i))
    q = q if self.hgru else q / q.shape[-1] ** 0.5
    S = None if state is None else state[0].unflatten(-1, (*k.shape[2:], k.shape[-1]))
    y, last = ops.outer_scan(q, k, i, f, S, mask)
    y = dense(self.g_norm(y.flatten(2)), self.o_proj.weight, self.o_proj.bias)
    return real_steps(y, mask), (last.flatten(1),)

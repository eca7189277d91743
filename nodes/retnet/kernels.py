# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "outer_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    layers = self.q_proj, self.k_proj, self.v_proj, self.g_proj
    parts = dense(x, torch.cat([layer.weight for layer in layers])).split(
        [len(layer.weight) for layer in layers], dim=-1
    )
    q, k, v, g = (part.unflatten(-1, (self.heads, -1)) for part in parts)
    k = k / k.shape[-1] ** 0.5
    S = None if state is None else state[0].unflatten(-1, (*k.shape[2:], v.shape[-1]))
    steps = torch.ones(x.shape[:2], dtype=torch.float64, device=x.device) if mask is None else mask.double()
    places = steps.cumsum(dim=0).unsqueeze(-1)
    a = 1 - torch.exp2(-5 - torch.arange(self.heads, dtype=x.dtype, device=x.device))
    y, S = ops.outer_scan(self.turned(q, places), self.turned(k, places), v, a, S, mask)
    S = self.turned(S.transpose(-1, -2), -places[-1].unsqueeze(-1)).transpose(-1, -2)
    y = dense((self.normed(y) * F.silu(g)).flatten(2), self.out_proj.weight)
    return real_steps(y, mask), (S.reshape(len(S), -1),)

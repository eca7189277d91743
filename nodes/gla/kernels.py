# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "outer_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    weight = torch.cat([layer.weight for layer in (self.q_proj, self.k_proj, self.v_proj, self.g_proj)])
    q, k, v, g = dense(x, weight).unflatten(-1, (4, self.heads, -1)).unbind(2)
    narrow, wide = self.gk_proj
    a = dense(dense(x, narrow.weight), wide.weight, wide.bias).unflatten(-1, (self.heads, -1))
    q, a = q / q.shape[-1] ** 0.5, torch.exp(F.logsigmoid(a) / self.gate_normalizer)
    S = None if state is None else state[0].unflatten(-1, (*k.shape[2:], v.shape[-1]))
    y, last = ops.outer_scan(q, k, v, a, S, mask)
    y = dense((self.g_norm_swish_gate(y) * F.silu(g)).flatten(2), self.o_proj.weight)
    return real_steps(y, mask), (last.flatten(1),)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, ops, real_steps

uses = "outer_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
    q, k, v = dense(x, weight).unflatten(-1, (3, self.heads, -1)).unbind(2)
    q, k = self.features(q) / q.shape[-1] ** 0.5, self.features(k)
    if self.normalize:
        v = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)
    S = None if state is None else state[0].unflatten(-1, (*k.shape[2:], v.shape[-1]))
    if S is not None and self.normalize:  # sums of weights, never negative
        S = torch.cat([S[..., :-1], S[..., -1:].abs()], dim=-1)
    a = None if self.decay not in ("learned", "retnet") else self.factors(x).flatten()
    y, last = ops.outer_scan(q, k, v, a, S, mask)
    if self.normalize:
        y = y[..., :-1] / (y[..., -1:] + 1e-6)
    return real_steps(dense(y.flatten(2), self.o_proj.weight), mask), (last.flatten(1),)

# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
import torch.nn.functional as F
from shared.by_kernels import StepsBefore, dense, ops, real_steps

uses = "delta_scan", "dense_product"


def forward(self, x, state=None, mask=None, v_first=None):
    heads, N = self.heads, x.shape[-1] // self.heads
    state = x.new_zeros(x.shape[1], heads * N * N + x.shape[-1]) if state is None else state[0]
    S, last = state.split([heads * N * N, x.shape[-1]], dim=1)
    steps = StepsBefore(x, last.unsqueeze(1), mask)
    difference = steps.before(1) - x
    xr, xw, xk, xv, xa, xg = (x + difference * mix for mix in (self.x_r, self.x_w, self.x_k, self.x_v, self.x_a, self.x_g))
    slow = dense(torch.tanh(dense(xw, self.w1.t())), self.w2.t()) + self.w0
    w = torch.exp(-math.exp(-0.5) * torch.sigmoid(slow))
    a = torch.sigmoid(dense(dense(xa, self.a1.t()), self.a2.t()) + self.a0)
    g = dense(torch.sigmoid(dense(xg, self.g1.t())), self.g2.t())
    r, k, v = dense(xr, self.receptance.weight), dense(xk, self.key.weight), dense(xv, self.value.weight)
    if v_first is not None:
        v = v + (v_first - v) * torch.sigmoid(dense(dense(xv, self.v1.t()), self.v2.t()) + self.v0)
    kappa = F.normalize((k * self.k_k).unflatten(-1, (heads, N)), dim=-1)
    k = k * (1 + (a - 1) * self.k_a)
    r, w, k, v, a = (part.unflatten(-1, (heads, N)) for part in (r, w, k, v, a))
    y, _, S = ops.delta_scan(r, k, v, -kappa, kappa * a, w, S.unflatten(1, (heads, N, N)), mask)
    y = self.ln_x(y.flatten(2).flatten(0, 1)).view_as(x) + ((r * k * self.r_k).sum(-1, keepdim=True) * v).flatten(2)
    y, state = real_steps(dense(y * g, self.output.weight), mask), (torch.cat([S.flatten(1), steps.last().flatten(1)], dim=1),)
    return (y, state, real_steps(v.flatten(2), mask)) if self.value_residual else (y, state)

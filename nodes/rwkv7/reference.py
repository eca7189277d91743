# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class RWKV7(nn.Module):
    """Time mixing of RWKV-7, head by head. Each of r, w, k, v, a, g sees its own mixture of the input and the one before it:

    w_t = exp(-exp(-1/2) sigmoid(w0 + tanh(x w1) w2))      a_t = sigmoid(a0 + x a1 a2)      g_t = sigmoid(x g1) g2
    kappa_t = k_t k_k of length 1                          k_t <- k_t (1 + (a_t - 1) k_a)
    S_t = diag(w_t) S_{t-1} - (a_t kappa_t) (S_{t-1}^T kappa_t)^T + k_t v_t^T
    y_t = output((ln_x(S_t^T r_t) + (sum r_t k_t r_k) v_t) g_t)

    Where the first layer's v is given: v_t <- v_t + (v_first_t - v_t) sigmoid(v0 + x v1 v2)
    With value_residual the third result is v, which later layers take of the first one.

    The state is S, then the last input. At masked steps it is kept."""

    def __init__(self, input_size, head_size=16, decay_rank=32, rate_rank=32, gate_rank=64, value_residual=False, value_rank=32,
                 v_first_size=0, masked_output="zero"):
        super().__init__()
        self.masked_output, self.value_residual = masked_output, value_residual
        C, N, self.heads = input_size, head_size, input_size // head_size
        i = torch.arange(C, dtype=torch.double)
        ramp = i / max(1, C - 1)
        zigzag = (i % N - (N - 1) / 2) / max(0.5, (N - 1) / 2)
        zigzag = zigzag * zigzag.abs()

        def vector(values):
            return nn.Parameter(values.view(1, 1, C).float())

        def orthogonal(rows, columns):
            return nn.Parameter(nn.init.orthogonal_(torch.empty(rows, columns), gain=0.1 * math.sqrt(max(1, rows / columns))))

        for name, power in (("x_r", 0.2), ("x_w", 0.9), ("x_k", 0.7), ("x_v", 0.7), ("x_a", 0.9), ("x_g", 0.2)):
            setattr(self, name, vector(1 - (i / C) ** power))
        self.w1, self.w2 = nn.Parameter(torch.zeros(C, decay_rank)), orthogonal(decay_rank, C)
        self.w0 = vector(6 * ramp - 5.5 + 2.5 * zigzag)
        self.a1, self.a2 = nn.Parameter(torch.zeros(C, rate_rank)), orthogonal(rate_rank, C)
        self.a0 = vector(0.3 * zigzag + 0.4 * (ramp - 0.5) - 0.19)
        self.v1 = self.v2 = self.v0 = None
        if v_first_size:  # a later layer
            self.v1, self.v2 = nn.Parameter(torch.zeros(C, value_rank)), orthogonal(value_rank, C)
            self.v0 = vector(0.73 - 0.4 * (ramp - 0.5))
        self.g1, self.g2 = nn.Parameter(torch.zeros(C, gate_rank)), orthogonal(gate_rank, C)
        self.k_k, self.k_a = vector(0.71 - 0.1 * (ramp - 0.5)), vector(torch.full((C,), 1.02))
        self.r_k = nn.Parameter(torch.full((self.heads, N), -0.04))
        self.receptance, self.key, self.value, self.output = (nn.Linear(C, C, bias=False) for _ in range(4))
        for linear, scale in ((self.receptance, 0.5), (self.key, 0.05), (self.value, 0.5), (self.output, 0)):
            nn.init.uniform_(linear.weight, -scale / C**0.5, scale / C**0.5)
        self.ln_x = nn.GroupNorm(self.heads, C, eps=64e-5)

    def forward(self, x, state=None, mask=None, v_first=None):
        heads, N = self.heads, x.shape[-1] // self.heads
        S, last = x.new_zeros(x.shape[1], heads, N, N), torch.zeros_like(x[0])
        if state is not None:
            S, last = state[0].split([heads * N * N, x.shape[-1]], dim=1)
            S = S.unflatten(1, (heads, N, N))
        before = []
        for t in range(len(x)):  # the real step before each
            before.append(last)
            last = x[t] if mask is None else torch.where(mask[t].unsqueeze(-1), x[t], last)
        mixes = (self.x_r, self.x_w, self.x_k, self.x_v, self.x_a, self.x_g)
        xr, xw, xk, xv, xa, xg = (x + (torch.stack(before) - x) * mix for mix in mixes)
        w = torch.exp(-math.exp(-0.5) * torch.sigmoid(self.w0 + torch.tanh(xw @ self.w1) @ self.w2))
        a = torch.sigmoid(self.a0 + xa @ self.a1 @ self.a2)
        g = torch.sigmoid(xg @ self.g1) @ self.g2
        r, k, v = self.receptance(xr), self.key(xk), self.value(xv)
        if v_first is not None:
            v = v + (v_first - v) * torch.sigmoid(self.v0 + xv @ self.v1 @ self.v2)
        kappa = F.normalize((k * self.k_k).unflatten(-1, (heads, N)), dim=-1)
        k = k * (1 + (a - 1) * self.k_a)
        r, w, k, v, a = (part.unflatten(-1, (heads, N)) for part in (r, w, k, v, a))
        outputs = []
        for t in range(len(x)):
            found = kappa[t].unsqueeze(-2) @ S
            new = w[t].unsqueeze(-1) * S - (a[t] * kappa[t]).unsqueeze(-1) @ found + k[t].unsqueeze(-1) @ v[t].unsqueeze(-2)
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((r[t].unsqueeze(-2) @ S).flatten(1))
        y = self.ln_x(torch.stack(outputs).flatten(0, 1)).view_as(x)
        y = y + ((r * k * self.r_k).sum(-1, keepdim=True) * v).flatten(2)
        y = self.output(y * g)
        y, state = at_masked_steps(y, mask, self.masked_output), (torch.cat([S.flatten(1), last], dim=1),)
        return (y, state, at_masked_steps(v.flatten(2), mask, self.masked_output)) if self.value_residual else (y, state)

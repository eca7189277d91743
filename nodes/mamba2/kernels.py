# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import StepsBefore, dense, depthwise, ops, real_steps

uses = "outer_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    taps, read, heads, N = self.conv1d.kernel_size[0], self.conv1d.in_channels, self.heads, self.state_size
    held = N * self.inner
    state = x.new_zeros(x.shape[1], held + (taps - 1) * read) if state is None else state[0]
    S, past = state.split([held, (taps - 1) * read], dim=1)
    z, u, d = dense(x, self.in_proj.weight, self.in_proj.bias).split([self.inner, read, heads], dim=-1)
    steps = StepsBefore(u, past.unflatten(1, (taps - 1, read)), mask)
    u = F.silu(depthwise(steps, self.conv1d.weight.squeeze(1), self.conv1d.bias))
    v, B, C = u.split([self.inner, N, N], dim=-1)
    v, delta = v.unflatten(-1, (heads, -1)), F.softplus(d + self.dt_bias)
    key, query = (part.unsqueeze(2).expand(-1, -1, heads, -1) for part in (B, C))
    a = torch.exp(delta * -torch.exp(self.A_log))
    y, last = ops.outer_scan(query, key, v * delta.unsqueeze(-1), a, S.unflatten(1, (heads, N, -1)), mask)
    y = self.norm((y + self.D.unsqueeze(-1) * v).flatten(2) * F.silu(z))
    y = real_steps(dense(y, self.out_proj.weight, self.out_proj.bias), mask)
    return y, (torch.cat([last.flatten(1), steps.last().flatten(1)], dim=1),)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import StepsBefore, dense, depthwise, ops, real_steps

uses = "diag_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    inner, N, taps = self.inner, self.state_size, self.conv1d.kernel_size[0]
    state = x.new_zeros(x.shape[1], inner * (N + taps - 1)) if state is None else state[0]
    h, past = state.split([inner * N, inner * (taps - 1)], dim=1)
    u, z = dense(x, self.in_proj.weight, self.in_proj.bias).chunk(2, dim=-1)
    steps = StepsBefore(u, past.unflatten(1, (taps - 1, inner)), mask)
    u = F.silu(depthwise(steps, self.conv1d.weight.squeeze(1), self.conv1d.bias))
    d, B, C = dense(u, self.x_proj.weight).split([self.dt_rank, N, N], dim=-1)
    delta = F.softplus(dense(d, self.dt_proj.weight, self.dt_proj.bias))
    a = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log)).flatten(2)
    h, last = ops.diag_scan(a, ((delta * u).unsqueeze(-1) * B.unsqueeze(2)).flatten(2), h, mask)
    y = (h.unflatten(2, (inner, N)) @ C.unsqueeze(-1)).squeeze(-1) + self.D * u
    y = dense(y * F.silu(z), self.out_proj.weight, self.out_proj.bias)
    return real_steps(y, mask), (torch.cat([last, steps.last().flatten(1)], dim=1),)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import ops, real_steps

uses = ("diag_scan",)


def rg_lru_gates(self, x):
    """Input gate and recurrence gate: one product for the features of each head."""
    i, a = self.input_gate, self.a_gate
    heads, n, _ = i.w.shape
    rows = x.reshape(-1, heads, n).transpose(0, 1)
    both = torch.bmm(rows, torch.cat([i.w, a.w], dim=2)) + torch.cat([i.b, a.b], dim=1).unsqueeze(1)
    return (torch.sigmoid(part.transpose(0, 1).reshape(x.shape)) for part in both.chunk(2, dim=2))


def forward(self, x, state=None, mask=None):
    i, r = rg_lru_gates(self, x)
    log_a = r * (-8 * F.softplus(self.a_param))
    left = (-torch.expm1(2 * log_a)).clamp(min=torch.finfo(torch.float32).tiny)
    h, last = ops.diag_scan(torch.exp(log_a), torch.sqrt(left) * (i * x), None if state is None else state[0], mask)
    return real_steps(h, mask), (last,)

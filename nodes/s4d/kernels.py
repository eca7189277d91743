# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import complex_state, ops, real_state, real_steps
from shared.discretization import discretize

uses = ("diag_scan",)


def forward(self, x, state=None, mask=None):
    k = self.kernel
    lam, gamma = discretize(-torch.exp(k.log_A_real), k.A_imag, torch.exp(k.log_dt).unsqueeze(-1), self.discretization)
    entering = (x[..., None, None] * torch.view_as_real(gamma)).flatten(2, 3)
    h, last = ops.diag_scan(lam.flatten(), torch.view_as_complex(entering), complex_state(state), mask)
    pairs = 2 * torch.stack([k.C[..., 0], -k.C[..., 1]], dim=2)
    y = (torch.view_as_real(h).unflatten(2, lam.shape) * pairs).sum((-2, -1)) + self.D * x
    return real_steps(y, mask), real_state(last)

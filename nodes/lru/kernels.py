# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import complex_state, dense, ops, real_state, real_steps

uses = "diag_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    """B x is one real product whose outputs lie in pairs, and Re(C h) one over the pairs."""
    decay = torch.exp(self.nu_log)
    lam = torch.polar(torch.exp(-decay), torch.exp(self.theta_log))
    gamma = torch.sqrt(-torch.expm1(-2 * decay)) if self.gamma_log is None else torch.exp(self.gamma_log)
    rows = torch.stack([self.B_re * gamma.unsqueeze(-1), self.B_im * gamma.unsqueeze(-1)], dim=1).flatten(0, 1)
    Bx = torch.view_as_complex(dense(x, rows).unflatten(-1, (-1, 2)))
    h, last = ops.diag_scan(lam, Bx, complex_state(state), mask)
    y = dense(torch.view_as_real(h).flatten(2), torch.stack([self.C_re, -self.C_im], dim=2).flatten(1))
    if self.D is not None:
        y = y + (self.D * x if self.D.dim() == 1 else dense(x, self.D))
    return real_steps(y, mask), real_state(last)

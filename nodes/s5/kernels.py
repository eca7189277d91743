# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import complex_state, dense, ops, real_state, real_steps
from shared.discretization import discretize

uses = "diag_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    """gamma B x is one real product whose outputs lie in pairs, and Re(C h) one over the pairs."""
    re = self.Lambda_re.clamp(max=-1e-4) if self.clip_eigs else self.Lambda_re
    lam, gamma = discretize(re, self.Lambda_im, torch.exp(self.log_step), self.discretization)
    rows = torch.view_as_real(gamma.unsqueeze(-1) * torch.view_as_complex(self.B)).transpose(1, 2).flatten(0, 1)
    Bx = torch.view_as_complex(dense(x, rows).unflatten(-1, (-1, 2)))
    h, last = ops.diag_scan(lam, Bx, complex_state(state), mask)
    pairs = torch.stack([self.C[..., 0], -self.C[..., 1]], dim=2).flatten(1)
    y = dense(torch.view_as_real(h).flatten(2), pairs * self.scale) + self.D * x
    return real_steps(y, mask), real_state(last)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps
from shared.lower_bound import lower_bound

uses = "diag_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    """A complex h is scanned as it lies in the rows of i_proj: 2 j and 2 j + 1 are the parts of unit j."""
    a, l = dense(x, self.f_proj.weight, self.f_proj.bias), lower_bound(self.lower_bounds, self.layer)
    f, enters = l + (1 - l) * torch.sigmoid(a), (1 - l) * torch.sigmoid(-a)
    i, h = F.silu(dense(x, self.i_proj.weight, self.i_proj.bias)), None if state is None else state[0]
    if self.complex:
        turned = torch.polar(torch.ones_like(self.theta), self.theta)
        b = torch.view_as_complex((enters.unsqueeze(-1) * i.unflatten(-1, (-1, 2))).contiguous())
        start = None if h is None else torch.complex(*(part.contiguous() for part in h.chunk(2, dim=-1)))
        h, last = ops.diag_scan(f * turned, b, start, mask)
        h, last = (torch.cat([part.real, part.imag], dim=-1) for part in (h, last))
    else:
        h, last = ops.diag_scan(f, enters * i, h, mask)
    y = self.g_norm(h) * F.silu(dense(x, self.g_proj.weight, self.g_proj.bias))
    return real_steps(dense(y, self.o_proj.weight, self.o_proj.bias), mask), (last,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "cell_steps", "dense_product"


def forward(self, x, state=None, mask=None):
    """One product, whose rows are brought from gate by gate to head by head, and one walk."""
    heads = len(self.recurrent_kernel)
    by_head = lambda rows: rows.unflatten(0, (4, heads, -1)).transpose(0, 1).flatten(0, 2)
    u = dense(x, by_head(self.weight), by_head(self.bias))
    cell = "slstm" if self.log_forget is F.logsigmoid else "slstm_exp"
    h, _, last = ops.cell_steps(u, self.recurrent_kernel, None if state is None else torch.cat(state, dim=1), mask, cell=cell)
    return real_steps(h, mask), last.chunk(4, dim=1)

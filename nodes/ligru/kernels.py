# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "cell_steps", "dense_product"


def forward(self, x, state=None, mask=None):
    """One product and its norm for all steps, and one walk."""
    cell = "ligru_tanh" if self.nonlinearity is torch.tanh else "ligru_relu"
    u, norm = dense(x, self.w.weight, self.w.bias), self.norm
    if norm is not None:
        u = F.layer_norm(u, norm.normalized_shape, norm.weight, norm.bias, norm.eps)
    h, _, last = ops.cell_steps(u, self.u.weight.unsqueeze(0), None if state is None else state[0], mask, cell=cell)
    return real_steps(h, mask), (last,)

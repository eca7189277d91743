# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, real_steps, sru_walks
from shared.sru_recurrence import sru_dropout_mask

uses = "sru_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    """One product for all steps and directions, and a walk for each direction."""
    width = x.shape[-1]
    z = self.layer_norm(x) if self.layer_norm is not None and not self.normalize_after else x
    if self.training and self.rnn_dropout > 0:
        z = z * sru_dropout_mask(x, width, self.rnn_dropout)
    drop = sru_dropout_mask(x, self.out, self.dropout) if self.training and self.dropout > 0 else None
    if self.weight_proj is not None:
        z = dense(z, self.weight_proj)
    activation = "tanh" if self.activation is torch.tanh else "identity"
    skips_input = self.has_skip_term and self.k == 3
    c0 = None if state is None else state[0]
    u = z if self.weight is None else dense(z, self.weight)
    y, ends = sru_walks(self, u, x, c0, mask, drop, skips_input, activation)
    if self.layer_norm is not None and self.normalize_after:
        y = real_steps(self.layer_norm(y), mask)
    return y, (ends[0] if self.dirs == 1 else torch.cat(ends, dim=-1),)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, ops, real_steps
from shared.sru_recurrence import sru_dropout_mask

uses = "sru_scan", "dense_product"


def forward(self, x, state=None, mask=None):
    """One product for all steps and directions, and a walk for each direction."""
    T, B, width = x.shape
    z = self.layer_norm(x) if self.layer_norm is not None and not self.normalize_after else x
    if self.training and self.rnn_dropout > 0:
        z = z * sru_dropout_mask(x, width, self.rnn_dropout)
    drop = sru_dropout_mask(x, self.out, self.dropout) if self.training and self.dropout > 0 else None
    if self.weight_proj is not None:
        z = dense(z, self.weight_proj)
    u = dense(z, self.weight).view(T, B, self.dirs, self.k, self.units)
    u = u.unbind(2) if self.dirs > 1 else (u.squeeze(2),)

    v, b = self.weight_c.view(2, self.dirs, self.units), self.bias.view(2, self.dirs, self.units)
    skips_input = self.has_skip_term and self.k == 3
    activation = "tanh" if self.activation is torch.tanh else "identity"
    outputs, last = [], []
    for d in range(self.dirs):
        mine = slice(d * self.units, (d + 1) * self.units)
        h, _, c = ops.sru_scan(
            u[d],
            v[:, d],
            b[:, d],
            x[..., mine] if skips_input else None,
            None if state is None else state[0][:, mine],
            mask,
            None if drop is None else drop[:, mine],
            scale_x=self.scale_x if skips_input else 1.0,
            activation=activation,
            reverse=d == 1,
        )
        outputs.append(h)
        last.append(c)
    y, c = (outputs[0], last[0]) if self.dirs == 1 else (torch.cat(outputs, dim=-1), torch.cat(last, dim=-1))
    if self.layer_norm is not None and self.normalize_after:
        y = real_steps(self.layer_norm(y), mask)
    return y, (c,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, stacked

uses = "gru_steps", "dense_product"


def forward(self, x, state=None, mask=None):
    """Each layer and direction is one product and one walk."""

    def walk(x, start, place, reverse):
        w_ih, w_hh = getattr(self, "weight_ih" + place), getattr(self, "weight_hh" + place)
        b_ih, b_hh = getattr(self, "bias_ih" + place, None), getattr(self, "bias_hh" + place, None)
        inside = None
        if self.convention == "reset_after":  # r gates the bias of n too
            inside = w_hh.new_zeros(self.units) if b_hh is None else b_hh[2 * self.units :]
            b_hh = None if b_hh is None else F.pad(b_hh[: 2 * self.units], (0, self.units))
        u = dense(x, w_ih, None if b_ih is None else b_ih + b_hh)
        h, last, _ = ops.gru_steps(
            u, w_hh, inside, start, mask, convention=self.convention, reverse=reverse, keeps=torch.is_grad_enabled()
        )
        return h, last

    return stacked(self, x, state, walk, mask)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, ops, stacked

uses = "rnn_steps", "dense_product"


def forward(self, x, state=None, mask=None):
    """Each layer and direction is one product and one walk."""
    activation = "tanh" if self.nonlinearity is torch.tanh else "relu"

    def walk(x, start, place, reverse):
        b_ih, b_hh = getattr(self, "bias_ih" + place, None), getattr(self, "bias_hh" + place, None)
        u = dense(x, getattr(self, "weight_ih" + place), None if b_ih is None else b_ih + b_hh)
        return ops.rnn_steps(u, getattr(self, "weight_hh" + place), start, mask, activation=activation, reverse=reverse)

    return stacked(self, x, state, walk, mask)

# SPDX-License-Identifier: GPL-3.0-or-later
from shared.by_kernels import dense, ops, stacked

uses = "cell_steps", "dense_product"


def why_not(self, x, state=None, mask=None):
    return "the walks know no learned state" if self.learned else None


def forward(self, x, state=None, mask=None):
    """Each layer and direction is one product and one walk."""

    def walk(x, start, place, reverse):
        b_ih, b_hh = getattr(self, "bias_ih" + place, None), getattr(self, "bias_hh" + place, None)
        u = dense(x, getattr(self, "weight_ih" + place), None if b_ih is None else b_ih + b_hh)
        weight = getattr(self, "weight_hh" + place).unsqueeze(0)
        h, _, last = ops.cell_steps(u, weight, start, mask, cell="janet", beta=self.beta, reverse=reverse)
        return h, last

    return stacked(self, x, state, walk, mask)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, ops
from shared.masked_output import at_masked_steps

uses = "cfc_steps", "dense_product"
ACTIVATIONS = {"LeCunTanh": "lecun_tanh", "Tanh": "tanh", "ReLU": "relu", "SiLU": "silu"}


def why_not(self, x, state=None, mask=None, dt=None):
    if self.mode == "pure":
        return "the walk has no pure mode"
    if len(self.backbone) != 2:
        return "the walk has one backbone layer"
    return None if type(self.backbone[1]).__name__ in ACTIVATIONS else "the walk has no gelu"


def forward(self, x, state=None, mask=None, dt=None):
    """One product for x, and one walk."""
    linear, activation = self.backbone
    of_x, of_h = linear.weight.split([x.shape[2], self.units], dim=1)
    heads = [self.ff1, self.ff2, self.time_a, self.time_b]
    h, _, last = ops.cfc_steps(
        dense(x, of_x, linear.bias),
        of_h,
        [head.weight for head in heads],
        torch.cat([head.bias for head in heads]),
        None if dt is None else dt.expand(*x.shape[:2], self.units),
        None if state is None else state[0],
        mask,
        activation=ACTIVATIONS[type(activation).__name__],
        gated=self.mode == "default",
    )
    return at_masked_steps(h, mask, self.masked_output), (last,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import dense, ops

uses = "gated_scan", "dense_product"


def min_gru_rows(self, rows):
    """Rows hidden, gate in the order and with the sign of the scan, whose gate keeps: 1 - z = sigmoid(-a_z)."""
    return None if rows is None else torch.cat([-rows[self.units :], rows[: self.units]])


def forward(self, x, state=None, mask=None):
    layer = self.to_hidden_and_gate
    gates = dense(x, min_gru_rows(self, layer.weight), min_gru_rows(self, layer.bias))
    plain = isinstance(self.activation, torch.nn.Identity)
    candidate = "identity" if plain else "tanh" if self.activation is torch.tanh else "positive"
    start = None if state is None else state[0]
    u, _, last = ops.gated_scan([gates], start, mask, candidate=candidate, output_gate=False)
    return u, (last,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps, ternary

uses = "gated_scan", "diag_scan", "ternary_dense", "dense_product"


def grumml_layer(self, name, x):
    weight, gain, bias = (getattr(self, kind + name) for kind in ("weight_", "gain_", "bias_"))
    if gain is None:
        return dense(x, weight, bias)
    scales = len(name) if self.scales == "per_gate" else 1
    epsilon = 1e-6 if self.variant == "mmfreelm" else 1e-8
    return ternary(x, gain, weight, bias, self.gradient, scales, epsilon)


def forward(self, x, state=None, mask=None, table=None):
    """The scan reads the layers' outputs as they lie. Gates that it lacks are made before."""
    table = self.lower_bound if table is None else table
    start, mmfreelm = None if state is None else state[0], self.variant == "mmfreelm"
    made = [grumml_layer(self, name, x) for name in self.gate_layers]
    candidate = {F.silu: "silu", torch.tanh: "tanh"}.get(self.activation)
    bounded = table is not None and self.layer > 0
    if self.gate is torch.sigmoid and not bounded and candidate:
        gates = made[:-1] if mmfreelm else made
        u, h, last = ops.gated_scan(gates, start, mask, candidate=candidate, output_gate=not mmfreelm)
        u = self.shown(made[-1], h) if mmfreelm else u
    else:
        a_f, a_c, a_g = torch.cat(made, dim=-1).chunk(3, dim=-1)
        f = self.forget_gate(a_f, table)
        h, last = ops.diag_scan(f, (1 - f) * self.activation(a_c), start, mask)
        u = self.shown(a_g, h)
    y = real_steps(grumml_layer(self, "o", u), mask)
    return (y, (last,), table) if self.share_table else (y, (last,))

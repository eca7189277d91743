# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from shared.by_kernels import StepsBefore, dense, ops

uses = "gated_scan", "dense_product"

OPEN = 1e4  # sigmoid is 1 there in any precision


def qrnn_rows(self, rows):
    """Rows z f o in the order of the scan, f z o, and with its sign: its f keeps."""
    z, f, *o = rows.split(self.units)
    return torch.cat([f if self.f_keeps else -f, z, *o])


def qrnn_zoned_out(self, gates):
    """Zoneout drops what a step writes, 1 - f, with chance p; afterwards it writes the (1 - p)-th part:
    p + (1 - p) sigmoid(a) is sigmoid(ln(p + e^a) - ln(1 - p))."""
    if self.zoneout == 0:
        return [gates]
    f, others = gates.split([self.units, gates.shape[2] - self.units], dim=2)
    if self.training:
        return [f.masked_fill(torch.empty_like(f).bernoulli_(1 - self.zoneout) == 0, OPEN), others]
    return [torch.logaddexp(f, f.new_full((), math.log(self.zoneout))) - math.log1p(-self.zoneout), others]


def forward(self, x, state=None, mask=None):
    T, B, width = x.shape
    reach, start = self.window - 1, None if state is None else state[0][:, : self.units]
    seen = x
    if reach > 0:
        kept = x.new_zeros(B, reach * width) if state is None else state[0][:, self.units :]
        steps = StepsBefore(x, kept.unflatten(1, (reach, width)), mask)
        seen = torch.cat([x, *(steps.before(back) for back in range(1, self.window))], dim=2)
    gates = dense(seen, qrnn_rows(self, self.linear.weight), qrnn_rows(self, self.linear.bias))
    gates = qrnn_zoned_out(self, gates)
    u, _, c = ops.gated_scan(gates, start, mask, candidate="tanh", output_gate=self.pooling == "fo")
    return u, (torch.cat([c, steps.last().flatten(1)], dim=1) if reach > 0 else c,)

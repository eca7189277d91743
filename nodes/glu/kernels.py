# SPDX-License-Identifier: GPL-3.0-or-later
from shared.by_kernels import dense, ternary

uses = "ternary_dense", "dense_product"


def glu_layer(self, name, x):
    weight, gain, bias = (getattr(self, kind + name) for kind in ("weight_", "gain_", "bias_"))
    return dense(x, weight, bias) if gain is None else ternary(x, gain, weight, bias, self.gradient)


def forward(self, x):
    g, u = glu_layer(self, "up", x).chunk(2, dim=-1)
    return glu_layer(self, "down", self.activation(g) * u)

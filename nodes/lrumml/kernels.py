# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import complex_state, dense, ops, real_state, real_steps, ternary

uses = "diag_scan", "ternary_dense", "dense_product"


def lrumml_layer(self, name, x):
    weight, gain, bias = getattr(self, name), getattr(self, "gain_" + name), getattr(self, "bias_" + name)
    return dense(x, weight, bias) if gain is None else ternary(x, gain, weight, bias, self.gradient)


def lrumml_shown(self, h):
    """Re(C h). Plain layers are one product over real and imaginary parts in turn, as they lie."""
    if self.gain_C_re is not None:
        return lrumml_layer(self, "C_re", h.real.contiguous()) - lrumml_layer(self, "C_im", h.imag.contiguous())
    bias = None if self.bias_C_re is None else self.bias_C_re - self.bias_C_im
    return dense(torch.view_as_real(h).flatten(2), torch.stack([self.C_re, -self.C_im], dim=2).flatten(1), bias)


def forward(self, x, state=None, mask=None):
    decay = torch.exp(self.nu_log)
    lam = torch.polar(torch.exp(-decay), torch.exp(self.theta_log))
    gamma = torch.sqrt(-torch.expm1(-2 * decay)) if self.gamma_log is None else torch.exp(self.gamma_log)
    Bx = torch.stack([gamma * lrumml_layer(self, "B_re", x), gamma * lrumml_layer(self, "B_im", x)], dim=-1)
    h, last = ops.diag_scan(lam, torch.view_as_complex(Bx), complex_state(state), mask)
    y = lrumml_shown(self, h)
    if self.skip != "none":
        y = y + (self.D * x if self.skip == "vector" else lrumml_layer(self, "D", x))
    return real_steps(y, mask), real_state(last)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F


def straight_through(value, rounded):
    """rounded, with the gradient of value."""
    return value + (rounded - value).detach()


def quantise_rows(n):
    """Each row in 255 steps of its largest element (int8 range)."""
    s = 127 / n.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5)
    return straight_through(n, torch.clamp(torch.round(n * s), -128, 127) / s)


def ternary_weight(weight, gradient, scales=1):
    """a q: q in {-1, 0, 1}, a = mean |w|, over each of so many equal parts of the rows."""
    w = weight.unflatten(0, (scales, -1))
    a = w.abs().mean(dim=(1, 2), keepdim=True).clamp(min=1e-5)
    q = torch.clamp(torch.round(w / a), -1, 1).detach()
    rounded = straight_through(w, q) * a if gradient == "keras" else straight_through(w, q * a)
    return rounded.flatten(0, 1)


def ternary_dense(x, gain, weight, bias, gradient, scales=1, epsilon=1e-8):
    n = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + epsilon) * gain
    return F.linear(quantise_rows(n), ternary_weight(weight, gradient, scales), bias)

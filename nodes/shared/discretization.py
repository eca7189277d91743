# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def discretize(re, im, dt, method="zoh"):
    """Of the modes dh/dt = A h + b, A = re + i im: factors lambda and gamma of h_t = lambda h_{t-1} + gamma b_t.

    zoh: lambda = exp(dt A), gamma = (exp(dt A) - 1) / A; the input is held over a step.
    bilinear: lambda = (1 + dt A / 2) / (1 - dt A / 2), gamma = dt / (1 - dt A / 2)."""
    x, y = re * dt, im * dt
    if method == "bilinear":
        below = torch.complex(1 - x / 2, -y / 2)
        return torch.complex(1 + x / 2, y / 2) / below, dt / below
    # exp(z) - 1 without the cancellation at small z
    less_one = torch.complex(torch.expm1(x) * torch.cos(y) - 2 * torch.sin(y / 2) ** 2, torch.exp(x) * torch.sin(y))
    return torch.polar(torch.exp(x), y), less_one / torch.complex(re, im)


def hippo_frequencies(size):
    """Imaginary parts of the eigenvalues of HiPPO-N, the normal part of HiPPO-LegS, in rising order; the real parts are all -1/2."""
    p = torch.sqrt(torch.arange(size, dtype=torch.float64) + 0.5)
    skew = torch.outer(p, p).triu(1) - torch.outer(p, p).tril(-1)
    return torch.linalg.eigvalsh(-1j * skew)

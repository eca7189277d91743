# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def share_by_series(z):
    """(exp(z) - 1) / z = 1 + z / 2 + z² / 6 + ... for |z| below 1 / 32, 1 at 0. What is left out is below 1e-20."""
    total = z / 362880 + 1 / 40320
    for factorial in (5040, 720, 120, 24, 6, 2, 1):
        total = total * z + 1 / factorial
    return total


def discretize(re, im, dt, method="zoh"):
    """Of the modes dh/dt = A h + b, A = re + i im: factors lambda and gamma of h_t = lambda h_{t-1} + gamma b_t.

    zoh: lambda = exp(dt A), gamma = (exp(dt A) - 1) / A, dt where A is 0; the input is held over a step.
    bilinear: lambda = (1 + dt A / 2) / (1 - dt A / 2), gamma = dt / (1 - dt A / 2)."""
    x, y = re * dt, im * dt
    if method == "bilinear":
        below = torch.complex(1 - x / 2, -y / 2)
        return torch.complex(1 + x / 2, y / 2) / below, dt / below
    # exp(z) - 1 without the cancellation at small z
    less_one = torch.complex(torch.expm1(x) * torch.cos(y) - 2 * torch.sin(y / 2) ** 2, torch.exp(x) * torch.sin(y))
    # Each form reads what is safe for it where the other one counts: no 0 / 0 in values or gradients.
    small, z = x * x + y * y < (1 / 32) ** 2, torch.complex(x, y)
    series = dt * share_by_series(torch.where(small, z, torch.zeros_like(z)))
    quotient = less_one / torch.where(small, torch.ones_like(z), torch.complex(re, im))
    return torch.polar(torch.exp(x), y), torch.where(small, series, quotient)


def hippo_frequencies(size):
    """Imaginary parts of the eigenvalues of HiPPO-N, the normal part of HiPPO-LegS, in rising order; the real parts are all -1/2."""
    p = torch.sqrt(torch.arange(size, dtype=torch.float64) + 0.5)
    skew = torch.outer(p, p).triu(1) - torch.outer(p, p).tril(-1)
    return torch.linalg.eigvalsh(-1j * skew)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import math

from shared.discretization import discretize
from shared.masked_output import at_masked_steps


class S4DKernel(nn.Module):
    """A = -exp(log_A_real) + i A_imag and C [features, modes], the step exp(log_dt) [features]."""

    def __init__(self, features, modes):
        super().__init__()
        self.log_dt = nn.Parameter(torch.empty(features).uniform_(math.log(0.001), math.log(0.1)))
        self.log_A_real = nn.Parameter(torch.full((features, modes), math.log(0.5)))
        self.A_imag = nn.Parameter(math.pi * torch.arange(modes).repeat(features, 1).float())
        self.C = nn.Parameter(torch.randn(features, modes, 2) / math.sqrt(2))


class S4D(nn.Module):
    """Each feature of x has complex modes of its own, each for itself and its conjugate:

    lambda, gamma = discretize(A, dt)
    h_t = lambda h_{t-1} + gamma x_t      y_t = 2 Re(sum over modes of C h_t) + D x_t

    h is complex, [B, features * modes], feature by feature. At masked steps h is kept."""

    def __init__(self, input_size, state_size=32, discretization="zoh", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.discretization = discretization
        self.kernel = S4DKernel(input_size, state_size)
        self.D = nn.Parameter(torch.randn(input_size))

    def forward(self, x, state=None, mask=None):
        k = self.kernel
        lam, gamma = discretize(-torch.exp(k.log_A_real), k.A_imag, torch.exp(k.log_dt).unsqueeze(-1), self.discretization)
        C = 2 * torch.complex(k.C[..., 0], k.C[..., 1])

        h = lam.new_zeros(x.shape[1], *lam.shape) if state is None else torch.complex(*state).unflatten(-1, lam.shape)
        outputs = []
        for t, x_t in enumerate(x.unbind(0)):
            new = lam * h + gamma * x_t.unsqueeze(-1)
            h = new if mask is None else torch.where(mask[t].view(-1, 1, 1), new, h)
            outputs.append((h * C).sum(-1).real + self.D * x_t)
        h = h.flatten(1)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h.real.contiguous(), h.imag.contiguous())

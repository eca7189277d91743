# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math

from shared.discretization import discretize, hippo_frequencies
from shared.masked_output import at_masked_steps


class S5(nn.Module):
    """lambda, gamma = discretize(Lambda, exp(log_step))
    h_t = lambda h_{t-1} + gamma (B x_t)      y_t = 2 Re(C h_t) + D x_t      (without conj_sym: Re(C h_t) + D x_t)

    h is complex, [B, state_size]; with conj_sym each mode stands for itself and its conjugate. At masked steps h is kept."""

    def __init__(self, input_size, state_size=64, conj_sym=True, discretization="zoh", clip_eigs=False, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.discretization, self.clip_eigs, self.scale = discretization, clip_eigs, 2 if conj_sym else 1
        self.Lambda_re = nn.Parameter(torch.full((state_size,), -0.5))
        self.Lambda_im = nn.Parameter(hippo_frequencies(self.scale * state_size)[-state_size:].float())
        self.log_step = nn.Parameter(torch.empty(state_size).uniform_(math.log(0.001), math.log(0.1)))
        self.B = nn.Parameter(torch.randn(state_size, input_size, 2) / math.sqrt(2 * input_size))
        self.C = nn.Parameter(torch.randn(input_size, state_size, 2) / math.sqrt(self.scale * state_size))
        self.D = nn.Parameter(torch.randn(input_size))

    def forward(self, x, state=None, mask=None):
        re = self.Lambda_re.clamp(max=-1e-4) if self.clip_eigs else self.Lambda_re
        lam, gamma = discretize(re, self.Lambda_im, torch.exp(self.log_step), self.discretization)
        Bx = gamma * torch.complex(F.linear(x, self.B[..., 0]), F.linear(x, self.B[..., 1]))

        h = torch.complex(*state) if state is not None else torch.zeros_like(Bx[0])
        states = []
        for t, b in enumerate(Bx.unbind(0)):
            new = lam * h + b
            h = new if mask is None else torch.where(mask[t].unsqueeze(-1), new, h)
            states.append(h)
        states = torch.stack(states)

        y = self.scale * (F.linear(states.real, self.C[..., 0]) - F.linear(states.imag, self.C[..., 1])) + self.D * x
        return at_masked_steps(y, mask, self.masked_output), (h.real.contiguous(), h.imag.contiguous())

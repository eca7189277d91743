# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class LRU(nn.Module):
    """lambda = exp(-exp(nu_log) + i exp(theta_log))
    h_t = lambda h_{t-1} + gamma (B x_t)      y_t = Re(C h_t) + D x_t

    h is complex, [B, state_size]. At masked steps h is kept."""

    def __init__(self, input_size, units=128, state_size=128, skip="vector", gamma="free", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.state_size = state_size
        u, phase = torch.rand(2, state_size).clamp(2**-24, 1 - 2**-24)  # log(0) would give zero gradients forever
        self.nu_log = nn.Parameter(torch.log(-0.5 * torch.log(u)))
        self.theta_log = nn.Parameter(torch.log(6.2832 * phase))
        self.gamma_log = nn.Parameter(0.5 * torch.log(1 - u)) if gamma == "free" else None
        self.B_re = nn.Parameter(torch.randn(state_size, input_size) / (2 * input_size) ** 0.5)
        self.B_im = nn.Parameter(torch.randn(state_size, input_size) / (2 * input_size) ** 0.5)
        self.C_re = nn.Parameter(torch.randn(units, state_size) / state_size**0.5)
        self.C_im = nn.Parameter(torch.randn(units, state_size) / state_size**0.5)
        self.D = None
        if skip == "vector":
            self.D = nn.Parameter(torch.randn(units))
        elif skip == "full":
            self.D = nn.Parameter(torch.randn(units, input_size) / input_size**0.5)

    def forward(self, x, state=None, mask=None):
        decay = torch.exp(self.nu_log)
        lam = torch.polar(torch.exp(-decay), torch.exp(self.theta_log))
        gamma = torch.sqrt(-torch.expm1(-2 * decay)) if self.gamma_log is None else torch.exp(self.gamma_log)
        Bx = gamma * torch.complex(F.linear(x, self.B_re), F.linear(x, self.B_im))

        h = torch.complex(*state) if state is not None else Bx.new_zeros(x.shape[1], self.state_size)
        states = []
        for t, b in enumerate(Bx.unbind(0)):
            new = lam * h + b
            h = new if mask is None else torch.where(mask[t].unsqueeze(-1), new, h)
            states.append(h)
        states = torch.stack(states)

        y = F.linear(states.real, self.C_re) - F.linear(states.imag, self.C_im)
        if self.D is not None:
            y = y + (self.D * x if self.D.dim() == 1 else F.linear(x, self.D))
        return at_masked_steps(y, mask, self.masked_output), (h.real.contiguous(), h.imag.contiguous())

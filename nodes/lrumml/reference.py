# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps
from shared.ternary import straight_through, ternary_dense


class LRUMML(nn.Module):
    """lambda = exp(-exp(nu_log) + i exp(theta_log))
    h_t = lambda h_{t-1} + gamma (B x_t)      y_t = Re(C h_t) + D x_t

    The real and the imaginary part of B are ternary dense layers; those of C, and D, are too when fully_mml. h is complex,
    [B, state_size]. At masked steps h is kept."""

    def __init__(self, input_size, units=128, state_size=128, fully_mml=False, skip="full", gamma="free", use_bias=False,
                 gradient="straight_through", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.state_size, self.gradient = state_size, gradient
        u, phase = torch.rand(2, state_size).clamp(2**-24, 1 - 2**-24)  # log(0) would give zero gradients forever
        self.nu_log = nn.Parameter(torch.log(-0.5 * torch.log(u)))
        self.theta_log = nn.Parameter(torch.log(6.2832 * phase))
        self.gamma_log = nn.Parameter(0.5 * torch.log(1 - u)) if gamma == "free" else None
        layers = {"B_re": (state_size, input_size, 0.5, True), "B_im": (state_size, input_size, 0.5, True),
                  "C_re": (units, state_size, 1, fully_mml), "C_im": (units, state_size, 1, fully_mml)}
        if skip == "full":
            layers["D"] = (units, input_size, 2 * input_size / (input_size + units), fully_mml)
        elif skip == "vector":
            self.D = nn.Parameter(torch.randn(units))
        self.skip = skip
        for name, (outputs, inputs, spread, ternary) in layers.items():
            setattr(self, name, nn.Parameter(torch.randn(outputs, inputs) * (spread / inputs) ** 0.5))
            setattr(self, "gain_" + name, nn.Parameter(torch.ones(inputs)) if ternary else None)
            setattr(self, "bias_" + name, nn.Parameter(torch.zeros(outputs)) if use_bias else None)

    def layer(self, name, x):
        weight, gain, bias = getattr(self, name), getattr(self, "gain_" + name), getattr(self, "bias_" + name)
        return F.linear(x, weight, bias) if gain is None else ternary_dense(x, gain, weight, bias, self.gradient)

    def forward(self, x, state=None, mask=None):
        decay = torch.exp(self.nu_log)
        lam = torch.polar(torch.exp(-decay), torch.exp(self.theta_log))
        gamma = torch.sqrt(-torch.expm1(-2 * decay)) if self.gamma_log is None else torch.exp(self.gamma_log)
        Bx = gamma * torch.complex(self.layer("B_re", x), self.layer("B_im", x))

        h = torch.complex(*state) if state is not None else Bx.new_zeros(x.shape[1], self.state_size)
        states = []
        for t, b in enumerate(Bx.unbind(0)):
            new = lam * h + b
            h = new if mask is None else torch.where(mask[t].unsqueeze(-1), new, h)
            states.append(h)
        states = torch.stack(states)

        y = self.layer("C_re", states.real) - self.layer("C_im", states.imag)
        if self.skip != "none":
            y = y + (self.D * x if self.skip == "vector" else self.layer("D", x))
        return at_masked_steps(y, mask, self.masked_output), (h.real.contiguous(), h.imag.contiguous())

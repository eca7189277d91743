# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class Mamba(nn.Module):
    """The selective state space model S6 with its convolution and its gate:

    u, z = in_proj x_t               u = silu(conv1d(u))
    d, B_t, C_t = x_proj u           delta_t = softplus(dt_proj d)
    h_t = exp(delta_t A) h_{t-1} + delta_t B_t u_t      A = -exp(A_log)
    y_t = out_proj((C_t h_t + D u_t) silu(z_t))

    h is [expand * width, state_size]; the state is h and, behind it, the inputs of the convolution before the current one, oldest
    first. Masked steps are skipped."""

    def __init__(self, input_size, state_size=16, expand=2, kernel_size=4, dt_rank=0, use_bias=False, conv_bias=True, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.state_size, self.inner = state_size, expand * input_size
        self.dt_rank = dt_rank or math.ceil(input_size / 16)
        self.in_proj = nn.Linear(input_size, 2 * self.inner, bias=use_bias)
        self.conv1d = nn.Conv1d(self.inner, self.inner, kernel_size, groups=self.inner, bias=conv_bias)
        self.x_proj = nn.Linear(self.inner, self.dt_rank + 2 * state_size, bias=False)
        self.dt_proj = nn.Linear(self.dt_rank, self.inner)
        dt = torch.exp(torch.empty(self.inner).uniform_(math.log(0.001), math.log(0.1))).clamp(min=1e-4)
        with torch.no_grad():
            self.dt_proj.weight.uniform_(-(self.dt_rank**-0.5), self.dt_rank**-0.5)
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # softplus of it is dt
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state_size + 1).float()).repeat(self.inner, 1))
        self.D = nn.Parameter(torch.ones(self.inner))
        self.out_proj = nn.Linear(self.inner, input_size, bias=use_bias)

    def forward(self, x, state=None, mask=None):
        h, past = x.new_zeros(x.shape[1], self.inner, self.state_size), x.new_zeros(x.shape[1], self.inner, self.conv1d.kernel_size[0] - 1)
        if state is not None:
            h, past = state[0].split([h[0].numel(), past[0].numel()], dim=1)
            h, past = h.unflatten(1, (self.inner, -1)), past.unflatten(1, (-1, self.inner)).transpose(1, 2)
        A = -torch.exp(self.A_log)
        outputs = []
        for t, (u, z) in enumerate(zip(*(part.unbind(0) for part in self.in_proj(x).chunk(2, dim=-1)))):
            seen = torch.cat([past, u.unsqueeze(-1)], dim=-1)
            u = (seen * self.conv1d.weight.squeeze(1)).sum(-1)
            u = F.silu(u if self.conv1d.bias is None else u + self.conv1d.bias)
            d, B, C = self.x_proj(u).split([self.dt_rank, self.state_size, self.state_size], dim=-1)
            delta = F.softplus(self.dt_proj(d))
            new = torch.exp(delta.unsqueeze(-1) * A) * h + (delta * u).unsqueeze(-1) * B.unsqueeze(1)
            if mask is None:
                h, past = new, seen[..., 1:]
            else:
                real = mask[t].view(-1, 1, 1)
                h, past = torch.where(real, new, h), torch.where(real, seen[..., 1:], past)
            outputs.append(self.out_proj(((h @ C.unsqueeze(-1)).squeeze(-1) + self.D * u) * F.silu(z)))
        state = torch.cat([h.flatten(1), past.transpose(1, 2).flatten(1)], dim=1)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (state,)

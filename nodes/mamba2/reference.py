# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class Mamba2(nn.Module):
    """The selective state space model with one decay a head (SSD), with its convolution, its gate and its norm:

    z, u, d = in_proj x_t            x, B_t, C_t = silu(conv1d(u))       delta_t = softplus(d + dt_bias)
    S_t = exp(delta_t A) S_{t-1} + B_t (delta_t x)^T                      A = -exp(A_log)
    y_t = out_proj(norm((S_t^T C_t + D x) silu(z)))

    S is [state_size, head_size], head by head; the state is S and, behind it, the inputs of the convolution before the current
    one, oldest first. Masked steps are skipped."""

    def __init__(self, input_size, state_size=64, expand=2, head_size=32, kernel_size=4, use_bias=False, conv_bias=True,
                 masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.state_size, self.inner = state_size, expand * input_size
        self.heads, read = self.inner // head_size, self.inner + 2 * state_size
        self.in_proj = nn.Linear(input_size, self.inner + read + self.heads, bias=use_bias)
        self.conv1d = nn.Conv1d(read, read, kernel_size, groups=read, bias=conv_bias)
        dt = torch.exp(torch.empty(self.heads).uniform_(math.log(0.001), math.log(0.1))).clamp(min=1e-4)
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))  # softplus of it is dt
        self.A_log = nn.Parameter(torch.log(torch.empty(self.heads).uniform_(1, 16)))
        self.D = nn.Parameter(torch.ones(self.heads))
        self.norm = nn.RMSNorm(self.inner, eps=1e-5)
        self.out_proj = nn.Linear(self.inner, input_size, bias=use_bias)

    def forward(self, x, state=None, mask=None):
        taps, read, heads, N = self.conv1d.kernel_size[0], self.conv1d.in_channels, self.heads, self.state_size
        S, past = x.new_zeros(x.shape[1], heads, N, self.inner // heads), x.new_zeros(x.shape[1], read, taps - 1)
        if state is not None:
            S, past = state[0].split([S[0].numel(), past[0].numel()], dim=1)
            S, past = S.unflatten(1, (heads, N, -1)), past.unflatten(1, (-1, read)).transpose(1, 2)
        A = -torch.exp(self.A_log)
        outputs = []
        for t, (z, u, d) in enumerate(zip(*(part.unbind(0) for part in self.in_proj(x).split([self.inner, read, heads], dim=-1)))):
            seen = torch.cat([past, u.unsqueeze(-1)], dim=-1)
            u = (seen * self.conv1d.weight.squeeze(1)).sum(-1)
            u = F.silu(u if self.conv1d.bias is None else u + self.conv1d.bias)
            v, B, C = u.split([self.inner, N, N], dim=-1)
            v, delta = v.unflatten(-1, (heads, -1)), F.softplus(d + self.dt_bias)
            key, query = B.view(-1, 1, N, 1).expand(-1, heads, -1, -1), C.view(-1, 1, 1, N).expand(-1, heads, -1, -1)
            new = torch.exp(delta * A)[..., None, None] * S + key @ (delta.unsqueeze(-1) * v).unsqueeze(-2)
            if mask is None:
                S, past = new, seen[..., 1:]
            else:
                S, past = torch.where(mask[t].view(-1, 1, 1, 1), new, S), torch.where(mask[t].view(-1, 1, 1), seen[..., 1:], past)
            y = (query @ S).squeeze(-2) + self.D.unsqueeze(-1) * v
            outputs.append(self.out_proj(self.norm(y.flatten(1) * F.silu(z))))
        state = torch.cat([S.flatten(1), past.transpose(1, 2).flatten(1)], dim=1)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (state,)

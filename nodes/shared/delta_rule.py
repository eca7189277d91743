# SPDX-License-Identifier: GPL-3.0-or-later
import math

import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class DeltaRule(nn.Module):
    """The layers of DeltaNet, Gated DeltaNet and DeltaProduct. `householders` steps of the rule a token:

    S <- a S + k r^T        r = beta (v - a S^T k)

    with a before the first of them alone, and the query after the last. State and mask: S of every head, then the inputs of the
    convolutions, oldest first; masked steps are skipped."""

    def __init__(self, input_size, units, num_heads, negative_eigenvalues, use_short_conv, kernel_size, masked_output,
                 householders=1, forgets=False, gated=False):  # fmt: skip
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.householders, self.strength = num_heads, householders, 2.0 if negative_eigenvalues else 1.0
        rules = householders * units
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(input_size, width, bias=False) for width in (units, rules, rules))
        self.b_proj = nn.Linear(input_size, householders * num_heads, bias=False)
        self.a_proj = self.A_log = self.dt_bias = self.g_proj = None
        if forgets:
            self.a_proj = nn.Linear(input_size, num_heads, bias=False)
            self.A_log = nn.Parameter(torch.log(torch.empty(num_heads).uniform_(0, 16)))
            dt = torch.exp(torch.empty(num_heads).uniform_(math.log(0.001), math.log(0.1)))
            self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))  # softplus of it is dt
        if use_short_conv:
            convolutions = (nn.Conv1d(w, w, kernel_size, groups=w, bias=False) for w in (units, rules, rules))
            self.q_conv1d, self.k_conv1d, self.v_conv1d = convolutions
        if gated:
            self.g_proj = nn.Linear(input_size, units, bias=False)
        self.taps = kernel_size if use_short_conv else 1
        self.o_norm = nn.RMSNorm(units // num_heads, eps=1e-5)
        self.o_proj = nn.Linear(units, units, bias=False)

    def convolved(self, projected, past, mask):
        """silu of the short convolutions of q, k and v side by side, and what they read next."""
        if self.taps == 1:
            return F.silu(projected), past
        kernel = torch.cat([self.q_conv1d.weight, self.k_conv1d.weight, self.v_conv1d.weight]).squeeze(1)
        outputs = []
        for t, u in enumerate(projected):
            seen = torch.cat([past, u.unsqueeze(-1)], dim=-1)
            outputs.append((seen * kernel).sum(-1))
            past = seen[..., 1:] if mask is None else torch.where(mask[t].view(-1, 1, 1), seen[..., 1:], past)
        return F.silu(torch.stack(outputs)), past

    def decay(self, x):
        if self.a_proj is None:
            return x.new_ones(*x.shape[:2], self.heads)
        return torch.exp(-torch.exp(self.A_log) * F.softplus(self.a_proj(x) + self.dt_bias))

    def forward(self, x, state=None, mask=None):
        heads, units = self.heads, self.o_proj.in_features
        n, width = units // heads, units * (1 + 2 * self.householders)
        S, past = x.new_zeros(x.shape[1], heads, n, n), x.new_zeros(x.shape[1], width, self.taps - 1)
        if state is not None:
            S, past = state[0].split([S[0].numel(), past[0].numel()], dim=1)
            S, past = S.unflatten(1, (heads, n, n)), past.unflatten(1, (-1, width)).transpose(1, 2)
        u, past = self.convolved(torch.cat([layer(x) for layer in (self.q_proj, self.k_proj, self.v_proj)], dim=-1), past, mask)
        widths = [units, units * self.householders, units * self.householders]
        q, k, v = (part.unflatten(-1, (-1, heads, n)) for part in u.split(widths, dim=-1))
        q, k = (part * torch.rsqrt(part.square().sum(-1, keepdim=True) + 1e-6) for part in (q, k))
        q = q.squeeze(2) / n**0.5
        beta = (self.strength * torch.sigmoid(self.b_proj(x))).unflatten(-1, (-1, heads))
        a = self.decay(x).unsqueeze(2)
        a = torch.cat([a, torch.ones_like(beta[:, :, 1:])], dim=2)
        outputs = []
        for t in range(len(x)):
            new = S
            for i in range(self.householders):
                fading, key = a[t, :, i, :, None, None], k[t, :, i].unsqueeze(-1)
                r = beta[t, :, i, :, None, None] * (v[t, :, i].unsqueeze(-2) - fading * (key.transpose(-1, -2) @ new))
                new = fading * new + key @ r if self.a_proj is not None else new + key @ r
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((q[t].unsqueeze(-2) @ S).squeeze(-2))
        y = self.o_norm(torch.stack(outputs))
        if self.g_proj is not None:
            y = y * F.silu(self.g_proj(x)).unflatten(-1, (heads, n))
        y = self.o_proj(y.flatten(2))
        state = torch.cat([S.flatten(1), past.transpose(1, 2).flatten(1)], dim=1)
        return at_masked_steps(y, mask, self.masked_output), (state,)

# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class GLA(nn.Module):
    """S_t = diag(a_t) S_{t-1} + k_t v_t^T        o_t = S_t^T q_t / sqrt(n)        y_t = W_o (rms_norm(o_t) * silu(W_g x_t))
    a_t = sigmoid(W_2 W_1 x_t + b)^(1 / gate_normalizer)

    Head by head, the norm too. The state is S, [B, heads n n]. At masked steps S is kept."""

    def __init__(self, input_size, units=128, num_heads=4, gate_rank=16, gate_normalizer=16.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.gate_normalizer = num_heads, gate_normalizer
        self.q_proj, self.k_proj, self.v_proj, self.g_proj = (nn.Linear(input_size, units, bias=False) for _ in range(4))
        self.gk_proj = nn.Sequential(nn.Linear(input_size, gate_rank, bias=False), nn.Linear(gate_rank, units))
        self.g_norm_swish_gate = nn.RMSNorm(units // num_heads, eps=1e-5)
        self.o_proj = nn.Linear(units, units, bias=False)

    def forward(self, x, state=None, mask=None):
        layers = (self.q_proj, self.k_proj, self.v_proj, self.g_proj, self.gk_proj)
        q, k, v, g, a = (layer(x).unflatten(-1, (self.heads, -1)) for layer in layers)
        q, a = q / q.shape[-1] ** 0.5, torch.exp(F.logsigmoid(a) / self.gate_normalizer)
        S = x.new_zeros(*k.shape[1:], k.shape[-1]) if state is None else state[0].view(*k.shape[1:], k.shape[-1])
        outputs = []
        for t in range(len(x)):
            new = a[t].unsqueeze(-1) * S + k[t].unsqueeze(-1) @ v[t].unsqueeze(-2)
            S = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, S)
            outputs.append((q[t].unsqueeze(-2) @ S).squeeze(-2))
        y = self.o_proj((self.g_norm_swish_gate(torch.stack(outputs)) * F.silu(g)).flatten(2))
        return at_masked_steps(y, mask, self.masked_output), (S.flatten(1),)

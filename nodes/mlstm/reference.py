# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class MLSTM(nn.Module):
    """i~, f~ = capped W x_t + b, a number a head        ln f = log sigmoid(f~)
    m_t = max(ln f + m_{t-1}, i~)      i' = exp(i~ - m_t)      f' = exp(ln f + m_{t-1} - m_t)
    S_t = f' S_{t-1} + i' k_t v_t^T        n_t = f' n_{t-1} + i' k_t
    o_t = S_t^T q_t / (max(|n_t q_t|, exp(-m_t)) + 1e-6)        y_t = W_out (layer_norm(o_t) * sigmoid(W_o x_t))
    q_t = W_q x_t / sqrt(d)

    m keeps the exponentials within 0..1 and cancels in o. Head by head, the norm too. The state is S with n as a column beside
    it, then m, [B, heads d (d + 1) + heads]. At masked steps it is kept."""

    def __init__(self, input_size, units=128, num_heads=4, gate_soft_cap=15.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.size, self.cap = num_heads, units // num_heads, gate_soft_cap
        self.q, self.k, self.v, self.ogate_preact = (nn.Linear(input_size, units, bias=False) for _ in range(4))
        self.igate_preact, self.fgate_preact = (nn.Linear(input_size, num_heads) for _ in range(2))
        self.multihead_norm = nn.LayerNorm(units, eps=1e-6, bias=False)  # its gain, over each head
        self.out_proj = nn.Linear(units, units, bias=False)
        with torch.no_grad():
            for layer in (self.q, self.k, self.v, self.ogate_preact, self.out_proj):
                layer.weight.normal_(0, math.sqrt(2 / (5 * layer.in_features)))
            for layer in (self.igate_preact, self.fgate_preact):
                layer.weight.zero_()
            self.igate_preact.bias.normal_(0, 0.1)
            self.fgate_preact.bias.copy_(torch.linspace(3, 6, num_heads))

    def capped(self, a):
        return self.cap * torch.tanh(a / self.cap) if self.cap > 0 else a

    def normed(self, o):
        o = o - o.mean(dim=-1, keepdim=True)
        o = o * torch.rsqrt(o.square().mean(dim=-1, keepdim=True) + self.multihead_norm.eps)
        return o.flatten(2) * self.multihead_norm.weight

    def forward(self, x, state=None, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)) for layer in (self.q, self.k, self.v))
        q = q / math.sqrt(self.size)
        write, keep = self.capped(self.igate_preact(x)), F.logsigmoid(self.capped(self.fgate_preact(x)))
        held = self.heads * self.size * (self.size + 1)
        state = x.new_zeros(x.shape[1], held + self.heads) if state is None else state[0]
        S, m = state[:, :held].view(-1, self.heads, self.size, self.size + 1), state[:, held:]
        v = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)  # what n sums up
        outputs = []
        for t in range(len(x)):
            kept = keep[t] + m
            new_m = torch.maximum(kept, write[t])
            i, f = (torch.exp(a - new_m).unsqueeze(-1) for a in (write[t], kept))
            new = f.unsqueeze(-1) * S + (i * k[t]).unsqueeze(-1) @ v[t].unsqueeze(-2)
            real = None if mask is None else mask[t].unsqueeze(-1)
            S = new if mask is None else torch.where(real.view(-1, 1, 1, 1), new, S)
            m = new_m if mask is None else torch.where(real, new_m, m)
            read = (q[t].unsqueeze(-2) @ S).squeeze(-2)
            least = torch.exp(-m).unsqueeze(-1)
            outputs.append(read[..., :-1] / (torch.maximum(read[..., -1:].abs(), least) + 1e-6))
        y = self.out_proj(self.normed(torch.stack(outputs)) * torch.sigmoid(self.ogate_preact(x)))
        return at_masked_steps(y, mask, self.masked_output), (torch.cat([S.flatten(1), m], dim=1),)

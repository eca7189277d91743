# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class SLSTM(nn.Module):
    """i~, f~, z~, o~ = W x_t + R h_{t-1} + b      (R block-diagonal, a block a head)
    m_t = max(ln f + m_{t-1}, i~)      f = sigmoid(f~), or exp(f~)
    i' = exp(i~ - m_t)      f' = exp(ln f + m_{t-1} - m_t)
    c_t = f' c_{t-1} + i' tanh(z~)      n_t = f' n_{t-1} + i'
    h_t = sigmoid(o~) c_t / n_t

    m keeps the exponentials within 0..1 and cancels in h; while n is 0, m is i~. Rows in the order i f z o. The state is h, c, n, m.
    At masked steps it is kept."""

    def __init__(self, input_size, units=128, num_heads=4, forget_gate="sigmoid", masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.units, self.log_forget = units, F.logsigmoid if forget_gate == "sigmoid" else nn.Identity()
        n = units // num_heads
        self.weight = nn.Parameter(torch.randn(4 * units, input_size) * math.sqrt(2 / (5 * input_size)))
        self.recurrent_kernel = nn.Parameter(torch.zeros(num_heads, 4 * n, n))
        memories = 5 - 12 * (torch.arange(n) / max(n - 1, 1)) ** 0.3
        self.bias = nn.Parameter(torch.cat([torch.zeros(units), memories.repeat(num_heads), torch.zeros(2 * units)]))

    def forward(self, x, state=None, mask=None):
        state = tuple(x.new_zeros(x.shape[1], self.units) for _ in range(4)) if state is None else state
        heads = len(self.recurrent_kernel)
        outputs = []
        for t, inputs in enumerate(F.linear(x, self.weight, self.bias).unbind(0)):
            h, c, n, m = state
            # [B, heads, 4 n].
            recurrent = torch.einsum("bhi,hgi->bhg", h.unflatten(1, (heads, -1)), self.recurrent_kernel)
            recurrent = recurrent.unflatten(2, (4, -1)).transpose(1, 2).flatten(1)
            i, f, z, o = (inputs + recurrent).chunk(4, dim=1)
            n = n.abs()  # it is never negative, unless a state is given that no step has made
            kept = self.log_forget(f) + m
            m = torch.where(n == 0, i, torch.maximum(kept, i))
            i, f = torch.exp(i - m), torch.exp((kept - m).clamp(max=0))
            c, n = f * c + i * torch.tanh(z), f * n + i
            new = torch.sigmoid(o) * (c / n), c, n, m
            state = new if mask is None else tuple(torch.where(mask[t].unsqueeze(-1), a, b) for a, b in zip(new, state))
            outputs.append(state[0])
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), state

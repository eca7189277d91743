# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math
from shared.masked_output import at_masked_steps


class BlockDiagonalLinear(nn.Module):
    """One dense layer a head: w [heads, n, n], input features first, multiplies the n features of each head; b [heads, n] is added."""

    def __init__(self, width, num_heads):
        super().__init__()
        n = width // num_heads
        self.w = nn.Parameter(torch.randn(num_heads, n, n) / math.sqrt(n))
        self.b = nn.Parameter(torch.zeros(num_heads, n))

    def forward(self, x):
        heads = x.unflatten(-1, (len(self.w), -1))
        return (torch.einsum("...hi,hij->...hj", heads, self.w) + self.b).flatten(-2)


class RGLRU(nn.Module):
    """r_t = sigmoid(W_a x_t + b_a)    i_t = sigmoid(W_x x_t + b_x)
    a_t = exp(-8 r_t softplus(a_param))
    h_t = a_t h_{t-1} + sqrt(1 - a_t^2) (i_t x_t)

    W_a and W_x are block-diagonal. softplus(a_param) is -ln a of the paper's a = sigmoid(Lambda), a_param = -Lambda.
    At masked steps h is kept."""

    def __init__(self, input_size, num_heads=1, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        modulus = torch.sqrt(0.9**2 + (0.999**2 - 0.9**2) * torch.rand(input_size))  # uniform by area in the ring
        self.a_param = nn.Parameter(torch.log(torch.expm1(-torch.log(modulus))))
        self.input_gate = BlockDiagonalLinear(input_size, num_heads)
        self.a_gate = BlockDiagonalLinear(input_size, num_heads)

    def forward(self, x, state=None, mask=None):
        h = torch.zeros_like(x[0]) if state is None else state[0]
        i, r = torch.sigmoid(self.input_gate(x)), torch.sigmoid(self.a_gate(x))
        log_a = r * (-8 * F.softplus(self.a_param))
        # 1 - a^2; the root's slope is infinite at 0.
        left = (-torch.expm1(2 * log_a)).clamp(min=torch.finfo(torch.float32).tiny)
        a, b = torch.exp(log_a).unbind(0), (torch.sqrt(left) * (i * x)).unbind(0)
        outputs = []
        for t in range(len(x)):
            new = a[t] * h + b[t]
            real = None if mask is None else mask[t].unsqueeze(-1)
            h = new if real is None else torch.where(real, new, h)
            outputs.append(h)
        return at_masked_steps(torch.stack(outputs), mask, self.masked_output), (h,)

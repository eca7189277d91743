# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class SparseFFN(nn.Module):
    """y = W_2^T (relu(W_1 x + b_1) m) + b_2, where m keeps one hidden unit of each block, the one with the largest score z = C_2 C_1 x

    In training noise decides with the scores, gradients are those of probabilities p, and in `soft_share` of the passes m is p:
    trax             m at the largest z + temperature g, p = softmax(z)
    gumbel_softmax   m at the largest z + g,             p = softmax((z + g) / temperature)      g = -log(-log(u)), u uniform

    weight_low C_1 [rank, in], weight_control C_2 [inner, rank], weight_up W_1 [inner, in], weight_down W_2 [inner, units]."""

    def __init__(self, input_size, units=128, inner=512, block_size=32, rank=64, temperature=0.1, soft_share=0.7, convention="trax",
                 use_bias=True):
        super().__init__()
        self.block_size, self.temperature, self.soft_share, self.convention = block_size, temperature, soft_share, convention
        sizes = {"low": (rank, input_size), "control": (inner, rank), "up": (inner, input_size), "down": (inner, units)}
        for name, (rows, columns) in sizes.items():
            bound = math.sqrt(6 / (rows + columns))
            setattr(self, "weight_" + name, nn.Parameter(torch.empty(rows, columns).uniform_(-bound, bound)))
        self.bias_up = nn.Parameter(torch.zeros(inner)) if use_bias else None
        self.bias_down = nn.Parameter(torch.zeros(units)) if use_bias else None

    def kept(self, z):
        """m by the scores z [.., blocks, block_size]."""
        relaxed, noisy = self.convention == "gumbel_softmax", z
        if self.training:
            noise = -torch.log(-torch.log(torch.empty_like(z).uniform_(1e-6, 1 - 1e-6)))
            noisy = z + (noise if relaxed else noise * self.temperature)
        soft = torch.softmax(noisy / self.temperature if relaxed else z, dim=-1)
        hard = torch.zeros_like(soft).scatter(-1, noisy.argmax(dim=-1, keepdim=True), 1.0) + (soft - soft.detach())
        if not self.training:
            return hard
        return torch.where(soft.new_empty(()).uniform_() < self.soft_share, soft, hard)

    def forward(self, x):
        z = F.linear(F.linear(x, self.weight_low), self.weight_control).unflatten(-1, (-1, self.block_size))
        h = torch.relu(F.linear(x, self.weight_up, self.bias_up)) * self.kept(z).flatten(-2)
        return F.linear(h, self.weight_down.t(), self.bias_down)

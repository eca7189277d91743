# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
import math


class ModuleConv(nn.Module):
    """y_(t,s) = sum_(i,j) W_(i,j) x_(t-i,s+j) + b      i < kernel_size, |j| <= module_kernel / 2, zeros beyond the modules' ends

    x and y are num_modules modules, one after the other; of num_convs convolutions all modules of the first stand before those of the next.
    weight [num_convs width / num_modules, kernel_size module_kernel in / num_modules]: rows convolution by convolution, columns step by
    step, the current one first, and in each step module by module. The state is the last kernel_size - 1 inputs, oldest first. Masked
    steps are skipped, and the output there is 0."""

    def __init__(self, input_size, width=128, num_modules=16, kernel_size=3, module_kernel=3, num_convs=1, bias=True):
        super().__init__()
        self.input_size, self.num_modules, self.num_convs = input_size, num_modules, num_convs
        self.reach, self.half = kernel_size - 1, module_kernel // 2
        read, given = kernel_size * module_kernel * (input_size // num_modules), num_convs * (width // num_modules)
        bound = math.sqrt(6 / (read + given))
        self.weight = nn.Parameter(torch.empty(given, read).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(given)) if bias else None

    def read_by(self, seen):
        """What each module's filters read of the last steps [B, kernel_size, in], [B, num_modules, columns of the weight]."""
        modules = seen.flip(1).unflatten(-1, (self.num_modules, -1))
        padded = F.pad(modules, (0, 0, self.half, self.half))
        near = [padded[:, :, first : first + self.num_modules] for first in range(2 * self.half + 1)]
        # [B, num_modules, kernel_size, module_kernel, features] before they are joined
        return torch.stack(near, dim=3).transpose(1, 2).flatten(2)

    def forward(self, x, state=None, mask=None):
        size = (x.shape[1], self.reach, self.input_size)
        past, outputs = x.new_zeros(size) if state is None else state[0].reshape(size), []
        for t in range(x.shape[0]):
            seen = torch.cat([past, x[t].unsqueeze(1)], dim=1)
            y = F.linear(self.read_by(seen), self.weight, self.bias).unflatten(-1, (self.num_convs, -1))
            y = y.transpose(1, 2).flatten(1)
            past = seen[:, 1:] if mask is None else torch.where(mask[t].view(-1, 1, 1), seen[:, 1:], past)
            outputs.append(y if mask is None else torch.where(mask[t].unsqueeze(-1), y, 0.0))
        return torch.stack(outputs), (past.flatten(1),)

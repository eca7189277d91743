# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn


class DilatedConv(nn.Module):
    """a_t = W_l [h_t, h_{t-d}, ..., h_{t-(k-1)d}] + b_l, where h is what layer l reads, x first, and d = growth^l for l = 0, 1, ...
    z_t = tanh(first half of a_t) sigmoid(second half), or relu(a_t), or tanh(a_t); residual: h_t is added where widths are equal

    The last layer's z is y. The state is the last (k - 1) d inputs of every layer, oldest first, layer by layer. Masked steps are
    skipped, and the output there is 0."""

    def __init__(self, input_size, width=128, num_layers=6, kernel_size=2, growth=2, activation="gated", residual=True):
        super().__init__()
        self.widths = [input_size] + [width] * (num_layers - 1)
        self.dilations = [growth**layer for layer in range(num_layers)]
        self.kernel_size, self.activation, self.residual, self.width = kernel_size, activation, residual, width
        rows = 2 * width if activation == "gated" else width
        self.layers = nn.ModuleList(nn.Linear(kernel_size * read, rows) for read in self.widths)

    def function(self, a):
        if self.activation == "gated":
            return torch.tanh(a[..., : self.width]) * torch.sigmoid(a[..., self.width :])
        return torch.relu(a) if self.activation == "relu" else torch.tanh(a)

    def forward(self, x, state=None, mask=None):
        reaches = [(self.kernel_size - 1) * d for d in self.dilations]
        sizes = [reach * width for reach, width in zip(reaches, self.widths)]
        kept = [x.new_zeros(x.shape[1], size) for size in sizes] if state is None else state[0].split(sizes, dim=1)
        h, ends = x, []
        for layer, dilation, reach, past in zip(self.layers, self.dilations, reaches, kept):
            past, read = past.reshape(x.shape[1], reach, h.shape[-1]), []
            for t in range(len(x)):
                seen = torch.cat([past, h[t].unsqueeze(1)], dim=1)
                read.append(torch.cat([seen[:, reach - tap * dilation] for tap in range(self.kernel_size)], dim=1))
                past = seen[:, 1:] if mask is None else torch.where(mask[t].view(-1, 1, 1), seen[:, 1:], past)
            z = self.function(layer(torch.stack(read)))
            h = z + h if self.residual and z.shape == h.shape else z
            ends.append(past.flatten(1))
        return h if mask is None else torch.where(mask.unsqueeze(-1), h, 0.0), (torch.cat(ends, dim=1),)

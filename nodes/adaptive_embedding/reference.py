# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.class_bands import class_bands, tail_width


class AdaptiveEmbedding(nn.Module):
    """y_t = E_head[token_t] in the shortlist, W_up E_tail[token_t - cutoff] in a tail, whose rows are shorter. Tokens are sorted by
    frequency."""

    def __init__(self, classes, width=128, cutoffs="", div_value=4.0, init_std=1.0):
        super().__init__()
        self.cutoffs = class_bands(cutoffs, classes)
        self.head = nn.Embedding(self.cutoffs[0], width)
        self.tail = nn.ModuleList()
        for i in range(len(self.cutoffs) - 1):
            narrow = tail_width(width, div_value, i)
            rows = nn.Embedding(self.cutoffs[i + 1] - self.cutoffs[i], narrow)
            self.tail.append(nn.Sequential(rows, nn.Linear(narrow, width, bias=False)))
        for table in [self.head] + [tail[0] for tail in self.tail]:
            nn.init.normal_(table.weight, std=init_std)

    def forward(self, tokens):
        y = self.head(tokens.clamp(max=self.cutoffs[0] - 1))
        for first, end, tail in zip(self.cutoffs, self.cutoffs[1:], self.tail):
            rows = F.embedding((tokens - first).clamp(0, end - first - 1), tail[0].weight)
            y = torch.where((tokens >= first).unsqueeze(-1), F.linear(rows, tail[1].weight), y)
        return y

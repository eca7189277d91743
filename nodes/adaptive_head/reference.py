# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.class_bands import class_bands, tail_width


class AdaptiveHead(nn.Module):
    """The first layer gives ln p of the shortlist's classes and of each tail, a tail ln p of its classes within it:

    ln p(c) = log_softmax(x W_head)[c]                                       in the shortlist
    ln p(c) = log_softmax(x W_head)[tail] + log_softmax(x W_down W_up)[c]    in a tail

    loss = mean of -ln p(target) over the targets that are not -100. As torch.nn.AdaptiveLogSoftmaxWithLoss, whose weights have these
    names."""

    def __init__(self, input_size, classes, cutoffs="", div_value=4.0, head_bias=False):
        super().__init__()
        self.cutoffs = class_bands(cutoffs, classes)
        tails = len(self.cutoffs) - 1
        self.head = nn.Linear(input_size, self.cutoffs[0] + tails, bias=head_bias)
        self.tail = nn.ModuleList()
        for i in range(tails):
            width = tail_width(input_size, div_value, i)
            up = nn.Linear(width, self.cutoffs[i + 1] - self.cutoffs[i], bias=False)
            self.tail.append(nn.Sequential(nn.Linear(input_size, width, bias=False), up))

    def forward(self, x, targets=None):
        first = F.log_softmax(self.head(x), dim=-1)
        shares = first.split([self.cutoffs[0]] + [1] * len(self.tail), dim=-1)
        tails = [F.log_softmax(tail(x), dim=-1) + share for tail, share in zip(self.tail, shares[1:])]
        logits = torch.cat([shares[0], *tails], dim=-1)
        if targets is None:
            return None, logits
        total = F.nll_loss(logits.flatten(0, -2), targets.flatten(), ignore_index=-100, reduction="sum")
        return total / (targets != -100).sum().clamp(min=1), logits

# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for what the export writes by itself: the model and the tables of a run. With them the files beside this one can be imported,
checked and tried; this one is not part of model.py."""

import torch
import torch.nn.functional as F
from torch import nn

TRAINING = dict(optimizer="adamw", learning_rate=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.1, momentum=0.9,
                schedule="cosine", warmup=4, start_learning_rate=0.0, decay_steps=0, steps=40, final_learning_rate=0.001,
                clip=1.0, batch=4, accumulation=1, length=8)
RULES = {"head.bias": (None, 0.5, "", 1.0)}
PENALTIES = {"embedding.weight": (0.01, 0.02, 0.05, 0)}
CONSTRAINTS = {"head.weight": ("max_norm", -1, 0.0, 0.3, 1.0)}
ALPHABET = ("a", "b", " ")
LABELS = ("nay", "yea", "perhaps")
INPUTS = (("x", 1.0, 2.0),)
TARGETS = (("y", 0.0, 4.0),)
HORIZON = 1


def update_rule(groups):
    """In the place of an optimizer.py of core/train/optimizers."""
    return torch.optim.AdamW(groups, lr=TRAINING["learning_rate"])


def example(steps=16):
    """An example input, time first, one sequence."""
    return torch.zeros(steps, 1, dtype=torch.int64)


class Model(nn.Module):
    """Next character of a text of ALPHABET. tokens, targets: int64 [T, B]."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(ALPHABET), 6)
        self.gru = nn.GRU(6, 8)
        self.head = nn.Linear(8, len(ALPHABET))

    def forward(self, tokens, targets=None, mask=None, states=None):
        y, state = self.gru(self.embedding(tokens), *(states or {}).get("gru", ()))
        logits = self.head(y)
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return loss, logits, {"gru": (state,)}

# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def made(case, shown):
    return {"probability": torch.exp(case.tensors["output.logits.0"])}, None

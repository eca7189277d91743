# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def feature_function(name):
    """An activation over the features of each step by its name in Keras 3; None where the name is of another."""

    def below_largest(a):
        return a - a.amax(-1, keepdim=True).detach()  # changes no result, keeps exp and sums small

    def softmax(a):
        e = torch.exp(below_largest(a))
        return e / e.sum(-1, keepdim=True)

    def log_softmax(a):
        d = below_largest(a)
        return d - torch.log(torch.exp(d).sum(-1, keepdim=True))

    def sparsemax(a):
        """max(a - c, 0): the k largest are above c, k the last one of those whose k-th largest z has 1 + k z > the sum of the k largest."""
        d = below_largest(a)
        z = d.clamp(min=-1).sort(-1, descending=True).values  # at -1 and below it is 0
        k = torch.arange(1, a.shape[-1] + 1, dtype=a.dtype, device=a.device)
        above = 1 + k * z > z.cumsum(-1)
        return torch.relu(d - (torch.where(above, z, 0.0).sum(-1, keepdim=True) - 1) / above.sum(-1, keepdim=True))

    return {"softmax": softmax, "log_softmax": log_softmax, "sparsemax": sparsemax}.get(name)

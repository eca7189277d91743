# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F


def element_function(name):
    """An elementwise activation by its name in Keras 3; its linear is identity."""

    def hard_sigmoid(a):
        return (a + 3).clamp(0, 6) / 6  # F.hardsigmoid has 1/6 in fp32, also in fp64

    return {
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "relu": torch.relu,
        "silu": F.silu,
        "gelu": F.gelu,
        "softplus": F.softplus,
        "softsign": F.softsign,
        "identity": lambda a: a,
        "elu": F.elu,
        "celu": F.celu,
        "exponential": torch.exp,
        "selu": F.selu,
        "leaky_relu": lambda a: F.leaky_relu(a, 0.2),
        "relu6": lambda a: a.clamp(0, 6),
        "mish": F.mish,
        "log_sigmoid": F.logsigmoid,
        "hard_sigmoid": hard_sigmoid,
        "hard_silu": lambda a: a * hard_sigmoid(a),
        "hard_tanh": lambda a: a.clamp(-1, 1),
        "hard_shrink": lambda a: F.hardshrink(a, 0.5),
        "soft_shrink": lambda a: F.softshrink(a, 0.5),
        "tanh_shrink": lambda a: a - torch.tanh(a),
        "squareplus": lambda a: (a + torch.sqrt(a * a + 4)) / 2,
        "sparse_plus": lambda a: (a.clamp(-1, 1) + 1) ** 2 / 4 + torch.relu(a - 1),
        "sparse_sigmoid": lambda a: (a + 1).clamp(0, 2) / 2,
    }[name]

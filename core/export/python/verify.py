# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the model with golden.safetensors."""

import math
import os

import torch

from .golden_values import golden_values
from .here import HERE
from .load import load, read_safetensors


def relative_rms(ours, golden):
    """Root mean square of the differences over that of the golden values; infinite for NaN."""
    error = float((ours.double() - golden.double()).square().mean().sqrt() / golden.double().square().mean().sqrt().clamp_min(1e-30))
    return error if error == error else math.inf


def zeros_of(model):
    """A function of a state: what its zeros stand for where the module that gave it out says so (`zero_state`), else 0. Such a state
    is a difference, and compared whole: near 0 its last digits are roundings of the whole."""
    given = {}  # by identity, which no other takes while the tensor is kept

    def note(module, _, made):
        given.update({id(tensor): (tensor, module) for tensor in made[1]})

    for module in model.modules():
        if hasattr(module, "zero_state"):
            module.register_forward_hook(note)
    return lambda state: given[id(state)][1].zero_state(state) if id(state) in given else 0


def verify(folder=HERE):
    """Compares with golden.safetensors, in double and in single precision; prints the errors. True when all are within their bounds."""
    golden, good = read_safetensors(os.path.join(folder, "golden.safetensors")), True
    for key, dtype, bound in (("fp64", torch.float64, 1e-9), ("fp32", torch.float32, 1e-5)):
        model, worst = load(folder, dtype), {}
        zeros = zeros_of(model)
        for name, ours, theirs in golden_values(model, golden, key):
            zero = zeros(ours)
            worst[name] = max(worst.get(name, 0.0), relative_rms(ours + zero, theirs + zero))
        agrees = max(worst.values()) <= bound
        figures = ", ".join(f"{name} {error:.1e}" for name, error in worst.items())
        print(f"{key}: relative RMS error {figures}; bound {bound:g}: {'ok' if agrees else 'FAILED'}")
        good = good and agrees
    return good

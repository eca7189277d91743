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


def whole_state(module, state):
    """With what zeros stand for, where the state is a difference from that: near 0 its last digits are roundings of the whole."""
    return state + module.zero_state(state) if hasattr(module, "zero_state") else state


def verify(folder=HERE):
    """Compares with golden.safetensors, in double and in single precision; prints the errors. True when all are within their bounds."""
    golden, good = read_safetensors(os.path.join(folder, "golden.safetensors")), True
    for key, dtype, bound in (("fp64", torch.float64, 1e-9), ("fp32", torch.float32, 1e-5)):
        worst = {}
        for name, module, ours, theirs in golden_values(load(folder, dtype), golden, key):
            worst[name] = max(worst.get(name, 0.0), relative_rms(*(whole_state(module, values) for values in (ours, theirs))))
        agrees = max(worst.values()) <= bound
        figures = ", ".join(f"{name} {error:.1e}" for name, error in worst.items())
        print(f"{key}: relative RMS error {figures}; bound {bound:g}: {'ok' if agrees else 'FAILED'}")
        good = good and agrees
    return good

# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses for each call between a block's kernels and its reference form, and keeps record of it."""

import collections
import contextlib

import torch

from . import _library
from ._checks import Checked

TYPES = (torch.float32, torch.float64)
_kept_off = 0  # how many reference_forms() are open


class Record:
    """What the calls of a class went through since the program started."""

    def __init__(self, name, uses, without=None):
        self.name, self.uses, self.without = name, tuple(uses), without
        self.by_kernels, self.by_reference = 0, collections.Counter()

    def __str__(self):
        called = f"{self.by_kernels} calls by kernels" if self.by_kernels else ""
        reasons = [f"{count} by the reference form: {why}" for why, count in self.by_reference.items()]
        words = "; ".join(filter(None, [self.without or ", ".join(self.uses), called, *reasons]))
        return f"{self.name:16} {words}"


class Kernels(dict):
    """{class name: Record}. `library` is the file of the kernels, `missing` says why there is none."""

    library, missing = str(_library.LIBRARY), _library.missing

    def __repr__(self):
        head = f"no kernels: {self.missing}" if self.missing else self.library
        return "\n".join([head, *map(str, self.values())])


records = Kernels()


def kernels():
    """How each class of unroll.nn is computed: its kernels, how many calls went by them, and how many by the reference
    form and why. Print it; or read kernels()["GRUMML"].by_reference, a count for each reason."""
    return records


@contextlib.contextmanager
def reference_forms():
    """Within it every class of unroll.nn computes by its reference form."""
    global _kept_off
    _kept_off += 1
    try:
        yield
    finally:
        _kept_off -= 1


def _why_not(module, x):
    """Why this call goes by the reference form; None: the kernels take it."""
    if _library.missing:
        return _library.missing
    if _kept_off:
        return "within reference_forms()"
    if x.device.type != "cpu":
        return f"the kernels of this package compute on the CPU, and the input is on {x.device.type}"
    weights = [x.dtype, *(weight.dtype for weight in module.parameters())]
    if any(dtype not in TYPES for dtype in weights) or len(set(weights)) > 1:
        return "the kernels take float32 or float64, the same in weights and input"
    if torch.is_autocast_enabled("cpu"):
        return "under autocast"
    return None if x.numel() > 0 else "there is no sequence"


def _masked(module, state=None, mask=None, *_, **__):
    """Kernels give 0 at masked steps, and nothing else."""
    rule = getattr(module, "masked_output", "zero")
    return None if mask is None or rule == "zero" else f"masked_output is {rule}, and the kernels give 0 at masked steps"


class ByKernels(Checked):
    """Stands before a block's reference class. A subclass has `form`, the module of the block's kernels.py, and
    `reference`, the class."""

    def forward(self, x, *others, **named):
        self._check(x, *others, **named)
        why = _why_not(self, x) or _masked(self, *others, **named)
        if why is None and hasattr(self.form, "why_not"):
            why = self.form.why_not(self, x, *others, **named)
        if not torch.compiler.is_compiling():
            record = records[self.reference.__name__]
            if why is None:
                record.by_kernels += 1
            else:
                record.by_reference[why] += 1
        if why is None:
            return self.form.forward(self, x, *others, **named)
        return self.reference.forward(self, x, *others, **named)

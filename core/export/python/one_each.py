# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of which a sequence has one."""

import math


def one_each(targets):
    """[T, B] or [T, B, targets] of which a sequence has one scored entry at most, without T."""
    if targets is None or not targets.is_floating_point():
        return None if targets is None else targets.amax(0)
    most = targets.masked_fill(targets.isnan(), -math.inf).amax(0)
    return most.masked_fill(most == -math.inf, math.nan)

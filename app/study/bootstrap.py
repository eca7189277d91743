# SPDX-License-Identifier: GPL-3.0-or-later
"""Mean and bootstrap interval over seeds (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13)."""

import itertools
import math
import random

EXACT = 50_000  # as many resamples are listed one by one: all of up to 6 values
DRAWS = 10_000


def mean(values):
    return math.fsum(values) / len(values)


def quantile(ordered, share):
    """Linear between neighbours, as numpy's default."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def interval(values, confidence=0.95):
    """The percentile interval of the mean; (None, None) of fewer than two values. The same values give the same one."""
    count = len(values)
    if count < 2:
        return None, None
    if count**count <= EXACT:
        means = sorted(mean(draw) for draw in itertools.product(values, repeat=count))
    else:
        generator = random.Random(1)
        means = sorted(mean(generator.choices(values, k=count)) for _ in range(DRAWS))
    return quantile(means, (1 - confidence) / 2), quantile(means, (1 + confidence) / 2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds of calls that take turns, and the speed of memory in the same process."""

import gc
import statistics
import time

import torch

BURST = 0.05  # seconds of one call in a row: long enough that it finds its own numbers in the caches, short enough that all see the same machine


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def medians_in_turns(calls, budget, least):
    """name -> (median seconds, number of samples). Every call is run for `budget` seconds in all, at least `least` times.

    The calls take turns in bursts, each time in another order. The first call of a burst only fetches what the others drove out of the caches; calls
    longer than a burst need none.
    """
    samples = {name: [] for name in calls}
    bursts = {name: max(1, min(20, int(BURST / seconds_of(call)))) for name, call in calls.items()}
    gc.collect()
    gc.disable()  # loops leave many small objects; collecting them would fall into somebody else's burst
    order = list(calls)
    while order:
        for name in order:
            if bursts[name] > 1:
                calls[name]()
            samples[name] += [seconds_of(calls[name]) for _ in range(bursts[name])]
        order = [name for name in order[1:] + order[:1] if len(samples[name]) < least or sum(samples[name]) < budget]
    gc.enable()
    return {name: (statistics.median(taken), len(taken)) for name, taken in samples.items()}


class Copies:
    """Bytes a second of torch's copy_ between two tensors far larger than the caches, reads and writes counted: the median of nine."""

    def __init__(self, megabytes):
        self.source = torch.ones(megabytes << 18)
        self.target = torch.ones_like(self.source)

    def bandwidth(self):
        taken = [seconds_of(lambda: self.target.copy_(self.source)) for _ in range(9)]
        return 2 * self.source.nbytes / statistics.median(taken)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds of calls that take turns, on a machine that may not be quiet."""

import gc
import itertools
import os
import pathlib
import statistics
import time

import torch

from kinds import CUDA, QUIET

# Seconds of one call in a row: long enough that it finds its own numbers in the caches, short enough that all see the
# same machine.
BURST = 0.05
PATIENCE = 3  # turns that are done again because others were at work; then all count


class Processor:
    """The clock of what the processor computes."""

    def seconds(self, call, count):
        """Of each of `count` calls in a row."""
        marks = [time.perf_counter()]
        for _ in range(count):
            call()
            marks.append(time.perf_counter())
        return [end - start for start, end in itertools.pairwise(marks)]


class Gpu:
    """The GPU's own clock, between marks in its queue. The calls of a burst are queued without waiting, so what starting them takes hides behind
    what is still at work; of a call that starts many kernels, each shorter than its start, it shows."""

    def seconds(self, call, count):
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        torch.cuda.synchronize()
        marks[0].record()
        for mark in marks[1:]:
            call()
            mark.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) / 1e3 for start, end in itertools.pairwise(marks)]


def clock_of(device):
    return Gpu() if device == CUDA else Processor()


class Others:
    """The share of all processors that other programs, or other guests of the host, took since the last look. 0 where nothing tells."""

    STAT = pathlib.Path("/proc/stat")

    def __init__(self):
        self.mark = self.now()

    def now(self):
        """Seconds: of the clock, of all processors at work, of this process."""
        if not self.STAT.exists():
            return time.perf_counter(), time.process_time(), time.process_time()
        user, nice, system, _, _, interrupt, soft, stolen, *_ = map(int, self.STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:])
        busy = (user + nice + system + interrupt + soft + stolen) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), busy, time.process_time()

    def share(self):
        before, self.mark = self.mark, self.now()
        clock, busy, own = (now - then for now, then in zip(self.mark, before))
        tick = 1 / os.sysconf("SC_CLK_TCK")  # of each processor: as exact as the system counts
        return min(1.0, max(0.0, (busy - own) / os.cpu_count() - tick) / clock)


class Turns:
    """Every call is run for `budget` seconds in all, at least `least` times.

    The calls take turns in bursts, each turn in another order. The first call of a burst only fetches what the others drove out of the caches; calls
    longer than a burst need none. A turn in which other programs were at work is done again, within reason.
    """

    def __init__(self, calls, budget, least, clock):
        self.calls, self.budget, self.least, self.clock = calls, budget, least, clock
        self.bursts = {name: max(1, min(20, int(BURST / clock.seconds(call, 1)[0]))) for name, call in calls.items()}
        self.samples = {name: [] for name in calls}
        self.others = 0.0  # the largest share in a turn that counts

    def burst(self, name):
        if self.bursts[name] > 1:
            self.calls[name]()
        return self.clock.seconds(self.calls[name], self.bursts[name])

    def unfinished(self, name):
        return len(self.samples[name]) < self.least or sum(self.samples[name]) < self.budget

    def run(self):
        gc.collect()
        gc.disable()  # collecting what loops leave would fall into somebody else's burst
        order, again, others = list(self.calls), PATIENCE, Others()
        while order:
            turn = {name: self.burst(name) for name in order}
            # Cycles hold whole graphs with their tensors: gigabytes, and then all would write on fresh pages.
            gc.collect()
            share = others.share()
            if share > QUIET and again:
                again -= 1
                continue
            self.others = max(self.others, share)
            for name, seconds in turn.items():
                self.samples[name] += seconds
            order = [name for name in order[1:] + order[:1] if self.unfinished(name)]
        gc.enable()
        return self

    def median(self, name):
        return statistics.median(self.samples[name])


class Copy:
    """torch's copy_ between two tensors far larger than the caches: what memory gives. Reads and writes are counted."""

    def __init__(self, megabytes):
        self.source = torch.ones(megabytes << 18)
        self.target = torch.ones_like(self.source)
        self.bytes = 2 * self.source.nbytes

    def __call__(self):
        self.target.copy_(self.source)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends what is new of a run, once or until it has ended."""

import json
import time

from ..folder import rows_in, samples_in
from . import told
from .ledger import Sent, digest


class New:
    """What a tracker has not got yet."""

    def __init__(self, rows, samples):
        self.rows, self.samples = rows, samples

    def by_step(self):
        """(step, values, [texts]) in the order of steps."""
        steps = {}
        for step, values in self.rows:
            steps.setdefault(step, ({}, []))[0].update(values)
        for step, text in self.samples:
            steps.setdefault(step, ({}, []))[1].append(text)
        return [(step, *steps[step]) for step in sorted(steps)]


def whole_lines(data):
    return data[: data.rfind(b"\n") + 1]


def whole_samples(data):
    """Up to the end of the last whole sample."""
    end = 0
    for step, text in samples_in(data):
        end = data.index(b"\n", end) + 1 + len(text.encode(errors="replace")) + 2
    return data[:end]


class Sending:
    """One run to one tracker. `make(run, entry)` opens the tracker; entry is what the ledger keeps of it."""

    def __init__(self, run, ledger, make):
        self.run, self.ledger, self.make = run, ledger, make
        self.entry = ledger.entry()
        self.rows = self.samples = 0
        self.anew = False
        self.tracker = None

    def files(self):
        return whole_lines(self.run.read("metrics.jsonl")), whole_samples(self.run.read("samples.txt"))

    def is_taken_back(self, metrics, samples):
        return not (Sent(self.entry, "metrics").is_kept(metrics) and Sent(self.entry, "samples").is_kept(samples))

    def begin_anew(self):
        """A run that was taken back to a checkpoint since is sent from its beginning, to a run of its own there."""
        self.anew = True
        former = self.entry.get("id")
        self.close()
        self.entry = self.ledger.forget()
        self.entry["replaces"] = former

    def opened(self):
        """The tracker, opened when there is something to say."""
        if self.tracker is None:
            self.tracker = self.make(self.run, self.entry)
        return self.tracker

    def describe(self):
        said = {
            "settings": told.settings(self.run),
            "about": told.about(self.run),
            "tags": told.tags(self.run),
            "note": self.run.note,
        }
        mark = digest(json.dumps(said, sort_keys=True).encode())
        if self.entry.get("told") != mark:
            self.opened().describe(**said)
            self.entry["told"] = mark

    def turn(self):
        """Sends what is new."""
        metrics, samples = self.files()
        if self.is_taken_back(metrics, samples):
            self.begin_anew()
        self.describe()
        sent = Sent(self.entry, "metrics"), Sent(self.entry, "samples")
        new = New(list(rows_in(sent[0].new(metrics).decode(errors="replace"))), list(samples_in(sent[1].new(samples))))
        if new.rows or new.samples:
            self.opened().add(new)
            self.entry.pop("ended", None)
        sent[0].note(metrics)
        sent[1].note(samples)
        self.rows += len(new.rows)
        self.samples += len(new.samples)
        self.ledger.save()

    def end(self):
        """Says how the run has ended, once."""
        summary = told.summary(self.run)
        mark = digest(json.dumps(summary, sort_keys=True).encode())
        if self.entry.get("ended") != mark:
            self.opened().end(summary)
            self.entry["ended"] = mark
            self.ledger.save()

    def close(self):
        if self.tracker is not None:
            self.tracker.close()
        self.tracker = None

    def go(self, follow, every):
        """Until the run has ended, with `follow`; else once."""
        try:
            while True:
                ended = self.run.has_ended()
                self.turn()
                if ended:
                    self.end()
                if ended or not follow:
                    return ended
                time.sleep(every)
        finally:
            self.close()

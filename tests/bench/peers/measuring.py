# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles and times what a record still lacks."""

import sys

from kinds import COMPILED
from processes import Failed, OverLimit, run


class Measuring:
    """What is still to be measured, into a record. It is changed inside of kept(), process by process, so that a run that is interrupted leaves what
    it has."""

    def __init__(self, record, settings, cache, cache_is_kept, kept):
        self.record, self.settings, self.cache, self.cache_is_kept, self.kept = record, settings, cache, cache_is_kept, kept

    def compile(self, pairs):
        """Every compiled form in a process of its own, where the cache lacks it."""
        for case, forms in pairs:
            for form in (form for form in forms if form.kind == COMPILED and not self.record.settled(case, form, self.settings.rounds)):
                if not (self.cache_is_kept and self.record.is_compiled(case, form)):
                    self.process([(case, [form])], timed=False, limit=self.settings.limit)

    def time(self, pairs):
        for _ in range(self.settings.rounds):
            lacking = self.record.lacking(pairs, self.settings.rounds)
            if lacking:
                turn = max(self.record.processes(case, forms[0]) for case, forms in lacking)
                self.process(lacking, turn=turn, check=turn == 0)

    def process(self, pairs, limit=None, **more):
        cases = {case.title: case for case, _ in pairs}
        try:
            found = run(pairs, self.settings, self.cache, limit=limit, **more)
        except OverLimit:
            return self.give_up(pairs, f"not ready after {limit:.0f} s of a processor.")
        except Failed as words:
            print(words, file=sys.stderr)
            return self.give_up(pairs, "its process failed.")
        with self.kept():
            for done in found:
                self.record.add(cases[done["case"]], done)

    def give_up(self, pairs, problem):
        with self.kept():
            for case, forms in pairs:
                for form in forms[1:] or forms:  # ours, the first, has its figures elsewhere where it is not alone
                    self.record.add_problem(case, form, problem)

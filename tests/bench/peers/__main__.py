# SPDX-License-Identifier: GPL-3.0-or-later
"""Our kernels against everything else that computes the same, forward and with gradients, in one run on one machine.

    ./dev bench peers [--quick | --eager] [--only TEXT] [--peer TEXT] [--json FILE] [--table FILE] [--docs]

Every form is compared with an fp64 loop before it is timed, and timed in several processes in turns with ours, with the same memory settings. Ours
are the ops of libunroll_kernels.so; of whole layers, that with the product that the block makes. A peer counts with the lowest median of its
processes, ours with the middle one of those that had the machine to themselves. Prints milliseconds, ratios, the bytes of an ideal pass and their
share of the copy bandwidth measured in the same process, then the targets; ends with 1 when one is missed. Time it on a machine that does nothing
else.

With --json FILE pieces measured one after another (--only, --peer) add up in FILE. --docs measures nothing: it writes the section of
docs/benchmarks.md out of FILE.
"""

import argparse
import os
import pathlib
import signal
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # what the programs of tests/bench share

from kinds import COMPILED, PEERS, UNROLL
from processes import Failed, OverLimit, Settings, compiled_processes, run, shared_process
from record import Record
from report import case_text, document, peer_name, targets_text, write_into
from targets import outcomes

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs" / "benchmarks.md"


def parsed():
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="under 3 minutes: the smaller sizes, without torch.compile")
    parser.add_argument("--eager", action="store_true", help="without torch.compile, whose forms take a minute each to compile")
    parser.add_argument("--only", default="", metavar="TEXT", help='cases whose name and size hold TEXT, as "gated_scan (1024"')
    parser.add_argument("--peer", default="", metavar="TEXT", help="peers whose name in the table holds TEXT, as torch.compile, Brent-Kung")
    parser.add_argument("--json", metavar="FILE", help="all that was measured; an earlier FILE is added to")
    parser.add_argument("--table", metavar="FILE", help="the table as Markdown")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md from the FILE of --json, and measure nothing")
    parser.add_argument("--document", default=DOCUMENT, metavar="FILE", help="another file for --docs")
    parser.add_argument("--rounds", type=int, help="processes for each form (3; quick: 2)")
    parser.add_argument("--seconds", type=float, help="of each form and pass in a process, at least five calls (1; quick: 0.1 and three)")
    parser.add_argument("--limit", type=float, default=120, help="seconds that a compiled form may take in a process (120)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--library", default=os.environ.get("UNROLL_KERNELS_LIBRARY"), help="libunroll_kernels.so; default: UNROLL_KERNELS_LIBRARY")
    parser.add_argument("--tiny", action="store_true", help=argparse.SUPPRESS)  # for the test: sizes at which nothing is to be learnt
    options = parser.parse_args()
    if options.docs and not options.json:
        parser.error("--docs needs --json FILE: what it writes was measured before")
    if not options.docs and not (options.library and pathlib.Path(options.library).is_file()):
        parser.error("name the built libunroll_kernels.so by --library or UNROLL_KERNELS_LIBRARY")
    return options


def settings_of(options):
    shared = {"limit": options.limit, "threads": options.threads, "library": str(pathlib.Path(options.library).resolve())}
    if options.tiny:
        return Settings("tiny", seconds=0.0, least=2, rounds=options.rounds or 2, copy_mb=1, **shared)
    if options.quick:
        return Settings("quick", seconds=options.seconds or 0.1, least=3, rounds=options.rounds or 2, copy_mb=256, **shared)
    return Settings("full", seconds=options.seconds or 1.0, least=5, rounds=options.rounds or 3, copy_mb=256, **shared)


def chosen(options, scale):
    """Families of (case, forms) as the options choose them; ours stands beside every peer."""

    def wanted(form):
        if form.kind not in PEERS:
            return True
        return options.peer.lower() in peer_name(form.kind, form.name).lower() and not (form.kind == COMPILED and (options.quick or options.eager))

    from cases import families  # torch, which --docs does not need

    for family in families(scale):
        pairs = [(case, [form for form in case.forms if wanted(form)]) for case in family if options.only.lower() in case.title.lower()]
        yield [(case, forms) for case, forms in pairs if not options.peer or any(form.kind in PEERS for form in forms)]


def measure(record, pairs, settings, cache, limit=None):
    """The rounds of one list of cases."""
    cases = {case.title: case for case, _ in pairs}
    for turn in range(settings.rounds if pairs else 0):
        try:
            for done in run(pairs, settings, turn, cache, limit):
                record.add(cases[done["case"]], done)
        except OverLimit:
            return give_up(record, pairs, f"not done after {limit:.0f} s.")
        except Failed as words:
            print(words, file=sys.stderr)
            return give_up(record, pairs, "its process failed; see above.")


def give_up(record, pairs, problem):
    for case, forms in pairs:
        for form in forms[1:] or forms:  # ours, the first, has its figures elsewhere where it is not alone
            record.add_problem(case, form, problem)


def measured(options, keep):
    """A record of what the options choose; keep(record) after every group of cases, so that a run that is broken off leaves what it has."""
    settings = settings_of(options)
    record = Record.here(settings)
    with tempfile.TemporaryDirectory() as place:
        for family in chosen(options, settings.scale):
            for group in [family] if options.quick else [[pair] for pair in family]:
                measure(record, shared_process(group), settings, place)
                for pairs in compiled_processes(group):
                    measure(record, pairs, settings, tempfile.mkdtemp(dir=place), settings.limit)
                for case, _ in group:
                    print(case_text(record, case.name, case.size), end="\n\n", flush=True)
                keep(record)
    return record


def main():
    options = parsed()
    if options.docs:
        write_into(options.document, Record.read(options.json))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what was started is ended too
    earlier = Record.read(options.json) if options.json and os.path.exists(options.json) else Record({})

    def keep(record):
        whole = record.over(earlier)
        if options.json:
            whole.write(options.json)
        if options.table:
            pathlib.Path(options.table).write_text(document(whole) + "\n", encoding="utf-8")

    record = measured(options, keep)
    if not record.rows:
        sys.exit(f"No case holds '{options.only}' and has a peer that holds '{options.peer}'.")
    print(targets_text(record))
    return 1 if any(outcome.met is False for outcome in outcomes(record)) else 0


if __name__ == "__main__":
    sys.exit(main())

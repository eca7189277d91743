#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each cell can and cannot learn: trains every cell on small tasks on the CPU and tabulates what came of it.

    ./dev bench learning [--only parity [mru ...]] [--seeds 1 2] [--json FILE] [--docs]

Prints a line for each run and a table for each task. --json adds the runs to a file; --docs to docs/learning.json, and writes docs/learning.md
from it, with what was seen before. Exits 1 where a cell that was run does other than theory says. Shakespeare reads a text named by --data."""

import argparse
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # what the programs of tests/bench share

import context
import every
import mru_lm
import overview
import pair
import published
import shakespeare
import states
import tables
import texts
import tracking
from attempt import attempt, found_runs
from engine import Engine
from reporting import processor
from runs import Record
from trials import TASKS

# Run by name alone: minutes each; their tables stand between marks.
MARKED = {"context": context, "every": every, "mru-lm": mru_lm, "pair": pair, "published": published, "states": states, "texts": texts, "tracking": tracking}
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def machine():
    return f"{processor()}, {os.cpu_count()} cores"


def run_task(engine, record, task, options):
    good = True
    for trial in task.trials:
        if not trial.cell.is_named(options.only[1:]):
            continue
        for seed in options.seeds or task.seeds_of(trial):
            run = attempt(engine, task, trial, seed, machine())
            record.add(run)
            good = good and tables.as_expected(task, trial, [run])
            told = "  ".join(f"{name} {value:.4g}" for name, value in run["figures"].items()) or "diverged"
            seen = f"{run['seconds']:.0f} s  {tables.verdict(task, trial, [run])}"
            print(f"{task.key:10} {trial.cell.title:18} seed {seed}  {told}  {seen}", flush=True)
    print("\n" + tables.table(task, found_runs(record, task)), flush=True)
    return good


def write_docs(record, build, only):
    if only in MARKED:  # between its marks: the rest of the page stays
        page = DOCS / "learning.md"
        text = page.read_text(encoding="utf-8")
        for part in (MARKED[only], overview):
            text = tracking.into(text, part.table(record), part.BEGIN, part.END)
        page.write_text(text, encoding="utf-8")
        return
    marked = [part.table(record) for part in (texts, context, states, tracking, mru_lm, every, pair, published)]
    parts = [tables.HEAD, overview.table(record), *(tables.table(task, found_runs(record, task)) for task in TASKS.values()), shakespeare.table(record, build), *marked]
    (DOCS / "learning.md").write_text("\n".join(parts), encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=os.environ.get("UNROLL_CLI"), help="unroll-cli; default: UNROLL_CLI")
    tasks = [*TASKS, "shakespeare", *MARKED]
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"one of {', '.join(tasks)}, then parts of cells' names; of states its problems too")
    parser.add_argument("--lenses", action="store_true", help="what units of each cell track, and since when: --only tracking")
    parser.add_argument("--seeds", nargs="+", type=int, help="default: 1; 1, 2 and 3 of what theory speaks of in parity, S3 and vector copy")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--data", help="tiny Shakespeare, input.txt; without it that part is left out; context and every read it instead of the fables; "
                        "published: airline-passengers.csv or timemachine.txt; texts: the text that is named")
    parser.add_argument("--keep", metavar="FOLDER", help="of shakespeare: keeps its runs, which go on where they were broken off")
    parser.add_argument("--speed", action="store_true", help="of shakespeare: time the cells side by side, and train none")
    parser.add_argument("--costs", action="store_true", help="of shakespeare: count the cells' states and FLOPs, and train none")
    parser.add_argument("--lacking", action="store_true", help="of states, texts, shakespeare, every, pair and --costs: only what was not run with these settings")
    parser.add_argument("--json", metavar="FILE", help="a file that keeps the runs")
    parser.add_argument("--docs", action="store_true", help="docs/learning.json keeps the runs, docs/learning.md shows them")
    parser.add_argument("--tables", action="store_true", help="run nothing: write the tables again")
    options = parser.parse_args()
    if options.lenses:
        options.only = ["tracking", *options.only]
    if not options.cli and not options.tables:
        parser.error("name unroll-cli by --cli or UNROLL_CLI")
    if options.only and options.only[0] not in tasks:
        parser.error(f"there is no {options.only[0]}; there are {', '.join(tasks)}")
    return options


def main():
    options = arguments()
    record = Record(DOCS / "learning.json" if options.docs else options.json)
    good = True
    engine = Engine(options.cli, options.threads) if options.cli else None
    if not options.tables:
        for key, task in TASKS.items():
            if not options.only or options.only[0] == key:
                good = run_task(engine, record, task, options) and good
        if (options.data or options.speed or options.costs) and (not options.only or options.only[0] == "shakespeare"):
            good = shakespeare.run(engine, record, options, machine()) and good
        if options.only and options.only[0] in MARKED:
            good = MARKED[options.only[0]].run(engine, record, options, machine()) and good
    if options.docs:
        write_docs(record, engine.build if engine else None, options.only[0] if options.only else None)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

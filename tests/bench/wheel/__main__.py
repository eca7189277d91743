# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the Python package: every class of unroll.nn that has kernels, forward and backward, beside its reference form, beside torch.nn's
module or the authors' package, and, where the program of ./dev bench blocks is named, beside the block in C++. Run by the Python that has the
package: ./dev bench wheel."""

import argparse
import inspect
import json
import pathlib
import re
import subprocess
import sys
import time

import torch
import unroll

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from plain import plain_call  # noqa: E402
from reporting import processor, table  # noqa: E402

STEPS, SEQUENCES, WIDTH = 64, 12, 256  # as in tests/bench/blocks_bench.cpp
NONE = "–"


def best_seconds(call, budget, clock=time.perf_counter):
    """Of one call: the best of as many as fit into the budget, five at least after the first."""
    call()
    best, begun, calls = float("inf"), time.perf_counter(), 0
    while calls < 5 or time.perf_counter() - begun < budget:
        start = clock()
        call()
        best, calls = min(best, clock() - start), calls + 1
    return best


def inputs():
    return torch.randn(STEPS, SEQUENCES, WIDTH, requires_grad=True)


def pass_of(name):
    """Forward and backward of a cell, as a call."""
    torch.manual_seed(1)
    cls = getattr(unroll.nn, name)
    takes_units = "units" in inspect.signature(cls).parameters
    cell = cls(WIDTH, units=WIDTH) if takes_units else cls(WIDTH)
    x = inputs()

    def call():
        outputs = cell(x)
        y = outputs[0] if isinstance(outputs, tuple) else outputs
        y.sum().backward()

    return call


def blocks_tokens(program):
    """{block: tokens/s} of forward and backward, as the C++ program measures them."""
    if program is None:
        return {}
    said = subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True, check=True)
    found = {}
    for entry in json.loads(said.stdout)["benchmarks"]:
        if "backward" in entry["name"] and "tokens/s" in entry:  # one-hot has nothing to differentiate
            found[entry["name"].split("/")[0]] = entry["tokens/s"]
    return found


def class_blocks():
    """{class name: folder of nodes/}, by the names of the package's modules."""
    return {name: re.sub(r"_kernels$", "", getattr(unroll.nn, name).form.__name__.rsplit(".", 1)[1])
            for name, record in unroll.kernels().items() if record.uses}


def measured(names, budget, program, clock):
    """Rows of the table."""
    tokens, folders, blocks = STEPS * SEQUENCES, class_blocks(), blocks_tokens(program)
    for name in names:
        call = pass_of(name)
        ours = best_seconds(call, budget, clock)
        with unroll.reference_forms():
            reference = best_seconds(call, budget, clock)
        what, plain = plain_call(name, WIDTH, inputs())
        theirs = best_seconds(plain, budget, clock) if plain else None
        block = blocks.get(folders[name])
        yield [name, f"{1e3 * ours:.2f}", f"{1e3 * reference:.2f}", f"{reference / ours:.1f}", f"{what}: {1e3 * theirs:.2f}" if what else NONE,
               f"{theirs / ours:.1f}" if what else NONE, f"{tokens / ours / 1e3:.0f}", f"{block / 1e3:.0f}" if block else NONE]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="classes; all that have kernels where none is named")
    options.add_argument("--seconds", type=float, default=0.5, help="time for each measurement")
    options.add_argument("--threads", type=int, default=0, help="0: as many as torch takes")
    options.add_argument("--processor-time", action="store_true", help="of all threads in place of the clock's: with one thread, where other programs run")
    options.add_argument("--blocks", metavar="PROGRAM", help="unroll_blocks_bench, to stand beside")
    chosen = options.parse_args()
    if unroll.kernels().missing:
        sys.exit(f"error: no kernels: {unroll.kernels().missing}")
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    names = chosen.names or list(class_blocks())
    heads = ["class", "kernels ms", "reference form ms", "times", "torch.nn or package, ms", "times", "thousand tokens/s", "block in C++"]
    print(f"{processor()}, {torch.get_num_threads()} threads, torch {torch.__version__}, unroll {unroll.__version__}")
    time_of = "Processor time" if chosen.processor_time else "Time"
    print(f"{time_of} of forward and backward of {STEPS} steps of {SEQUENCES} sequences, {WIDTH} wide, fp32.\n")
    print(table(heads, measured(names, chosen.seconds, chosen.blocks, time.process_time if chosen.processor_time else time.perf_counter)))


if __name__ == "__main__":
    main()

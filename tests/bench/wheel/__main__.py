# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the Python package: every class of unroll.nn that has kernels, forward and backward, beside its reference form and, where the
program of ./dev bench blocks is named, beside the block in C++. Run by the Python that has the package: ./dev bench wheel."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

import torch
import unroll

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from reporting import processor, table  # noqa: E402

STEPS, SEQUENCES, WIDTH = 64, 12, 256  # as in tests/bench/blocks_bench.cpp
SCALES = {"k": 1e3, "M": 1e6, "G": 1e9}


def best_seconds(call, budget):
    """Of one call: the best of as many as fit into the budget, five at least after the first."""
    call()
    best, begun, calls = float("inf"), time.perf_counter(), 0
    while calls < 5 or time.perf_counter() - begun < budget:
        start = time.perf_counter()
        call()
        best, calls = min(best, time.perf_counter() - start), calls + 1
    return best


def pass_of(name):
    """Forward and backward of a cell, as a call."""
    torch.manual_seed(1)
    cls = getattr(unroll.nn, name)
    takes_units = "units" in cls.__init__.__code__.co_varnames
    cell = cls(WIDTH, units=WIDTH) if takes_units else cls(WIDTH)
    x = torch.randn(STEPS, SEQUENCES, WIDTH, requires_grad=True)

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
        parts = entry["name"].split("/")
        if "backward" in entry["name"]:
            found[parts[0]] = entry["tokens/s"]
    return found


def class_blocks():
    """{class name: folder of nodes/}, by the names of the package's modules."""
    return {name: re.sub(r"_kernels$", "", getattr(unroll.nn, name).form.__name__.rsplit(".", 1)[1])
            for name, record in unroll.kernels().items() if record.uses}


def measured(names, budget, program):
    """Rows of the table."""
    tokens, folders, blocks = STEPS * SEQUENCES, class_blocks(), blocks_tokens(program)
    for name in names:
        call = pass_of(name)
        ours = best_seconds(call, budget)
        with unroll.reference_forms():
            reference = best_seconds(call, budget)
        block = blocks.get(folders[name])
        yield [name, f"{1e3 * reference:.2f}", f"{1e3 * ours:.2f}", f"{reference / ours:.1f}", f"{tokens / ours / 1e3:.0f}",
               f"{block / 1e3:.0f}" if block else "–"]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="classes; all that have kernels where none is named")
    options.add_argument("--seconds", type=float, default=0.5, help="time for each measurement")
    options.add_argument("--threads", type=int, default=0, help="0: as many as torch takes")
    options.add_argument("--blocks", metavar="PROGRAM", help="unroll_blocks_bench, to stand beside")
    chosen = options.parse_args()
    if unroll.kernels().missing:
        sys.exit(f"error: no kernels: {unroll.kernels().missing}")
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    names = chosen.names or list(class_blocks())
    heads = ["class", "reference ms", "kernels ms", "times", "thousand tokens/s", "block in C++"]
    print(f"{processor()}, {torch.get_num_threads()} threads, torch {torch.__version__}, unroll {unroll.__version__}")
    print(f"Forward and backward of {STEPS} steps of {SEQUENCES} sequences, {WIDTH} wide, fp32.\n")
    print(table(heads, measured(names, chosen.seconds, chosen.blocks)))


if __name__ == "__main__":
    main()

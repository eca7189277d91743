# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the comparison: what is timed, and who computes."""

QUIET = 0.1  # share of the processors that other programs may take where a figure counts
MODES = ("forward", "forward+backward")
# Steps that torch.compile sees at a time, and up to which it is given the whole loop besides: it unrolls it.
BLOCK, WHOLE = 32, 256

# Ours, then the peers in the order of the tables' columns.
UNROLL, LOOP, COMPILED, FORMULA, PACKAGE, TORCH = "unroll", "loop", "compiled", "formula", "package", "torch"
PEERS = {
    LOOP: "PyTorch loop",
    COMPILED: "torch.compile",
    FORMULA: "formulation",
    PACKAGE: "package",
    TORCH: "torch.nn",
}

CPU, CUDA = "cpu", "cuda"  # where forms run, as torch names it

PRODUCTS = "products"  # no peer: the matrix products of a layer and nothing else, a bound for everybody

# SPDX-License-Identifier: GPL-3.0-or-later
"""The gated recurrence from its pre-activations: GRUMML's, minGRU's and the fo-pooling of QRNN, which is gated_scan too.

    h_t = f h_{t-1} + (1 - f) c,   u = sigmoid(a_g) h,   f = sigmoid(a_f),   c = candidate(a_c)
"""

import torch
from torch.nn.functional import logsigmoid, silu, softplus

from case import Case, Form, Prepared, form, from_package, leaves_of, ours
from kinds import FORMULA, PACKAGE
from recurrence import Recurrence, accelerated_scan, associative, compiled, doubling, hgrn, mambapy, sequences_first


def positive(x):
    """minGRU's g (Feng et al. 2024, appendix B)."""
    return torch.where(x >= 0, x + 0.5, torch.sigmoid(x))


CANDIDATES = {"silu": silu, "tanh": torch.tanh, "positive": positive}


def through_gate(states, gate):
    return torch.sigmoid(gate[0]) * states if gate else states


def parts(candidate, a_f, a_c):
    """The pair of the linear recurrence: f and (1 - f) c."""
    f = torch.sigmoid(a_f)
    return f, (1 - f) * CANDIDATES[candidate](a_c)


def recurrence(candidate, gates):
    def walk(sequences, _, state):
        a_f, a_c, *gate = sequences
        (h,), states = state, []
        for f, written in zip(*(x.unbind(0) for x in parts(candidate, a_f, a_c))):
            h = torch.addcmul(written, f, h)
            states.append(h)
        return through_gate(torch.stack(states), gate), (h,)

    return Recurrence(gates, lambda sequences, _: (torch.zeros_like(sequences[0][0]),), walk)


def by(scan, candidate):
    return lambda a_f, a_c, *gate: through_gate(scan(*parts(candidate, a_f, a_c)), gate)


OF_LOGARITHMS = 1e-2  # sums of logarithms over 1,000 steps come to 1.5e-3, which the table tells


def log_parts(a_f, a_c):
    """Logarithms of f and of (1 - f) g(a_c)."""
    log_g = torch.where(a_c >= 0, (torch.relu(a_c) + 0.5).log(), -softplus(-a_c))
    return -softplus(-a_f), log_g - softplus(a_f)


def log_space(a_f, a_c):
    """Heinsen 2023 (arXiv:2311.06281), as minGRU's paper has it: two cumulative sums."""
    log_f, log_written = log_parts(a_f, a_c)
    fallen = log_f.cumsum(0)
    return (fallen + (log_written - fallen).logcumsumexp(0)).exp()


def parallel_scans(candidate):
    """Kernels of others for the linear recurrence, with torch's operations before and after it."""

    def by_logarithms(scan):
        def call(a_f, a_c, *gate):
            return through_gate(scan(logsigmoid(a_f), parts(candidate, a_f, a_c)[1]), gate)

        return call

    return [mambapy(lambda scan: by(scan, candidate)), accelerated_scan(lambda scan: by(scan, candidate)), *hgrn(by_logarithms)]


def min_gru_package():
    def prepare(inputs):
        scan = from_package("minGRU_pytorch.minGRU", "minGRU-pytorch").heinsen_associative_scan_log
        leaves = leaves_of(sequences_first(x).contiguous() for x in inputs)
        return Prepared(lambda: scan(*log_parts(*leaves)), leaves, sequences_first, lambda all_of: [sequences_first(g) for g in all_of])

    return Form("minGRU-pytorch", PACKAGE, prepare, largest_error=OF_LOGARITHMS)


def case(name, size, candidate, gates, extra):
    steps, sequences, width = size
    elements = steps * sequences * width
    definition = recurrence(candidate, gates)

    def call(op, *inputs):
        return op(inputs, candidate=candidate, output_gate=gates == 3)[0]

    forms = [ours("gated_scan", call), *definition.forms(steps), compiled("associative_scan", by(associative, candidate)),
             form("Hillis-Steele", FORMULA, by(doubling, candidate)), *extra]
    # Forward: the pre-activations in, h out, and u where there is a gate; backward: those, h and a gradient in, and
    # theirs out.
    forward, backward = (20, 32) if gates == 3 else (12, 24)
    return Case(name, size, lambda: [torch.randn(size) for _ in range(gates)], definition.loop, forms,
                (forward * elements, (forward + backward) * elements))


def cases(sizes):
    for size in sizes.scans:
        yield case("gated_scan", size, "silu", 3, parallel_scans("silu"))
        yield case("fo-pooling", size, "tanh", 3, parallel_scans("tanh"))
        yield case("minGRU", size, "positive", 2, [form("log-space cumulative sum", FORMULA, log_space, largest_error=OF_LOGARITHMS),
                                                   compiled("log-space cumulative sum", log_space, largest_error=OF_LOGARITHMS),
                                                   min_gru_package()])

# SPDX-License-Identifier: GPL-3.0-or-later
"""A recurrence as its step loop: the yardstick in fp64, the plain peer, and what torch.compile is given.

The loop is the fair one: tensors are unbound once. Indexing x[t] in the loop would give every step a gradient as large as the whole sequence,
so that the backward pass took time quadratic in T.
"""

import dataclasses
import functools
from collections.abc import Callable

import torch

from case import Form, as_it_is, form, from_package, in_layout
from kinds import BLOCK, COMPILED, CUDA, LOOP, PACKAGE, WHOLE


@dataclasses.dataclass(frozen=True)
class Recurrence:
    sequences: int  # so many of the inputs run over time, (T, ...); the others are weights
    begin: Callable  # (sequences, weights) -> the first state, a tuple
    walk: Callable  # (sequences, weights, state) -> what the steps give, (T, ...), and the last state

    def loop(self, *inputs):
        sequences, weights = inputs[: self.sequences], inputs[self.sequences :]
        return self.walk(sequences, weights, self.begin(sequences, weights))[0]

    def forms(self, steps):
        return [form("step by step", LOOP, self.loop), *self.compiled_forms(steps)]

    def compiled_forms(self, steps, there=as_it_is, back=as_it_is):
        whole = [compiled("whole loop", self.loop, there, back)] if steps <= WHOLE else []
        return [*whole, in_layout(f"{BLOCK}-step blocks", COMPILED, self.in_blocks(compiled_call(self.walk)), there, back)]

    def in_blocks(self, walk):
        def call(*inputs):
            sequences, weights = inputs[: self.sequences], inputs[self.sequences :]
            state, outputs = self.begin(sequences, weights), []
            # split, as unbind: slices would fill whole gradients with zeros
            for block in zip(*(x.split(BLOCK) for x in sequences)):
                y, state = walk(block, weights, state)
                outputs.append(y)
            return torch.cat(outputs)

        return call


def compiled_call(call):
    """torch.compile of it, made when it is first called: making it takes seconds, and many cases are only listed."""
    made = functools.cache(lambda: torch.compile(call, fullgraph=True, dynamic=False))
    return lambda *inputs: made()(*inputs)


def compiled(name, call, there=as_it_is, back=as_it_is, **more):
    return in_layout(name, COMPILED, compiled_call(call), there, back, **more)


def affine_after(first, then):
    """Two steps h -> a h + b as one; what torch's associative_scan is given."""
    return then[0] * first[0], then[0] * first[1] + then[1]


def associative(a, b, after=affine_after):
    from torch._higher_order_ops.associative_scan import associative_scan

    return associative_scan(after, (a, b), 0, combine_mode="generic")[1]


def doubling(a, b):
    """h_t = a_t h_{t-1} + b_t from zeros in log2 T rounds (Hillis and Steele 1986, "Data parallel algorithms"). a, b (T, ...)."""
    reach, steps = 1, len(b)
    while reach < steps:
        b = torch.cat((b[:reach], torch.addcmul(b[reach:], a[reach:], b[:-reach])))
        if 2 * reach < steps:
            a = torch.cat((a[:reach], a[reach:] * a[:-reach]))
        reach *= 2
    return b


def sequences_first(x):
    """(T,B,d) to (B,T,d) and back."""
    return x.transpose(0, 1)


def package_scan(name, find, around, there=sequences_first, back=sequences_first, **more):
    """A kernel of others, found when it is asked for, with whatever `around` puts before and after it."""

    def prepare(inputs):
        return in_layout("", PACKAGE, around(find()), there, back).prepare(inputs)

    return Form(name, PACKAGE, prepare, **more)


def mambapy(around):
    """Its parallel scan, of (B,T,d,1)."""

    def find():
        pscan = from_package("mambapy.pscan", "mambapy").pscan
        return lambda a, b: pscan(a.unsqueeze(-1), b.unsqueeze(-1)).squeeze(-1)

    return package_scan("mambapy pscan", find, around)


def accelerated_scan(around):
    """Of (B,d,T), T a power of 2 from 32 on."""

    def find():
        return from_package("accelerated_scan.warp", "accelerated-scan").scan

    return package_scan("accelerated-scan", find, around, lambda x: x.permute(1, 2, 0), lambda y: y.permute(2, 0, 1), devices=(CUDA,))


def hgrn(around):
    """flash-linear-attention's two kernels of HGRN's recurrence, h_t = exp(g_t) h_{t-1} + x_t, of (B,T,d); around(scan) is given scan(g, x)."""

    def kernel(name):
        def find():
            operation = getattr(from_package("fla.ops.hgrn", "flash-linear-attention"), name)
            return lambda g, x: operation(x, g)[0]

        return package_scan(f"flash-linear-attention {name}", find, around, devices=(CUDA,))

    return [kernel("chunk_hgrn"), kernel("fused_recurrent_hgrn")]

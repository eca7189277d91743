# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compared: a case is one recurrence at one size, a form is one way to compute it."""

import dataclasses
import importlib
import warnings
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from kinds import CPU, CUDA, MODES, PRODUCTS, UNROLL


class Unavailable(Exception):
    """A form cannot be run here; the sentence says why."""


@dataclasses.dataclass
class Prepared:
    """A form on the numbers of a case, ready to be called again and again.

    `leaves` are the tensors that gradients are taken of, in whatever layout suits the form: bringing them there is not timed. `output` and
    `gradients` bring its results back into the layout of the case, to be compared.
    """

    call: Callable[[], Tensor]
    leaves: Sequence[Tensor]
    output: Callable[[Tensor], Tensor] = lambda y: y
    gradients: Callable[[Sequence[Tensor]], Sequence[Tensor]] = lambda gradients: gradients


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    kind: str  # UNROLL, one of PEERS, or PRODUCTS
    prepare: Callable[[Sequence[Tensor]], Prepared]  # from the case's numbers
    modes: tuple = MODES  # a form for inference has no gradients
    devices: tuple = (CPU, CUDA)
    same_values: bool = True  # False: a yardstick of the same size that computes something else
    largest_error: float = 1e-3  # relative RMS of an output or gradient; a form further off is not timed


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    size: tuple
    draw: Callable[[], Sequence[Tensor]]  # the numbers, fp32
    loop: Callable[..., Tensor]  # the definition, step by step, in any precision
    forms: Sequence[Form]
    bytes: tuple | None = None  # that an ideal pass moves, forward and forward+backward; None: bound by its products

    @property
    def title(self):
        return f"{self.name} ({', '.join(map(str, self.size))})"


def leaves_of(inputs):
    return [x.detach().clone().requires_grad_() for x in inputs]


def as_it_is(x):
    return x


def form(name, kind, call, **more):
    """A form that takes the case's numbers as they are."""
    return in_layout(name, kind, call, as_it_is, as_it_is, **more)


def in_layout(name, kind, call, there, back, **more):
    """A form with a layout of its own: `there` takes a number of the case to it, `back` an output or a gradient from it."""

    def prepare(inputs):
        leaves = leaves_of(there(x).contiguous() for x in inputs)
        return Prepared(lambda: call(*leaves), leaves, back, lambda gradients: [back(g) for g in gradients])

    return Form(name, kind, prepare, **more)


def our_product(x, weight, bias=None):
    """x W^T + b before the recurrence of a whole layer, as the blocks make it."""
    return torch.ops.unroll.dense_product(x, weight, bias)


def products_alone(of):
    """A whole layer's matrix products, of all steps at once, by the library that is ahead here: what is left of the layer when the rest takes no
    time. `of` takes the case's numbers to x and to all that it, or a state as wide, is multiplied with, (out, in)."""

    def prepare(inputs):
        x, weight = leaves_of(of(*inputs))
        return Prepared(lambda: our_product(x, weight), [x, weight])

    return Form("alone", PRODUCTS, prepare, same_values=False)


def ours(name, call, **more):
    """A form over one of our ops: call(op, *inputs)."""

    def prepare(inputs):
        op, leaves = getattr(torch.ops.unroll, name), leaves_of(inputs)
        return Prepared(lambda: call(op, *leaves), leaves)

    return Form("Unroll", UNROLL, prepare, **more)


def from_package(module, package):
    """An authors' module; a sentence where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise Unavailable(f"{package} is not installed.") from missing

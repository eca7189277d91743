# SPDX-License-Identifier: GPL-3.0-or-later
"""What every class of unroll.nn with an input_size checks before it computes, by kernels or by its reference form: kernels and oneDNN's LSTM
read memory by the sizes they are told, and PyTorch broadcasts a state or a mask of one sequence over all."""

import inspect

import torch

from ._rules import Ruled


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def _sizes(tensor):
    return str(list(tensor.shape)) if isinstance(tensor, torch.Tensor) else f"a {type(tensor).__name__}"


def _casts(tensor):
    """Whether autocast chooses the types of what is computed with it."""
    kind = tensor.device.type
    return torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)


class Checked(Ruled):
    """Stands before a block's reference class, `reference`. Sizes are taken when the module is built: the width of x, and of a cell the sizes
    of its state, which one step of zeros has left; None where the class itself refuses that step."""

    _cell, _state_sizes = False, None

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        if "reference" in cls.__dict__:
            cls._cell = "state" in inspect.signature(cls.reference.forward).parameters

    def _built(self, input_size, **_):
        self._width = input_size
        if not self._cell:
            return
        mode = self.training
        first = next(self.parameters(), torch.zeros(()))
        self.eval()
        try:
            with torch.no_grad():
                state = self.reference.forward(self, torch.zeros(2, 1, input_size, dtype=first.dtype, device=first.device))[1]
            self._state_sizes = tuple(tuple(part.shape[1:]) for part in state)
        except RuntimeError:
            pass
        self.train(mode)

    def _refuse(self, words, error=ValueError):
        raise error(f"{self.reference.__name__}: {words}")

    def _check(self, x, state=None, mask=None, *others, **named):
        wanted = f"[T, B, {self._width}]" if self._cell else f"[..., {self._width}]"
        if not isinstance(x, torch.Tensor) or x.dim() < 1 or (self._cell and x.dim() != 3):
            self._refuse(f"x is {_sizes(x)}, and the class takes {wanted}")
        if x.shape[-1] != self._width:
            self._refuse(f"x has {x.shape[-1]} features, and the class takes {self._width}: {wanted}, not {_sizes(x)}")
        self._check_types(x)
        if self._cell:
            self._check_cell(x, state, mask)

    def _check_types(self, x):
        weights = {weight.dtype for weight in self.parameters()}
        if len(weights) > 1:
            return
        if not x.is_floating_point() or (weights and x.dtype not in weights and not _casts(x)):
            theirs = f"the weights are {_name(*weights)}" if weights else "the class takes floating point numbers"
            self._refuse(f"x is {_name(x.dtype)}, and {theirs}", TypeError)

    def _check_cell(self, x, state, mask):
        steps, sequences = x.shape[:2]
        if steps < 1:
            self._refuse(f"x is {_sizes(x)}: it has no step")
        if mask is not None:
            if not isinstance(mask, torch.Tensor) or mask.shape != x.shape[:2]:
                self._refuse(f"mask is {_sizes(mask)}, and x has [T, B] = {[steps, sequences]}")
            if mask.dtype != torch.bool:
                self._refuse(f"mask is {_name(mask.dtype)}, and the class takes bool", TypeError)
        if state is not None and self._state_sizes is not None:
            self._check_state(x, state)

    def _check_state(self, x, state):
        wanted = [[x.shape[1], *sizes] for sizes in self._state_sizes]
        if not isinstance(state, (tuple, list)):
            self._refuse(f"state is {_sizes(state)}, and the class takes a tuple of {', '.join(map(str, wanted))}", TypeError)
        given = [list(part.shape) if isinstance(part, torch.Tensor) else part for part in state]
        if given != wanted:
            self._refuse(f"state is ({', '.join(map(_sizes, state))}), and the class takes ({', '.join(map(str, wanted))}) for {x.shape[1]} sequences")
        for part in state:
            if part.dtype != x.dtype and not _casts(x):
                self._refuse(f"state is {_name(part.dtype)}, and x is {_name(x.dtype)}", TypeError)

    def forward(self, x, *others, **named):
        self._check(x, *others, **named)
        return self.reference.forward(self, x, *others, **named)

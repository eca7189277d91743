# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that do not fit are refused before anything is made of them, by the rules of the blocks' specs: those of Unroll's own check, in its
words. They are C++ without torch, libunroll_rules.so."""

import ctypes
import functools
import inspect
import json
import math
import numbers
import pathlib

_library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "lib" / "libunroll_rules.so"))
_fault = _library.unroll_option_fault
_fault.argtypes, _fault.restype = (ctypes.c_char_p, ctypes.c_char_p), ctypes.c_char_p


def _plain(value):
    """As JSON has it; what it has not as text."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) and math.isfinite(value) else str(value)


def fault(block, options):
    """What is wrong with {name: value}, as a sentence; empty: nothing."""
    said = {name: _plain(value) for name, value in options.items()}
    return _fault(block.encode(), json.dumps(said).encode()).decode()


class Ruled:
    """Stands before a block's reference class, `reference`; `block` is the block's id."""

    block = ""
    own_options = {}  # flags of the class in this package alone, of which the block knows nothing, with their defaults

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        if "reference" not in cls.__dict__:
            return  # a user's subclass
        build = cls.reference.__init__
        signature = inspect.signature(build)

        @functools.wraps(build)
        def __init__(self, *given, **named):
            own = {name: named.pop(name, default) for name, default in cls.own_options.items()}
            _, *options = signature.bind(self, *given, **named).arguments.items()
            if words := fault(cls.block, dict(options)):
                raise ValueError(f"{cls.__name__}: {words}")
            for name, value in own.items():
                if not isinstance(value, bool):
                    raise ValueError(f"{cls.__name__}: {name} must be true or false; it is {value}")
            build(self, *given, **named)
            vars(self).update(own)
            self._built(**dict(options))

        cls.__init__ = __init__

    def _built(self, **options):
        """Called once it is made, with what it was made with."""

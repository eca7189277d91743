# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared library of the kernels, which brings torch.ops.unroll."""

import pathlib

import torch

TORCH = "2.11"
LIBRARY = pathlib.Path(__file__).parent / "lib" / "libunroll_kernels.so"


def _loaded():
    """Why there are no kernels; None: they are there."""
    if not torch.__version__.startswith(TORCH + "."):
        return f"the kernels are built for torch {TORCH}, and this is torch {torch.__version__}"
    if not LIBRARY.exists():
        return f"{LIBRARY} is not there"
    try:
        torch.ops.load_library(LIBRARY)
    except OSError as error:
        return f"{LIBRARY} cannot be loaded: {error}"
    return None


missing = _loaded()

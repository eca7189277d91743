# SPDX-License-Identifier: GPL-3.0-or-later
"""What the makers of stored numbers share: cases, draws, gradients, and packages taken in part."""

import json
import pathlib
import sys
import types

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent


class Cases:
    """What one package gave."""

    def __init__(self, facts):
        self.tensors, self.cases, self.facts = {}, [], facts

    def add(self, options, **kinds):
        """Of a case: {"weight": {name: tensor}, "in": ..., "out": ..., "grad": ...}."""
        number = len(self.cases)
        self.cases.append(options)
        for kind, named in kinds.items():
            for name, tensor in named.items():
                self.tensors[f"{number}.{kind}.{name}"] = tensor.detach().clone().contiguous()

    def save(self, name):
        save_file(self.tensors, HERE / f"{name}.safetensors", {"facts": json.dumps(self.facts), "cases": json.dumps(self.cases)})


def drawn(shape, generator, scale=1.0, dtype=torch.float64):
    return scale * torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def gradients(outputs, cotangents, leaves):
    """Of the sum of products, by name; leaves that nothing reaches are left out."""
    total = sum((o * c).sum() for o, c in zip(outputs, cotangents))
    found = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return {name: grad for name, grad in zip(leaves, found) if grad is not None}


def commit_of(checkout):
    import subprocess
    return subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def below(package, folders):
    """Modules of an installed package without what the __init__ of these folders ("" is its own) asks for."""
    import importlib.util
    root = pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])
    for folder in folders:
        name = ".".join([package, *folder.split("/")] if folder else [package])
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(root / folder)]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of every C++ block, written by unroll_block_dump, beside the class of its reference.py.

UNROLL_BLOCK_DUMP names the program; without it, it is looked for in the build folder that UNROLL_CLI lies in."""

import importlib.util
import json
import os
import pathlib
import sys

import safetensors
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes"))  # what references share is imported from there


def dump_program():
    if os.environ.get("UNROLL_BLOCK_DUMP"):
        return pathlib.Path(os.environ["UNROLL_BLOCK_DUMP"])
    cli = os.environ.get("UNROLL_CLI")
    return pathlib.Path(cli).parents[2] / "tests" / "unroll_block_dump" if cli else None


def module_at(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_module(block):
    return module_at(f"reference_{block}", ROOT / "nodes" / block / "reference.py")


def signals_module(block):
    """The block's own account of its signals; None where test_signals.py has it."""
    path = ROOT / "nodes" / block / "signals.py"
    return module_at(f"signals_{block}", path) if path.exists() else None


class Dump:
    """The file of one block."""

    def __init__(self, path):
        self.block = path.stem
        self.module = reference_module(self.block)
        self.tensors = {}
        with safetensors.safe_open(path, "pt") as file:
            metadata = file.metadata()
            for name in file.keys():
                number, rest = name.split(".", 1)
                self.tensors.setdefault(int(number), {})[rest] = file.get_tensor(name)
        self.ports = json.loads(metadata["ports"])
        self.straight_through = metadata["straight_through"] == "yes"
        self.python_class = getattr(self.module, metadata["class"])
        self.cases = [
            Case(self, facts, self.tensors[number]) for number, facts in enumerate(json.loads(metadata["cases"]))
        ]


class Case:
    """One set of parameters and inputs, and all that the C++ block made of them."""

    def __init__(self, dump, facts, tensors):
        self.dump, self.facts, self.tensors = dump, facts, tensors
        precision, mode = "fp64" if facts["double"] else "fp32", "training" if facts["training"] else "evaluation"
        self.text = f"{facts['text']}, {precision}, {mode}"

    def values(self, kind, port):
        """The tensors at a port, in order; empty where it was left free."""
        found = []
        while f"{kind}.{port}.{len(found)}" in self.tensors:
            found.append(self.tensors[f"{kind}.{port}.{len(found)}"])
        return found

    def module(self):
        """The reference with the block's weights."""
        made = self.dump.python_class(**self.facts["dimensions"], **self.facts["params"])
        made = made.double() if self.facts["double"] else made
        weights = {n.removeprefix("weight."): t for n, t in self.tensors.items() if n.startswith("weight.")}
        made.load_state_dict(weights, strict=True)
        return made.train(self.facts["training"])

    def inputs(self):
        """Fresh leaves, one argument a port: a tensor, a tuple of tensors for a state, None where it is free."""
        arguments = []
        for port in self.dump.ports["inputs"]:
            values = [v.clone().requires_grad_(v.is_floating_point()) for v in self.values("input", port)]
            state = port == "state" and values
            arguments.append(tuple(values) if state else values[0] if values else None)
        return arguments


def load(dumps):
    return [Dump(path) for path in sorted(dumps.glob("*.safetensors"))]


def block_names():
    """Folders of nodes/ that compute."""
    return sorted(path.parent.name for path in (ROOT / "nodes").glob("*/block.cpp"))


def weights(case):
    return {n.removeprefix("weight."): t for n, t in case.tensors.items() if n.startswith("weight.")}


def before(states, initial):
    """The state before each step."""
    first = torch.zeros_like(states[:1]) if initial is None else initial.unsqueeze(0)
    return torch.cat([first, states[:-1]])


def initial(case, part=0):
    given = case.values("input", "state")
    return given[part] if given else None


def ternary_input(case):
    """What a block's first ternary layer rounds to the codes q, before it is rounded."""
    weights = {name: tensor for name, tensor in case.tensors.items() if name.startswith("weight.gain")}
    gain = next(tensor for first in ("gain_f", "gain_B_re", "gain") for name, tensor in weights.items() if name.startswith("weight." + first))
    epsilon = 1e-6 if case.facts["params"].get("variant") == "mmfreelm" else 1e-8
    x = case.tensors["input.x.0"]
    n = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + epsilon) * gain
    return n * (127 / n.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5))


def rms(tensor):
    return tensor.double().square().mean().sqrt().item()


def relative_rms(got, want, terms):
    """Where a value is what is left of larger terms that cancel, its rounding is relative to these: a tenth of their
    size counts at least."""
    return rms(got.double() - want.double()) / max(rms(want), 0.1 * rms(terms), 1e-30)

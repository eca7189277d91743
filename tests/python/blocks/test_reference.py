# SPDX-License-Identifier: GPL-3.0-or-later
"""Every block against its reference.py: outputs and all gradients, in double to 1e-9, in single to 1e-5 relative RMS or, where the reference's
own single precision is farther off than that, to twice its distance from double precision. Training passes draw their dropout masks from generators of the same seed."""

import ast
import itertools

import pytest
import torch
from torch.overrides import TorchFunctionMode

from block_dumps import ROOT, block_names, relative_rms, ternary_input
from shared import ternary


def flatten(outputs):
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return [tensor for output in outputs for tensor in (output if isinstance(output, tuple) else (output,))]


def in_double(argument):
    """The same leaves in double precision."""
    if isinstance(argument, tuple):
        return tuple(in_double(tensor) for tensor in argument)
    real = argument is not None and argument.is_floating_point()
    return argument.detach().double().requires_grad_() if real else argument


def run(case, exact=False):
    """Outputs, input gradients and weight gradients of the reference, each by the C++ side's names; exact: in double precision."""
    module, inputs = case.module(), case.inputs()
    if exact:
        module, inputs = module.double(), [in_double(argument) for argument in inputs]
    torch.manual_seed(case.facts["seed"])
    outputs = flatten(module(*inputs))
    names = [f"{port}.{i}" for port in case.dump.ports["outputs"] for i in range(len(case.values("output", port)))]
    assert len(names) == len(outputs)
    total = sum((o * case.tensors[f"cotangent.{n}"]).sum() for n, o in zip(names, outputs))
    if total.requires_grad:
        total.backward()
    made = {f"output.{n}": o.detach() for n, o in zip(names, outputs)}
    for port, argument in zip(case.dump.ports["inputs"], inputs):
        for i, leaf in enumerate(argument if isinstance(argument, tuple) else (argument,)):
            name = f"grad.input.{port}.{i}"
            # no gradient where the block reads no value, only how many sequences there are
            if leaf is not None and leaf.is_floating_point() and (leaf.grad is not None or name in case.tensors):
                made[name] = leaf.grad
    for name, weight in module.named_parameters():
        made[f"grad.weight.{name}"] = weight.grad
    return made


class Roundings(TorchFunctionMode):
    """Rounds as it is told where a value lies within 1e-4 of the middle of two steps, for there single precision may fall on either; all
    other values are rounded to the nearest. `others` has an entry for each such value, in the order they are met; True takes the other one."""

    def __init__(self, others=()):
        super().__init__()
        self.others, self.met = others, 0

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        rounded = function(*arguments, **(keywords or {}))
        if function not in (torch.round, torch.Tensor.round):
            return rounded
        exact = arguments[0].detach().double()
        for place in ((exact - exact.floor() - 0.5).abs() < 1e-4).nonzero().tolist():
            if self.met < len(self.others) and self.others[self.met]:
                at = tuple(place)
                rounded = rounded.clone()
                rounded[at] = exact[at].floor() + exact[at].ceil() - rounded[at].double()
            self.met += 1
        return rounded


def worst(case, made):
    """The largest relative RMS error among all outputs and gradients, and where."""
    arriving = case.tensors[f"cotangent.{case.dump.ports['outputs'][0]}.0"]
    return max((relative_rms(value, case.tensors[name], arriving), name) for name, value in made.items())


def best_rounding(case):
    """The smallest of the worst errors over all ways to round what may be rounded either way; mostly that is one way."""
    with Roundings() as nearest:
        found = worst(case, run(case))
    assert nearest.met <= 8, f"{case.text}: {nearest.met} values lie in the middle of two steps"
    ways = itertools.product((False, True), repeat=nearest.met)
    for others in list(ways)[1:]:
        if found[0] <= 1e-5:
            break
        with Roundings(others):
            found = min(found, worst(case, run(case)))
    return found


def is_as_exact_as_the_reference(case):
    """Where terms cancel, as behind a norm of two features, single precision is far from double in the reference too."""
    exact, plain = run(case, exact=True), run(case)
    arriving = case.tensors[f"cotangent.{case.dump.ports['outputs'][0]}.0"]
    return all(relative_rms(case.tensors[name], value, arriving) <= max(1e-5, 2 * relative_rms(plain[name], value, arriving))
               for name, value in exact.items())


@pytest.mark.parametrize("block", block_names())
def test_double(blocks, block):
    cases = [case for case in blocks[block].cases if case.facts["double"]]
    assert cases
    for case in cases:
        made = run(case)
        expected = {n for n in case.tensors if n.startswith(("output.", "grad."))}
        assert set(made) == expected, case.text
        for name, value in made.items():
            want = case.tensors[name]
            assert value.shape == want.shape, f"{case.text}: {name}"
            scale = max(1.0, want.abs().max().item())
            assert (value - want).abs().max().item() <= 1e-9 * scale, f"{case.text}: {name}"


@pytest.mark.parametrize("block", block_names())
def test_single(blocks, block):
    cases = [case for case in blocks[block].cases if not case.facts["double"]]
    assert cases
    for case in cases:
        error, name = best_rounding(case)
        assert error <= 1e-5 or is_as_exact_as_the_reference(case), f"{case.text}: {name}"


ROUNDING = ["dense_mml", "glu", "grumml", "lrumml", "sparse_ffn"]
WITH_CODES = ["dense_mml", "grumml", "lrumml"]  # those that show what they read, the signal q


@pytest.mark.parametrize("block", WITH_CODES)
def test_codes(blocks, block):
    """The integers that C++ reads of the input are ours; in single precision they may differ in the middle of two steps alone."""
    for case in blocks[block].cases:
        exact, got = ternary_input(case), case.tensors["signal.q"]
        different = got != torch.round(exact)
        from_the_middle = (exact - torch.floor(exact) - 0.5).abs()
        assert (from_the_middle[different] < (0 if case.facts["double"] else 1e-4)).all(), case.text
        assert ((got - exact).abs() < 0.5001).all(), case.text


def test_ternary_numbers():
    """The known weight and scale."""
    weight = torch.tensor([[-1.23, 0.12, 4.56, 2.3, -5.34]], dtype=torch.float64)
    for gradient in ("straight_through", "keras"):
        codes = ternary.ternary_weight(weight, gradient) * 0.36900369
        assert torch.allclose(codes, torch.tensor([[0.0, 0, 1, 1, -1]], dtype=torch.float64), atol=1e-6)


def test_ternary_norm_numbers():
    """The known RMS norm of 1, 2, 3, seen through a weight of one and zeros: what is read differs by half an int8 step at most."""
    x, unit = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64), torch.eye(3, dtype=torch.float64)
    read = ternary.ternary_dense(x, torch.ones(3, dtype=torch.float64), unit, None, "straight_through") * 3
    normed = torch.tensor([[0.46291, 0.92582, 1.38873]], dtype=torch.float64)
    assert ((read - normed).abs() <= 1.38873 / 127 / 2 + 1e-5).all()
    assert read[0, 2].item() == pytest.approx(1.38873, abs=5e-6), "the largest of a row is a whole step"


def test_rounding_blocks_are_these(blocks):
    assert sorted(name for name, dump in blocks.items() if dump.straight_through) == ROUNDING


def test_a_name_is_defined_once():
    """model.py puts the definitions of many references side by side; what several need stands in nodes/shared."""
    files = [ROOT / "nodes" / block / "reference.py" for block in block_names()] + sorted((ROOT / "nodes" / "shared").glob("*.py"))
    names = [(node.name, file) for file in files for node in ast.parse(file.read_text()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert len(files) > 30 and len({name for name, _ in names}) == len(names), names

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every block against its reference.py: outputs and all gradients, in double to 1e-9, in single to 1e-5 relative RMS.
Training passes draw their dropout masks from generators of the same seed."""

import pytest
import torch

from block_dumps import block_names, relative_rms


def flatten(outputs):
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return [tensor for output in outputs for tensor in (output if isinstance(output, tuple) else (output,))]


def run(case):
    """Outputs, input gradients and weight gradients of the reference, each by the C++ side's names."""
    module, inputs = case.module(), case.inputs()
    torch.manual_seed(case.facts["seed"])
    outputs = flatten(module(*inputs))
    names = [f"{port}.{i}" for port in case.dump.ports["outputs"] for i in range(len(case.values("output", port)))]
    assert len(names) == len(outputs)
    sum((o * case.tensors[f"cotangent.{n}"]).sum() for n, o in zip(names, outputs)).backward()
    made = {f"output.{n}": o.detach() for n, o in zip(names, outputs)}
    for port, argument in zip(case.dump.ports["inputs"], inputs):
        for i, leaf in enumerate(argument if isinstance(argument, tuple) else (argument,)):
            if leaf is not None and leaf.is_floating_point():
                made[f"grad.input.{port}.{i}"] = leaf.grad
    for name, weight in module.named_parameters():
        made[f"grad.weight.{name}"] = weight.grad
    return made


def same_codes(case):
    """Whether C++ and Python rounded every input alike; a value that they did not must lie within 1e-4 of the middle of
    two steps."""
    got = case.tensors.get("signal.q")
    if got is None:
        return True
    weight = next(t for n, t in case.tensors.items() if n.startswith("weight.gain_f"))
    x = case.tensors["input.x.0"]
    n = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-8) * weight
    exact = n * (127 / n.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5))
    different = got != torch.round(exact)
    from_the_middle = (exact - torch.floor(exact) - 0.5).abs()
    assert (from_the_middle[different] < 1e-4).all(), case.text
    return not different.any()


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
        alike = same_codes(case)
        arriving = case.tensors[f"cotangent.{case.dump.ports['outputs'][0]}.0"]
        for name, value in run(case).items():
            # What is rounded inside (the output layer of fully_mml) may fall on another step.
            bound = 1e-5 if alike and not case.dump.straight_through else 2e-2
            assert relative_rms(value, case.tensors[name], arriving) <= bound, f"{case.text}: {name}"


def test_ternary_numbers(blocks):
    """The known weight and scale, and codes in double equal to those of C++ everywhere."""
    module = blocks["grumml"].module
    weight = torch.tensor([-1.23, 0.12, 4.56, 2.3, -5.34], dtype=torch.float64)
    for gradient in ("straight_through", "keras"):
        codes = module.grumml_ternary_weight(weight, gradient) * 0.36900369
        assert torch.allclose(codes, torch.tensor([0.0, 0, 1, 1, -1], dtype=torch.float64), atol=1e-6)
    for case in blocks["grumml"].cases:
        if case.facts["double"]:
            assert same_codes(case), case.text

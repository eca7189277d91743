# SPDX-License-Identifier: GPL-3.0-or-later
"""What recurrent cells give at masked steps: the rules step by step, and hold beside Keras's own loop over steps."""

import os
import types

import pytest
import torch

from block_dumps import reference_module

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")

MASK = torch.tensor([[0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 1, 0, 1, 1], [1] * 7, [0] * 7], dtype=torch.bool).t()  # [T, B]


def held(y, mask):
    """One step after the other."""
    rows = []
    for b in range(y.shape[1]):
        before, row = torch.zeros_like(y[0, b]), []
        for t in range(len(y)):
            before = y[t, b] if mask[t, b] else before
            row.append(before)
        rows.append(torch.stack(row))
    return torch.stack(rows, 1)


@pytest.mark.parametrize("steps", (7, 1))
@pytest.mark.parametrize("directions", (1, 2))
def test_hold_repeats_in_each_direction(steps, directions):
    rule = reference_module("gru").StackedRecurrence.forward.__globals__["at_masked_steps"]
    y = torch.randn(steps, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    mask, cotangent = MASK[:steps], torch.randn(steps, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    found = []
    for of in (lambda x: rule(x, mask, "hold", directions),
               lambda x: torch.cat([held(x[..., :3], mask), held(x[..., 3:].flip(0), mask.flip(0)).flip(0)], -1) if directions == 2 else held(x, mask)):
        leaf = y.clone().requires_grad_()
        made = of(leaf)
        (made * cotangent).sum().backward()
        found.append((made.detach(), leaf.grad))
    assert torch.equal(found[0][0], found[1][0]) and torch.allclose(found[0][1], found[1][1], atol=1e-14)
    assert torch.equal(rule(y, mask, "zero"), y * mask.unsqueeze(-1)) and rule(y, mask, "read") is y


@pytest.mark.parametrize("layer, options", (
    ("GRUMML", {"units": 6}), ("GRUMML", {"units": 6, "num_heads": 3, "fully_mml": True, "use_bias": False}), ("LRUMML", {"units": 6, "state_dim": 5})))
def test_hold_is_what_keras_gives(layer, options):
    """Of Keras-MML: its cells run in Keras's RNN, which repeats the output at masked steps and begins with zeros."""
    keras, theirs = pytest.importorskip("keras"), pytest.importorskip("keras_mml.layers")
    from test_originals import keras_module, keras_ours

    floats, random = keras.config.floatx(), torch.Generator().manual_seed(3)
    keras.config.set_floatx("float64")
    try:
        drawn = lambda *shape: torch.randn(shape, dtype=torch.float64, generator=random)
        made = getattr(theirs, layer)(**options, return_sequences=True)
        x = drawn(4, 7, 5).requires_grad_()
        made(x)
        with torch.no_grad():
            for v in made.trainable_variables:
                if not v.path.endswith("_log"):
                    v.value.copy_(0.3 * drawn(*v.shape) + (1 if v.path.endswith("gain") else 0))
        y = made(x, mask=MASK.t())
        cotangent = drawn(*y.shape)
        (grad,) = torch.autograd.grad((y * cotangent).sum(), x)
    finally:
        keras.config.set_floatx(floats)
    variables = {"/".join(v.path.split("/")[1:]): v.value.detach() for v in made.trainable_variables}
    case = types.SimpleNamespace(options={"layer": layer, **options, "masked_output": "hold"}, weights=variables, inputs={"x": x})
    ours = keras_module(case).double()
    ours.load_state_dict(keras_ours(case, variables))
    leaf = x.detach().clone().requires_grad_()
    told = ours(leaf.transpose(0, 1), None, MASK)[0].transpose(0, 1)
    (told * cotangent).sum().backward()
    assert not y[3].any() and not y[0, 0].any() and torch.equal(y[0, 3], y[0, 2])
    for got, want in ((told, y), (leaf.grad, grad)):
        deviation = ((got - want).abs().max() / want.abs().max()).item()
        print(f"{layer}: {deviation:.1e}")
        assert deviation < 1e-5

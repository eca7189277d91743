# SPDX-License-Identifier: GPL-3.0-or-later
"""RNN, LSTM and GRU (deep, and in both directions) and attention against torch.nn with random weights: the state dict
loads as it is, and outputs and gradients are the same (those of attention, whose state is read off the same projection, in
test_reference.py)."""

import pytest
import torch

from authors import record
from block_dumps import relative_rms

CLASSES = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}


def torch_has(case):
    """Whether torch.nn computes what this case does."""
    params = case.facts["params"]
    only = {"convention": "reset_after", "activation": "tanh", "gate_activation": "sigmoid", "peepholes": False, "learned_state": False}
    return all(params.get(name, value) == value for name, value in only.items()) and not case.values("input", "mask")


def in_torchs_order(part, units):
    """Layers and directions stand before the sequences there, and side by side here."""
    return part.unflatten(1, (-1, units)).transpose(0, 1)


def peer(case):
    params, block = case.facts["params"], case.dump.block
    extra = {"nonlinearity": params["nonlinearity"]} if block == "rnn" else {}
    made = CLASSES[block](case.facts["dimensions"]["input_size"], params["units"], num_layers=params["num_layers"],
                          bidirectional=params["bidirectional"], bias=params["bias"], **extra)
    made = made.double() if case.facts["double"] else made
    weights = {n.removeprefix("weight."): t for n, t in case.tensors.items() if n.startswith("weight.")}
    made.load_state_dict(weights, strict=True)
    return made


@pytest.mark.parametrize("block", CLASSES)
def test_same_numbers(blocks, block):
    cases = [case for case in blocks[block].cases if torch_has(case)]
    forms = {tuple(case.facts["params"][name] for name in ("num_layers", "bidirectional", "bias")) for case in cases}
    assert {(1, False, True), (1, True, True), (2, False, True), (3, False, True), (1, False, False)} <= forms
    for case in cases:
        module, units = peer(case), case.facts["params"]["units"]
        x, given, _ = case.inputs()
        layers = None if given is None else [in_torchs_order(part, units) for part in given]
        y, state = module(x, layers if layers is None or len(layers) > 1 else layers[0])
        state = state if isinstance(state, tuple) else (state,)
        total = (y * case.tensors["cotangent.y.0"]).sum()
        for i, part in enumerate(state):
            total = total + (part * in_torchs_order(case.tensors[f"cotangent.state.{i}"], units)).sum()
        total.backward()
        made = {"output.y.0": y, "grad.input.x.0": x.grad}
        made |= {f"output.state.{i}": part.transpose(0, 1).flatten(1) for i, part in enumerate(state)}
        made |= {f"grad.input.state.{i}": part.grad for i, part in enumerate(given or ())}
        made |= {f"grad.weight.{n}": p.grad for n, p in module.named_parameters()}
        bound = 1e-9 if case.facts["double"] else 1e-6
        for name, value in made.items():
            error = relative_rms(value, case.tensors[name], case.tensors["cotangent.y.0"])
            if case.facts["double"]:
                record(block, "torch", **{"outputs" if name.startswith("output") else "gradients": error})
            assert error < bound, f"{case.text}: {name}"


def test_deep_ones_in_both_directions_are_among_them(blocks):
    cases = [case.facts["params"] for block in CLASSES for case in blocks[block].cases if torch_has(case)]
    assert any(params["num_layers"] > 1 and params["bidirectional"] for params in cases)


@pytest.mark.parametrize("block", CLASSES)
def test_initial_values_have_torchs_spread(blocks, block):
    """Both draw from U(-1/sqrt(H), 1/sqrt(H)); here the reference class beside torch's."""
    torch.manual_seed(0)
    ours = blocks[block].python_class(input_size=32, units=100)
    theirs = CLASSES[block](32, 100)
    assert {n: p.shape for n, p in ours.named_parameters()} == {n: p.shape for n, p in theirs.named_parameters()}
    for weight in list(ours.parameters()) + list(theirs.parameters()):
        assert weight.abs().max() <= 0.1
        assert abs(weight.std().item() - 0.1 / 3**0.5) < 0.006


def test_attention_is_torchs(blocks):
    """Without positions, of one width and before the window's end: all that torch.nn.MultiheadAttention has."""
    cases = [case for case in blocks["attention"].cases
             if case.facts["params"]["positions"] == "none" and not case.facts["params"]["key_size"] and not case.facts["params"]["value_size"]
             and not case.facts["training"] and not case.values("input", "state") and not case.values("input", "mask") and case.facts["params"]["window"] >= len(case.tensors["input.x.0"])]
    assert cases
    for case in cases:
        params, (x, _, _) = case.facts["params"], case.inputs()
        module = torch.nn.MultiheadAttention(x.shape[-1], params["num_heads"], bias=params["bias"], dtype=x.dtype)
        module.load_state_dict({n.removeprefix("weight."): t for n, t in case.tensors.items() if n.startswith("weight.")})
        later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
        y, shown = module(x, x, x, attn_mask=later, average_attn_weights=False)
        assert torch.allclose(shown.permute(2, 0, 1, 3).flatten(2), case.tensors["signal.weights"], rtol=0, atol=1e-12)
        error = relative_rms(y, case.tensors["output.y.0"], case.tensors["cotangent.y.0"])
        weight = case.tensors["cotangent.y.0"]
        made = torch.autograd.grad((y * weight).sum(), [x, module.in_proj_weight, module.out_proj.weight])
        ours, (x, _, _) = case.module(), case.inputs()
        wanted = torch.autograd.grad((ours(x)[0] * weight).sum(), [x, ours.in_proj_weight, ours.out_proj.weight])
        in_grads = max(relative_rms(got, want, want) for got, want in zip(made, wanted))
        if case.facts["double"]:
            record("attention", "torch", error, in_grads)
        assert max(error, in_grads) < (1e-9 if case.facts["double"] else 1e-5), case.text

# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks with matrix states, and those that came with them, against numbers of the authors' own code, as test_originals.py has it."""

import pytest
import torch

from authors import record
from block_dumps import reference_module
from test_originals import cases_of, deviation, filled, gradients, hold, hold_gradients, named

# xlstm's mLSTM: the layer of xLSTM-7B loads as it is. The cell of its first models is given q, k and v, its gates read
# all three, and it has no output gate: ours reads them side by side as x, each by a part of I.

def mlstm_state(case):
    joined = torch.cat([case.inputs["S"], case.inputs["n"].unsqueeze(-1)], dim=-1)
    return (torch.cat([joined.flatten(1), case.inputs["m"].flatten(1)], dim=1),)


@pytest.mark.parametrize("case", **named([c for c in cases_of("xlstm_mlstm") if c.options["layer"] == "mLSTMLayer"]))
def test_xlstm_large(case):
    heads, units = case.options["num_heads"], case.options["units"]
    made = filled(reference_module("mlstm").MLSTM(units, units=units, num_heads=heads), case.weights)
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y = made(leaves["x"].transpose(0, 1))[0].transpose(0, 1)
    later, (last,) = made(leaves["x"].transpose(0, 1), mlstm_state(case))
    joined, d = last[:, :-heads].view(2, heads, units // heads, -1), units // heads
    got = {"y": y, "later": later.transpose(0, 1), "S": joined[..., :d], "n": joined[..., d], "m": last[:, -heads:].unsqueeze(-1)}
    # Over a whole sequence the package's m does not begin at 0, and 1e-6 weighs otherwise in the divisor.
    hold(case, {n: got[n] for n in got if n != "y"}, {n: case.outputs[n] for n in got if n != "y"}, 1e-12, key="xlstm")
    hold(case, {"y": y}, {"y": case.outputs["y"]}, 1e-5, key="xlstm-parallel")
    total = (y * case.inputs["cotangent"]).sum() + (got["later"] * case.inputs["cotangent_later"]).sum()
    hold_gradients(case, gradients(made, leaves, total), case.grads, 1e-4, key="xlstm-parallel")


@pytest.mark.parametrize("case", **named([c for c in cases_of("xlstm_mlstm") if c.options["layer"] == "mLSTMCell"]))
def test_xlstm_mlstm_cell(case):
    heads, units = case.options["num_heads"], case.options["units"]
    made = reference_module("mlstm").MLSTM(3 * units, units=units, num_heads=heads, gate_soft_cap=0.0)
    assert torch.allclose(made.fgate_preact.bias, case.inputs["forget_bias_begun"].float()), "biases begin as the package's"
    parts = torch.eye(3 * units, dtype=torch.float64).chunk(3)
    gates = {f"{gate}_preact.{kind}": case.weights[f"{gate}.{kind}"] for gate in ("igate", "fgate") for kind in ("weight", "bias")}
    made = filled(made, {f"{name}.weight": part for name, part in zip("qkv", parts)} | gates |
                  {"ogate_preact.weight": torch.zeros(units, 3 * units), "multihead_norm.weight": 1 + case.weights["outnorm.weight"],
                   "out_proj.weight": 2 * torch.eye(units)})  # an open gate is a half
    made.multihead_norm.eps = 1e-5
    leaves = {name: case.inputs[name].clone().requires_grad_() for name in ("q", "k", "v")}
    y = made(torch.cat(list(leaves.values()), dim=-1).transpose(0, 1))[0].transpose(0, 1)
    hold(case, {"y": y}, case.outputs, 1e-5, key="xlstm-cell")
    got = gradients(made, leaves, (y * case.inputs["cotangent"]).sum())
    names = {"outnorm.weight": "multihead_norm.weight"} | {name.replace("_preact", ""): name for name in gates}
    hold_gradients(case, {name: got[names.get(name, name)] for name in case.grads}, case.grads, 1e-4, key="xlstm-cell")


# torchscale's retention divides the weights of each step, which its norm takes out again.

@pytest.mark.parametrize("case", **named(cases_of("torchscale")))
def test_torchscale(case):
    made = reference_module("retnet").RetNet(case.options["units"], **case.options)
    made.normed = lambda o: o * torch.rsqrt(o.square().mean(dim=-1, keepdim=True) + 1e-30)
    made = filled(made, case.weights)
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y = made(leaves["x"].transpose(0, 1))[0].transpose(0, 1)
    hold(case, {"y": y, "y_by_steps": y}, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), case.grads, 1e-11)


@pytest.mark.parametrize("case", **named(cases_of("ncps")))
def test_ncps(case):
    made = filled(reference_module("cfc").CfC(3, units=4, backbone_units=5, time_spans=True, **case.options), case.weights)
    leaves = {name: case.inputs[name].clone().requires_grad_() for name in ("x", "state", "dt")}
    y = made(leaves["x"].transpose(0, 1), (leaves["state"],), None, leaves["dt"].transpose(0, 1))[0].transpose(0, 1)
    hold(case, {"y": y}, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), case.grads, 1e-11)


# flash-linear-attention's layers get their lower bound from a table of the model.

@pytest.mark.parametrize("case", **named(cases_of("fla")))
def test_fla(case):
    options = dict(case.options)
    block = options.pop("block")
    options |= {"convention": "fla"} | ({"num_heads": 2} if block == "hgrn2" else {})
    table = {"lower_bounds": case.inputs["table"]} if options["layer"] > 0 else {}
    made = filled(getattr(reference_module(block), block.upper())(6, units=6, **options), case.weights | table)
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y, (last,) = made(leaves["x"].transpose(0, 1), (case.inputs["state"].flatten(1),))
    got = {"y": y.transpose(0, 1), "state": last.view(case.outputs["state"].shape)}
    hold(case, got, case.outputs, 1e-12)
    want = {{"table": "lower_bounds"}.get(name, name): grad for name, grad in case.grads.items()}
    hold_gradients(case, gradients(made, leaves, (got["y"] * case.inputs["cotangent"]).sum()), want, 1e-11)


HGRU = {"input_proj": "i_proj", "lambda_proj": "f_proj", "gate": "g_proj", "norm": "g_norm", "out_proj": "o_proj", "table": "lower_bounds"}


def hgru_ours(named):
    parts = {name: name.split(".") for name in named}
    ours = {name: ".".join([HGRU.get(first, first), *rest]) for name, (first, *rest) in parts.items()}
    return {ours[name]: tensor.flatten() if name == "theta" else tensor for name, tensor in named.items()}


@pytest.mark.parametrize("case", **named(cases_of("hgru_pytorch")))
def test_hgru_pytorch(case):
    table = {"table": case.inputs["table"]} if case.options["layer"] > 0 else {}
    made = reference_module("hgrn").HGRN(4, units=4, convention="hgru", **case.options)
    assert deviation(made.theta.detach(), case.inputs["theta_begun"].flatten()) < 1e-6
    made = filled(made, hgru_ours(case.weights | table))
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y = made(leaves["x"])[0]
    hold(case, {"y": y}, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), hgru_ours(case.grads), 1e-11)


def test_ind_rnn_is_an_rnn_with_a_diagonal_matrix():
    """The authors' code has no package."""
    torch.manual_seed(5)
    made = reference_module("ind_rnn").IndRNN(5, units=6).double()
    rnn = torch.nn.RNN(5, 6, nonlinearity="relu").double()
    u = made.weight_hh.detach().squeeze(1)
    rnn.load_state_dict({"weight_ih_l0": made.weight_ih.detach(), "weight_hh_l0": torch.diag(u), "bias_ih_l0": made.bias.detach(), "bias_hh_l0": torch.zeros(6)})
    x, h = (torch.randn(*sizes, dtype=torch.float64, requires_grad=True) for sizes in ((9, 2, 5), (2, 6)))
    weight = torch.randn(9, 2, 6, dtype=torch.float64)
    found = []
    for y, weights in ((made(x, (h,))[0], (made.weight_ih, made.weight_hh, made.bias)), (rnn(x, h.unsqueeze(0))[0], (rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0))):
        dx, dh, w, r, b = torch.autograd.grad((y * weight).sum(), (x, h, *weights))
        found.append((y, dx, dh, w, r.squeeze(1) if r.shape[1] == 1 else r.diagonal(), b))
    worst = max(deviation(got, want) for got, want in zip(*found))
    record("ind_rnn", "torch", deviation(found[0][0], found[1][0]), worst)
    print(f"IndRNN beside torch.nn.RNN: {worst:.1e}")
    assert worst < 1e-13


def test_janet_is_a_gru_whose_reset_gate_is_open():
    """With β = 0; the authors' code has no package. At 40 the sigmoid is 1 in double precision."""
    torch.manual_seed(5)
    made = reference_module("janet").JANET(5, units=6, beta=0.0).double()
    gru = torch.nn.GRU(5, 6).double()
    ours = dict(made.named_parameters())
    shut = {name: torch.zeros_like(ours[name][:6]) for name in ours}
    shut["bias_ih_l0"] += 40
    gru.load_state_dict({name: torch.cat([shut[name], weight.detach()]) for name, weight in ours.items()})
    x, h = (torch.randn(*sizes, dtype=torch.float64, requires_grad=True) for sizes in ((9, 2, 5), (2, 6)))
    weight = torch.randn(9, 2, 6, dtype=torch.float64)
    want = torch.autograd.grad((weight * (y := gru(x, h.unsqueeze(0))[0])).sum(), (x, h, *(gru.get_parameter(name) for name in ours)))
    got = torch.autograd.grad((weight * (z := made(x, (h,))[0])).sum(), (x, h, *ours.values()))
    want = [*want[:2], *(part[6:] for part in want[2:])]
    outputs, gradients_apart = deviation(z, y), max(deviation(a, b) for a, b in zip(got, want))
    print(f"JANET beside torch.nn.GRU: outputs {outputs:.1e}, gradients {gradients_apart:.1e}")
    record("janet", "torch", outputs, gradients_apart)
    assert max(outputs, gradients_apart) < 1e-13

# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks against numbers of the authors' own code, stored in originals/ (its README says what was run): their weights in our blocks, their inputs,
and their outputs, states and gradients asked for. The blocks are the reference classes, to which test_reference.py holds the C++ ones."""

import json
import pathlib

import pytest
import safetensors
import torch

from authors import record
from block_dumps import reference_module

ORIGINALS = pathlib.Path(__file__).parent / "originals"


class Original:
    """One case of a package: what went in and what came out, under the authors' names."""

    def __init__(self, package, number, options, tensors):
        self.options, self.name = options, f"{package}-{number}"
        kinds = {"weight": {}, "in": {}, "out": {}, "grad": {}}
        for name, tensor in tensors.items():
            kind, rest = name.split(".", 1)
            kinds[kind][rest] = tensor
        self.weights, self.inputs, self.outputs, self.grads = kinds.values()


def cases_of(package):
    with safetensors.safe_open(ORIGINALS / f"{package}.safetensors", "pt") as file:
        options = json.loads(file.metadata()["cases"])
        tensors = [{} for _ in options]
        for name in file.keys():
            number, rest = name.split(".", 1)
            tensors[int(number)][rest] = file.get_tensor(name)
    return [Original(package, i, options[i], tensors[i]) for i in range(len(options))]


def named(cases):
    return {"argvalues": cases, "ids": [f"{case.name}-{'-'.join(str(v) for v in case.options.values())}" for case in cases]}


def filled(made, weights, dtype=torch.float64):
    made = made.to(dtype)
    made.load_state_dict(weights, strict=True)
    return made


def deviation(got, want):
    """Largest, of the largest that is wanted."""
    assert got.shape == want.shape
    return (got.double() - want.double()).abs().max().item() / max(want.double().abs().max().item(), 1e-30)


LAYERS = {"GRUMML": "grumml", "LRUMML": "lrumml", "mLSTMLayer": "mlstm", "mLSTMCell": "mlstm"}
BLOCKS = {"mru_lm": "mru", "mru_lm_old": "mru", "pytorch_qrnn": "qrnn", "mmfreelm": "grumml", "s5_pytorch": "s5", "s4d": "s4d", "xlstm": "slstm", "speechbrain": "ligru",
          "recurrentgemma": "rg_lru", "torchscale": "retnet", "ncps": "cfc", "hgru_pytorch": "hgrn"}  # fmt: skip


def hold(case, got, want, bound, kind="outputs", key=None):
    """Says every deviation, and that none is beyond the bound."""
    assert got.keys() == want.keys()
    found = {name: deviation(got[name], want[name]) for name in want}
    print(f"{case.name} {case.options}: " + ", ".join(f"{name} {value:.1e}" for name, value in found.items()))
    package = case.name.rpartition("-")[0]
    block = case.options.get("block") or LAYERS.get(case.options.get("layer")) or BLOCKS.get(package)
    if block:
        record(block, key or package, **{kind: max(found.values())})
    assert max(found.values()) < bound, found


def hold_gradients(case, got, want, bound, key=None):
    hold(case, got, want, bound, "gradients", key)


def gradients(made, leaves, total):
    """Of what goes in, and of the weights by our names."""
    total.backward()
    return {name: leaf.grad for name, leaf in leaves.items()} | {name: p.grad for name, p in made.named_parameters() if p.grad is not None}


# Keras-MML. Time comes second there and matrices are transposed; a path ends in the layer that a variable belongs to.

def keras_names(case, layers):
    """Its variables by our names: `layers` says what a layer is called here."""
    names = {}
    for path in case.weights:
        parts = path.split("/")
        layer = next((part for part in parts if part in layers), None)
        kind = parts[-1]
        names[path] = layers[layer][kind] if layer else kind
    return names


def keras_layers(case):
    kind, fully = case.options["layer"], case.options.get("fully_mml", False)
    named_by = lambda suffix: {"gain": "gain_" + suffix, "kernel": "weight_" + suffix, "bias": "bias_" + suffix}
    if kind == "GRUMML":
        # "kernel" is the layer of f and c here, and also what every layer's matrix is called: the layer comes first in
        # a path.
        return {"data_gate": named_by("g"), "output_gate": named_by("o"), "kernel": named_by("fcg" if fully else "fc")}
    if kind == "LRUMML":
        return {n: {"gain": "gain_" + n, "kernel": n, "bias": "bias_" + n} for n in ("B_re", "B_im", "C_re", "C_im", "D")}
    return {}


def keras_ours(case, tensors):
    layers = keras_layers(case)
    names = keras_names(case, layers) if layers else {path: {"kernel": "weight"}.get(path.split("/")[-1], path.split("/")[-1]) for path in case.weights}
    return {names[path]: tensor.t() if tensor.dim() == 2 else tensor for path, tensor in tensors.items() if path in names}


def keras_module(case):
    options = {name: value for name, value in case.options.items() if name not in ("layer", "r_min", "r_max", "max_phase")}
    if "state_dim" in options:
        options["state_size"] = options.pop("state_dim")
    block = reference_module({"DenseMML": "dense_mml", "GRUMML": "grumml", "LRUMML": "lrumml"}[case.options["layer"]])
    return getattr(block, case.options["layer"])(case.inputs["x"].shape[-1], gradient="keras", **options)


@pytest.mark.parametrize("case", **named(cases_of("keras_mml")))
def test_keras_mml(case):
    """Keras on torch rounds to single precision on the way, also where it is told float64: minimum and matmul give float32. And its norm has no epsilon
    where ours has 1e-8 beside the mean square."""
    made = filled(keras_module(case), keras_ours(case, case.weights))
    recurrent, lru = case.options["layer"] != "DenseMML", case.options["layer"] == "LRUMML"
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    if recurrent:
        leaves["state"] = case.inputs["state"].clone().requires_grad_()
        state = leaves["state"].unbind(1) if lru else (leaves["state"].flatten(1),)
        y, states = made(leaves["x"].transpose(0, 1), state)
        y = y.transpose(0, 1)
        got = {"y": y, "state": torch.stack(states, 1) if lru else states[0].view(case.outputs["state"].shape)}
    else:
        y = made(leaves["x"])
        got = {"y": y}
    hold(case, got, case.outputs, 2e-6)
    want = {name: case.grads[name] for name in leaves} | keras_ours(case, {n: g for n, g in case.grads.items() if n not in leaves})
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), want, 1e-5)


# mru-lm, both branches, of one sequence. Ours hands on H - I.

@pytest.mark.parametrize("case", **named(cases_of("mru_lm") + cases_of("mru_lm_old")))
def test_mru_lm(case):
    ours = lambda named: {name.removesuffix(".weight"): tensor for name, tensor in named.items()}
    heads, order, width = case.options["heads"], case.options["order"], case.options["width"]
    maker = "old" if case.name.startswith("mru_lm_old") else "ldu"
    made = filled(reference_module("mru").MRU(width, units=width, num_heads=heads, matrix_size=order, maker=maker), ours(case.weights))
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    eye = torch.eye(order, dtype=torch.float64)
    x = leaves["x"].unsqueeze(1)
    first, (carried,) = made(x)
    second, (last,) = made(x, ((case.inputs["state"] - eye).view(1, -1),))
    got = {"y": first.squeeze(1), "H": carried.view(heads, order, order) + eye, "y_state": second.squeeze(1),
           "H_state": last.view(heads, order, order) + eye}
    hold(case, got, case.outputs, 1e-12)
    total = (got["y"] * case.inputs["cotangent"]).sum() + (got["y_state"] * case.inputs["cotangent_state"]).sum()
    hold_gradients(case, gradients(made, leaves, total), ours(case.grads), 1e-11)


@pytest.mark.parametrize("case", **named(cases_of("pytorch_qrnn")))
def test_pytorch_qrnn(case):
    options = dict(case.options)
    pooling = "fo" if options.pop("output_gate", True) else "f"
    module = reference_module("qrnn").QRNN(5, units=6, pooling=pooling, convention="pytorch_qrnn", **options).eval()
    made = filled(module, case.weights)
    leaves = {name: case.inputs[name].clone().requires_grad_() for name in ("x", "hidden")}
    zeros = torch.zeros(2, 5 * (options["window"] - 1), dtype=torch.float64)
    first, state = made(leaves["x"][:5], (torch.cat([leaves["hidden"], zeros], 1),))
    with torch.no_grad():  # its window's earlier input passes no gradient on
        second, (last,) = made(leaves["x"][5:], state)
    hold(case, {"y": torch.cat([first, second]), "hidden": last[:, :6]}, case.outputs, 1e-13)
    if case.grads:
        hold_gradients(case, gradients(made, leaves, (first * case.inputs["cotangent"]).sum()), case.grads, 1e-12)


# mmfreelm computes in single precision; ours here in double with its numbers, so that the deviation is its own
# rounding.

MMFREELM = {"f_proj": "f", "i_proj": "c", "g_proj": "g", "o_proj": "o"}


def mmfreelm_ours(tensors):
    names = {"g_norm.weight": "gate_norm", "table": "lower_bound"}
    for theirs, ours in MMFREELM.items():
        names |= {f"{theirs}.weight": f"weight_{ours}", f"{theirs}.norm.weight": f"gain_{ours}"}
    return {names[name]: tensor.double() for name, tensor in tensors.items() if name in names}


@pytest.mark.parametrize("case", **named(cases_of("mmfreelm")))
def test_mmfreelm(case):
    layer, table = case.options["layer"], {"table": case.inputs["table"]}
    module = reference_module("grumml").GRUMML(8, units=8, variant="mmfreelm", use_bias=False, **case.options)
    made = filled(module, mmfreelm_ours(case.weights | (table if layer > 0 else {})))
    leaves = {"x": case.inputs["x"].double().requires_grad_()}
    y, (h,) = made(leaves["x"].transpose(0, 1), (case.inputs["state"].double().flatten(1),))
    got = {"y": y.transpose(0, 1), "state": h.view(case.outputs["state"].shape)}
    hold(case, got, case.outputs, 1e-6)
    want = {"x": case.grads["x"]} | mmfreelm_ours(case.grads)
    hold_gradients(case, gradients(made, leaves, (got["y"] * case.inputs["cotangent"].double()).sum()), want, 2e-6)


# s5-pytorch, of one sequence. It keeps every mode of HiPPO-N, and Lambda as one complex weight.

def s5_ours(named):
    return {n: t for n, t in named.items() if n != "Lambda"} | dict(zip(("Lambda_re", "Lambda_im"), named["Lambda"].unbind(-1)))


@pytest.mark.parametrize("case", **named(cases_of("s5_pytorch")))
def test_s5_pytorch(case):
    module = reference_module("s5").S5(case.options["width"], state_size=case.options["state_size"], conj_sym=False, discretization=case.options["discretization"])
    made = filled(module, s5_ours(case.weights))
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y, last = made(leaves["x"].unsqueeze(1), tuple(part.unsqueeze(0) for part in case.inputs["state"].unbind(-1)))
    got = {"y": y.squeeze(1), "state": torch.stack(last, -1).squeeze(0)}
    hold(case, got, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (got["y"] * case.inputs["cotangent"]).sum()), s5_ours(case.grads), 1e-11)


@pytest.mark.parametrize("case", **named(cases_of("s5_pytorch")))
def test_s5_pytorch_begins_with_the_same_modes(case):
    """In single precision there: the package rounds to complex64."""
    size = case.options["state_size"] // case.options["blocks"]
    begun, want = case.inputs["Lambda_begun"], reference_module("s5").hippo_frequencies(size).repeat(case.options["blocks"])
    assert (begun[:, 0] + 0.5).abs().max() < 1e-6 and deviation(begun[:, 1], want) < 1e-6


@pytest.mark.parametrize("case", **named(cases_of("s4d")))
def test_s4d(case):
    """A convolution by Fourier transform there."""
    made = filled(reference_module("s4d").S4D(case.options["width"], state_size=case.options["state_size"]), case.weights)
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y = made(leaves["x"].transpose(0, 1))[0].transpose(0, 1)
    hold(case, {"y": y}, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), case.grads, 1e-11)


# xlstm's cell is given the gates' inputs; its rows are those of ours.

def xlstm_ours(named):
    return {{"W": "weight", "_recurrent_kernel_": "recurrent_kernel", "_bias_": "bias"}.get(n, n): t for n, t in named.items()}


@pytest.mark.parametrize("case", **named(cases_of("xlstm")))
def test_xlstm(case):
    made = reference_module("slstm").SLSTM(5, **case.options)
    assert torch.allclose(made.bias.double(), case.inputs["bias_begun"], atol=1e-6), "biases begin as the package's"
    made = filled(made, xlstm_ours(case.weights))
    leaves = {"x": case.inputs["x"].clone().requires_grad_()}
    y, state = made(leaves["x"].transpose(0, 1))
    later, last = made(leaves["x"].transpose(0, 1), state)
    got = {"y": y.transpose(0, 1), "later": later.transpose(0, 1), "state": torch.stack(last)}
    hold(case, got, case.outputs, 1e-12)
    total = (got["y"] * case.inputs["cotangent"]).sum() + (got["later"] * case.inputs["cotangent_later"]).sum()
    hold_gradients(case, gradients(made, leaves, total), xlstm_ours(case.grads), 1e-11)


@pytest.mark.parametrize("case", **named(cases_of("speechbrain")))
def test_speechbrain(case):
    made = filled(reference_module("ligru").LiGRU(5, **case.options), case.weights)
    leaves = {name: case.inputs[name].clone().requires_grad_() for name in ("x", "state")}
    y = made(leaves["x"].transpose(0, 1), (leaves["state"],))[0].transpose(0, 1)
    hold(case, {"y": y}, case.outputs, 1e-12)
    hold_gradients(case, gradients(made, leaves, (y * case.inputs["cotangent"]).sum()), case.grads, 1e-11)


# recurrentgemma sums in single precision; ours here in double with its numbers. At a document's first step it lets i x
# enter whole.

@pytest.mark.parametrize("case", **named(cases_of("recurrentgemma")))
def test_recurrentgemma(case):
    module = filled(reference_module("rg_lru").RGLRU(6, **case.options), {n: t.double() for n, t in case.weights.items()})
    leaves = {name: case.inputs[name].double().requires_grad_() for name in ("x", "state")}
    x = leaves["x"].transpose(0, 1)
    y, (last,) = module(x, (leaves["state"],))
    gate = torch.sigmoid(module.input_gate(x[:1]))
    _, (first,) = module(x[:1])
    begun, _ = module(x[1:], ((gate * x[:1])[0],))
    got = {"y": y.transpose(0, 1), "state": last, "y_of_a_document": torch.cat([gate * x[:1], begun]).transpose(0, 1)}
    hold(case, got, case.outputs, 1e-6)
    hold_gradients(case, gradients(module, leaves, (got["y"] * case.inputs["cotangent"].double()).sum()), case.grads, 2e-6)
    assert deviation(first, case.outputs["y_of_a_document"][:, 0].double()) > 0.01, "the first step is where both differ"


def test_files_say_how_they_were_made():
    for package in ("keras_mml", "mru_lm", "mru_lm_old", "pytorch_qrnn", "mmfreelm", "s5_pytorch", "s4d", "xlstm", "speechbrain", "recurrentgemma",
                    "xlstm_mlstm", "torchscale", "ncps", "fla", "hgru_pytorch"):
        with safetensors.safe_open(ORIGINALS / f"{package}.safetensors", "pt") as file:
            facts = json.loads(file.metadata()["facts"])
        assert facts["package"] and facts["with"] and facts["precision"] and facts["seed"] == 5
    assert sum(path.stat().st_size for path in ORIGINALS.iterdir()) < 450_000

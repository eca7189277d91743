# SPDX-License-Identifier: GPL-3.0-or-later
"""The costs that `unroll-cli check` states, beside the operations counted while reference.py runs, forward and backward. Every block with a
matrix product, with each value of each parameter and with mixtures of them. tests/contract/costs_test.cpp counts in the C++ blocks.

The products have to be in the stated number; what is left of it is for elements, and has to be little, no more than these can take, and forward
no less: no product can be missing that is larger than a part of the elements."""

import inspect
import json
import os
import random
import subprocess

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from block_dumps import block_names, reference_module

STEPS, WIDTHS = 64, (96, 64)  # units are 64, so that an SRU projects its skip term or not
# Steps and sequences that are run: what a token costs depends on the steps in attention alone; and what is done once a
# pass must vanish among many.
OF_ATTENTION, OF_OTHERS = (STEPS, 2), (6, 40)
OF_THE_GRAPH = {"no-loss", "several-losses", "several-data"}  # of many nodes side by side
MOST_LEFT = 0.11  # of what is stated, for elements
SIZES = {"units": (64, 96), "width": (64, 96), "state_size": (64, 80), "projection_size": (0, 48), "num_layers": (1, 3), "num_heads": (4, 2),
         "window": (256, 16, 3, 1), "kernel_size": (4, 2), "dilation": (1, 3), "layer": (0, 1), "layers": (24, 2), "chrono": (0, 30),
         "value_factor": (2, 1), "backbone_units": (128, 96), "backbone_layers": (1, 0, 2),
         "inner": (256, 96), "head_size": (32, 16), "num_householder": (2, 3)}  # fmt: skip
MIXTURES = 8
CLASSES = 75  # of the text
COMPLEX = 4  # operations an element: a sum takes 2, a product 6
BLOCKS = ["adaptive_embedding", "adaptive_head", "attention", "bce", "causal_conv", "cfc", "delta_net", "delta_product", "dense_mml", "dilated_conv", "gate", "gated_delta_net", "gla", "glu", "gru", "grumml", "head", "hgrn", "hgrn2",
          "ind_rnn", "janet", "ligru", "linear", "linear_attention", "lru", "lrumml", "lstm", "mamba", "mamba2", "min_lstm",
          "mingru", "mlstm", "module_conv", "mse", "qrnn", "retnet",
          "rg_lru", "rnn", "rwkv7", "s5", "slstm", "sparse_ffn", "sru", "srupp", "window_mlp"]  # fmt: skip
LOOKING_BACK = ("attention", "srupp")
# a pool's definition scatters its way back.
ELEMENTWISE = ["activation", "add", "dropout", "highway", "layer_norm", "multiply", "one_minus", "rms_norm", "s4d", "scale"]
OPERATIONS = {"layer_norm": 8}  # that the definition's one operation, torch's, stands for an element
# Two weights are joined once a pass, and the scans of the MRU go other ways than the definition: counted in C++.
ELSEWHERE = ["mru", "multiplicative_dense"]


class Counted(TorchDispatchMode):
    """FLOPs of matrix products, and the elements that all other arithmetic gives."""

    IDLE = ("_local", "_to_copy", "_unsafe", "alias", "arange", "as_strided", "bernoulli", "cat", "chunk", "clone", "constant_pad", "copy_", "detach",
            "embedding", "empty", "expand", "fill", "flip", "full", "index", "lift", "new_", "ones", "permute", "randn", "reshape", "scalar_tensor",
            "select", "slice", "split", "squeeze", "stack", "transpose", "unbind", "unsafe", "unsqueeze", "view", "zeros")  # fmt: skip

    def __init__(self):
        super().__init__()
        self.products = self.elements = 0

    def __torch_dispatch__(self, op, types, arguments=(), keywords=None):
        made = op(*arguments, **(keywords or {}))
        name = op.overloadpacket.__name__
        if name in ("mm", "bmm"):
            self.products += 2 * arguments[0].numel() * arguments[1].shape[-1]
        elif name in ("addmm", "baddbmm"):
            self.products += 2 * arguments[1].numel() * arguments[2].shape[-1]
            self.elements += made.numel()
        elif name in ("mv", "dot", "addmv"):
            raise AssertionError(f"{name} is not counted")
        elif name != "t" and not name.startswith(self.IDLE):
            first = made[0] if isinstance(made, (tuple, list)) else made
            numbers = [a for a in (*arguments, first) if isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex())]
            self.elements += max((a.numel() * (COMPLEX if a.is_complex() else 1) for a in numbers), default=0)
        return made


def cli():
    path = os.environ.get("UNROLL_CLI")
    if not path:
        pytest.skip("UNROLL_CLI is not set: it names the built unroll-cli")
    return path


def said(*words):
    """Lines of JSON; what cannot be trained is not at issue."""
    return [json.loads(line) for line in subprocess.run([cli(), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()]


def reference_class(block):
    """The last one: what it is made of stands above it."""
    return [c for c in vars(reference_module(block)).values()
            if inspect.isclass(c) and c.__module__.startswith("reference_") and issubclass(c, torch.nn.Module)][-1]  # fmt: skip


def values_of(param):
    """All that a parameter may be here, its default or first size in front."""
    if param["name"] in SIZES:
        least, most = map(float, param["range"].split(" to "))
        return [size for size in SIZES[param["name"]] if least <= size <= most]
    if "choices" in param:
        return list(param["choices"])
    if isinstance(param["default"], bool):
        return (param["default"], not param["default"])
    return (param["default"],)


def parameters(block):
    """Each of the values in turn, then mixtures."""
    described = said("help", block, "--json")[0]
    taken = inspect.signature(reference_class(block).__init__).parameters
    values = {p["name"]: values_of(p) for p in described["params"] if p["name"] in taken}
    usual = {name: options[0] for name, options in values.items()}
    cases = [usual] + [{**usual, name: other} for name, options in values.items() for other in options[1:]]
    draw = random.Random(3)
    cases += [{name: draw.choice(options) for name, options in values.items()} for _ in range(MIXTURES)]
    return described, [case for i, case in enumerate(cases) if case not in cases[:i]]


def experiment(described, cases, numbers):
    """One graph with a node for every case, fed by two embeddings; targets are those of the text, or of the file `numbers`."""
    series = {"file": str(numbers), "normalisation": "none"}
    nodes = [{"id": 1, "block": "text", "name": "text", "at": [0, 0], "params": {"order": "windows"}},
             {"id": 2, "block": "series", "name": "series", "at": [0, 0], "params": series}]  # fmt: skip
    nodes += [{"id": 3 + i, "block": "embedding", "name": f"x{w}", "at": [0, 0], "params": {"width": w}} for i, w in enumerate(WIDTHS)]
    wires = [f"text.tokens -> x{w}.tokens" for w in WIDTHS]
    for number, (width, params) in enumerate(cases):
        nodes.append({"id": 10 + number, "block": described["id"], "name": f"case{number}", "at": [0, 0], "params": params})
        for port in described["inputs"]:
            source = {"a sequence": f"x{width}.y", "tokens": "text.tokens", "targets": "text.targets", "target values": "series.targets"}.get(port["type"])
            if source and not port["optional"]:
                wires.append(f"{source} -> case{number}.{port['name']}")
    return {"unroll": 1, "title": "costs", "summary": "", "seed": 1, "training": {"steps": 1, "batch": 4}, "graph": {"nodes": nodes, "wires": wires}}


def stated_costs(described, cases, folder):
    """By case; those are left out that the spec refuses."""
    path, numbers = folder / "costs.unroll", folder / "answers.csv"
    numbers.write_text("answer\n" + "0\n1\n1\n" * 200)
    path.write_text(json.dumps(experiment(described, cases, numbers)))
    lines = said("check", str(path), "--json")
    refused = {line["node"] for line in lines if line["kind"] == "diagnostic" and line["severity"] == "error" and line["code"] not in OF_THE_GRAPH}
    found = {line["node"]: line for line in lines if line["kind"] == "node"}
    assert next(line for line in lines if line["kind"] == "total")["steps"] == STEPS
    return {i: found[f"case{i}"] for i in range(len(cases)) if f"case{i}" in found and f"case{i}" not in refused}


def flat(values):
    return [t for value in (values if isinstance(values, tuple) else (values,)) for t in (value if isinstance(value, tuple) else (value,))]


def counted_costs(described, width, params):
    """FLOPs of products, and elements, a token, forward and backward."""
    steps, sequences = OF_ATTENTION if described["id"] in LOOKING_BACK else OF_OTHERS
    cls = reference_class(described["id"])
    sizes = {"input_size": width, "classes": CLASSES, "output_size": 1, "width": width}
    made = cls(**{**{n: v for n, v in sizes.items() if n in inspect.signature(cls.__init__).parameters}, **params}).train()
    inputs = {}
    for port in described["inputs"]:
        if port["type"] == "a sequence" and not port["optional"]:
            inputs[port["name"]] = torch.randn(steps, sequences, width, requires_grad=True)
        elif port["type"] in ("tokens", "targets"):
            inputs[port["name"]] = torch.randint(CLASSES, (steps, sequences))
        elif port["type"] == "target values":
            inputs[port["name"]] = torch.rand(steps, sequences, 1)
    # So that the first step has the gradient that every step has.
    if any(port["name"] == "state" for port in described["inputs"]):
        with torch.no_grad():
            state = made(**inputs)[1]
        inputs["state"] = tuple(torch.zeros_like(t, requires_grad=True) for t in state)
    with Counted() as forward:
        outputs = [t for t in flat(made(**inputs)) if t.requires_grad]
    with Counted() as backward:
        torch.autograd.backward(outputs, [torch.ones_like(t) for t in outputs])
    tokens = steps * sequences
    return [(counted.products / tokens, counted.elements / tokens) for counted in (forward, backward)]


def hidden(described, width, params, times):
    """Of attention the definition multiplies all places and hides some; stated is what is seen. The difference a token, `times` over. Of relative
    positions it multiplies all distances, and the distances by their matrix once a pass; these learn nothing, so that this is once each way."""
    if described["id"] not in LOOKING_BACK or params.get("attention") in ("none", "full"):
        return 0
    layers = params.get("num_layers", 1)
    keys = params.get("projection_size", width if params.get("projections", True) else width // 3)
    seen = sum(min(t + 1, params["window"]) for t in range(STEPS)) / STEPS
    everything = STEPS + params["window"] - 1
    if params.get("positions") != "relative":
        return times * layers * 4 * keys * (everything - seen)
    once = 2 * keys * width * params["window"] / (STEPS * OF_ATTENTION[1])
    return times * (4 * keys * (everything - seen) + 2 * keys * (params["window"] - seen)) + once


def test_every_block_with_a_product_is_here():
    texts = {block: inspect.getsource(reference_module(block)) for block in block_names()}
    with_products = {b for b, text in texts.items() if any(word in text for word in ("F.linear", "nn.Linear", " @ ", "einsum(", "ternary_dense", "stacked_recurrence", "delta_rule"))}
    assert with_products == {*BLOCKS, *ELSEWHERE}


def stated_and_counted(block, folder):
    """Of each case, forward and backward: how it is called, FLOPs stated, FLOPs of products counted, and elements."""
    described, params = parameters(block)
    cases = [(width, case) for width in WIDTHS for case in params]
    stated = stated_costs(described, cases, folder)
    assert len(stated) >= len(cases) / 3, f"{len(stated)} of {len(cases)} can be had"
    for number, costs in stated.items():
        width, case = cases[number]
        for way, (products, elements), times in zip(("forward", "backward"), counted_costs(described, width, case), (1, 2)):
            stated = (costs[f"{way}_flops"], costs[f"{way}_elements"])
            yield f"{way}, x {width}, {case}", stated, products - hidden(described, width, case, times), elements


@pytest.mark.parametrize("block", BLOCKS)
def test_stated_costs_are_those_counted(block, tmp_path):
    for call, (flops, of_elements), products, elements in stated_and_counted(block, tmp_path):
        left = flops - products
        # Where products are few beside elements the spec says how many these are.
        most = max(MOST_LEFT * flops, 1.02 * of_elements)
        # Whose hidden places have elements too.
        least = 0.4 * elements if call.startswith("forward") and block not in LOOKING_BACK else 0
        assert least - 0.01 <= left <= min(most, 2.5 * elements) + 0.01, (
            f"{call}: stated {flops}, counted {products} in products and {elements} elements")


@pytest.mark.parametrize("block", ELEMENTWISE)
def test_stated_costs_of_elements_are_near_those_counted(block, tmp_path):
    most = 2.5 * OPERATIONS.get(block, 1)
    for call, (flops, of_elements), products, elements in stated_and_counted(block, tmp_path):
        assert products == 0 and of_elements == flops
        assert 0.4 * elements <= flops <= most * elements, f"{call}: stated {flops}, counted {elements}"

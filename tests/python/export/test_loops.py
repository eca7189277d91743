# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops through a delay in model.py: plain Python loops over the steps that give our numbers."""

import importlib.util
import json

import pytest
import safetensors.torch
import torch
from conftest import QUICK, Exported, proves_itself
from running import ROOT, document, slow, write_document


def text_node(text):
    return ("text", {"file": str(text), "steps": 12})


def states_in(exported):
    golden = safetensors.torch.load_file(exported.folder / "golden.safetensors")
    return {name.split(".state.")[1] for name in golden if name.startswith("fp64.1.state")}


def test_a_cell_wired_by_hand(tmp_path, text):
    """A GRU of pieces."""
    nodes = {"text": text_node(text), "embedding": ("embedding", {"width": 12}), "in": ("linear", {"width": 18}),
             "before": ("delay", {"initial_value": 0.5}), "back": ("linear", {"width": 18}), "sum": ("add", {}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> in.x", "before.y -> back.x", "in.y -> sum.a", "back.y -> sum.b"]
    for gate, start in {"r": 0, "z": 6}.items():
        nodes |= {f"part_{gate}": ("slice", {"start": start, "width": 6}), gate: ("activation", {"function": "sigmoid"})}
        wires += [f"sum.y -> part_{gate}.x", f"part_{gate}.y -> {gate}.x"]
    nodes |= {"in_n": ("slice", {"start": 12, "width": 6}), "back_n": ("slice", {"start": 12, "width": 6}), "reset": ("multiply", {}),
              "sum_n": ("add", {}), "n": ("activation", {}), "h": ("highway", {})}
    wires += ["in.y -> in_n.x", "back.y -> back_n.x", "r.y -> reset.a", "back_n.y -> reset.b", "in_n.y -> sum_n.a", "reset.y -> sum_n.b",
              "sum_n.y -> n.x", "z.y -> h.g", "before.y -> h.a", "n.y -> h.b", "h.y -> before.x", "h.y -> head.x",
              "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "gru.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "in each_step(" in source and "h = torch.cat(h_steps)" in source
    assert "before = self.before.before(states.get('before'), None, " in source
    assert states_in(exported) == {"before.0"}
    module = exported.module()
    assert len(module.sample(module.load(), "a", length=20)) == 21


@slow
def test_an_sru_wired_by_hand_is_the_block(tmp_path):
    """The gallery says so; the weights of its pieces, one above the other, are those of the block."""
    module = Exported(tmp_path, "sru-by-hand", *QUICK).module()
    model = module.load(dtype=torch.float64)
    weights = model.state_dict()
    spec = importlib.util.spec_from_file_location("reference", ROOT / "nodes" / "sru" / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    width = weights["new.weight"].shape[1]
    block, tokens = reference.SRU(width, width).double(), torch.randint(len(module.ALPHABET), (40, 3))
    with torch.no_grad():
        block.weight.copy_(torch.cat([weights["new.weight"], weights["f.weight"], weights["r.weight"]]))
        block.weight_c.copy_(torch.cat([weights["f.weight_c"], weights["r.weight_c"]]))
        block.bias.copy_(torch.cat([weights["f.bias"], weights["r.bias"]]))
        _, logits, _ = model(tokens)
        y, _ = block(weights["embedding.weight"][tokens])
        assert torch.allclose(logits, torch.nn.functional.linear(y, weights["head.weight"], weights["head.bias"]), atol=1e-10)


def test_masks_and_states_from_outside(tmp_path, text):
    """The loop holds an LSTM that begins where another one ended, and masked steps; another node goes on from its state."""
    nodes = {"copy": ("copy", {"symbols": 6, "length": 5, "delay": 4}), "embedding": ("embedding", {"width": 12}),
             "first": ("lstm", {"units": 12}), "delay": ("delay", {}), "sum": ("add", {}), "cell": ("lstm", {"units": 12}),
             "last": ("lstm", {"units": 12}), "both": ("concat", {}), "head": ("head", {})}
    wires = ["copy.tokens -> embedding.tokens", "embedding.y -> first.x", "copy.mask -> first.mask", "embedding.y -> sum.a",
             "delay.y -> sum.b", "sum.y -> cell.x", "first.state -> cell.state", "copy.mask -> cell.mask", "cell.y -> delay.x",
             "copy.mask -> delay.mask", "embedding.y -> last.x", "cell.state -> last.state", "cell.y -> both.a", "last.y -> both.b",
             "both.y -> head.x", "copy.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "masks.unroll", text, nodes=nodes, wires=wires), *QUICK)
    assert "1.mask" in safetensors.torch.load_file(exported.folder / "golden.safetensors")
    proves_itself(exported)
    assert "for t, (" in (exported.folder / "model.py").read_text()


@pytest.mark.parametrize("repeat, shared", [(1, False), (2, False), (2, True)])
def test_loops_in_groups(tmp_path, text, repeat, shared):
    body = {"repeat": repeat, "shared_weights": shared, "inputs": ["x -> sum.a"], "outputs": ["h.y -> y"], "params": [],
            "nodes": [{"id": 1, "block": "delay", "name": "before", "at": [0, 0], "params": {}},
                      {"id": 2, "block": "linear", "name": "back", "at": [0, 0], "params": {"width": 12}},
                      {"id": 3, "block": "add", "name": "sum", "at": [0, 0], "params": {}},
                      {"id": 4, "block": "activation", "name": "h", "at": [0, 0], "params": {}}],
            "wires": ["before.y -> back.x", "back.y -> sum.b", "sum.y -> h.x", "h.y -> before.x"], "next_id": 5}
    nodes = {"text": text_node(text), "embedding": ("embedding", {"width": 12}), "body": ("group", {}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> body.x", "body.y -> head.x", "text.targets -> head.targets"]
    experiment = document(text, nodes=nodes, wires=wires)
    next(node for node in experiment["graph"]["nodes"] if node["name"] == "body")["group"] = body
    (tmp_path / "group.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "group.unroll", *QUICK)
    proves_itself(exported)
    assert states_in(exported) == ({"body.1.before.0", "body.2.before.0"} if repeat > 1 else {"body.before.0"})


def test_a_group_in_a_loop(tmp_path, text):
    """A group with a state and a loop of its own."""
    body = {"repeat": 2, "shared_weights": False, "inputs": ["x -> sum.a"], "outputs": ["cell.y -> y"], "params": [],
            "nodes": [{"id": 1, "block": "delay", "name": "before", "at": [0, 0], "params": {}},
                      {"id": 2, "block": "add", "name": "sum", "at": [0, 0], "params": {}},
                      {"id": 3, "block": "gru", "name": "cell", "at": [0, 0], "params": {"units": 12}}],
            "wires": ["before.y -> sum.b", "sum.y -> cell.x", "cell.y -> before.x"], "next_id": 4}
    nodes = {"text": text_node(text), "embedding": ("embedding", {"width": 12}), "delay": ("delay", {}), "sum": ("add", {}),
             "body": ("group", {}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> sum.a", "delay.y -> sum.b", "sum.y -> body.x", "body.y -> delay.x",
             "body.y -> head.x", "text.targets -> head.targets"]
    experiment = document(text, nodes=nodes, wires=wires)
    next(node for node in experiment["graph"]["nodes"] if node["name"] == "body")["group"] = body
    (tmp_path / "group.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "group.unroll", *QUICK)
    proves_itself(exported)
    assert states_in(exported) == {"delay.0"} | {f"body.{i}.{name}.0" for i in (1, 2) for name in ("before", "cell")}


def test_every_piece(tmp_path, text):
    nodes = {"text": text_node(text), "one_hot": ("one_hot", {}), "conv": ("causal_conv", {"width": 12, "kernel_size": 3, "dilation": 2}),
             "heads": ("split_heads", {"num_heads": 2, "head": 2}), "part": ("slice", {"start": 3, "width": 6}),
             "scale": ("scale", {"factor": 0.5, "learned": True}), "fixed": ("scale", {"factor": -2.0}), "delay": ("delay", {}),
             "gate": ("gate", {"bias_init": 1.0}), "less": ("one_minus", {}), "product": ("multiply", {}), "mixed": ("highway", {}),
             "head": ("head", {})}
    wires = ["text.tokens -> one_hot.tokens", "one_hot.y -> conv.x", "conv.y -> heads.x", "conv.y -> part.x", "heads.y -> scale.x",
             "part.y -> fixed.x", "scale.y -> delay.x", "conv.y -> gate.x", "delay.y -> gate.c", "gate.y -> less.x", "less.y -> product.a",
             "fixed.y -> product.b", "gate.y -> mixed.g", "product.y -> mixed.a", "scale.y -> mixed.b", "mixed.y -> head.x",
             "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "pieces.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    assert "each_step" not in (exported.folder / "model.py").read_text(), "a delay without a loop needs none"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups in model.py, and the names of what stands in them and around them."""

import ast
import json

import pytest
import safetensors.torch
import torch
from conftest import QUICK, Exported, proves_itself
from running import document, write_document, write_group, write_layers


@pytest.mark.parametrize("repeat, shared", [(1, False), (3, False), (3, True)])
def test_groups(tmp_path, text, repeat, shared):
    exported = Exported(tmp_path, write_group(tmp_path / "group.unroll", text, repeat, shared), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "class Body(nn.Module)" in source and ("within(states" in source)
    names = set(exported.module().load().state_dict())
    assert names == set(safetensors.torch.load_file(exported.weights))
    golden = safetensors.torch.load_file(exported.folder / "golden.safetensors")
    states = {name.split(".state.")[1] for name in golden if name.startswith("fp64.1.state")}
    assert states == ({f"body.{i}.lstm.{part}" for i in (1, 2, 3) for part in (0, 1)} if repeat > 1 else {"body.lstm.0", "body.lstm.1"})


def test_group_in_a_group_with_a_promoted_parameter(tmp_path, text):
    leaf = {"repeat": 2, "shared_weights": True, "inputs": ["x -> gru.x"], "outputs": ["gru.y -> y"], "params": ["width -> gru.units"],
            "nodes": [{"id": 1, "block": "gru", "name": "gru", "at": [0, 0], "params": {"units": 3}}], "wires": [], "next_id": 2}
    outer = {"repeat": 2, "shared_weights": False, "inputs": ["x -> leaf.x"], "outputs": ["sum.y -> y"], "params": [],
             "nodes": [{"id": 1, "block": "group", "name": "leaf", "at": [0, 0], "params": {"width": 12}, "group": leaf},
                       {"id": 2, "block": "linear", "name": "side", "at": [0, 0], "params": {"width": 12}},
                       {"id": 3, "block": "add", "name": "sum", "at": [0, 0], "params": {}}],
             "wires": ["leaf.y -> side.x", "leaf.y -> sum.a", "side.y -> sum.b"], "next_id": 4}
    experiment = json.loads(write_group(tmp_path / "nested.unroll", text).read_text())
    experiment["graph"]["nodes"][2]["group"] = outer
    (tmp_path / "nested.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "nested.unroll", *QUICK)
    proves_itself(exported)
    names = set(exported.module().load().state_dict())
    assert "body.2.leaf.gru.weight_hh_l0" in names and names == set(safetensors.torch.load_file(exported.weights))


@pytest.mark.parametrize("attention, classes", [(["none", "causal", "none", "causal"], ("Body1", "Body2")),
                                                ({"last": 1, "value": "causal", "else": "none"}, ("Body1", "Body4"))])
def test_copies_that_differ(tmp_path, text, attention, classes):
    """Attention in some of four layers of SRU++: one class for those that are alike, weights under the copies' numbers."""
    exported = Exported(tmp_path, write_layers(tmp_path / "layers.unroll", text, attention), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert all(f"class {name}(nn.Module)" in source for name in classes) and source.count("class Body") == 2
    assert max(map(len, source.splitlines())) <= 140
    names = set(exported.module().load().state_dict())
    attends = {2, 4} if isinstance(attention, list) else {4}
    assert names == set(safetensors.torch.load_file(exported.weights))
    assert {copy for copy in range(1, 5) if f"body.{copy}.srupp.linear2.weight" in names} == attends


def test_names_that_python_keeps_for_itself(tmp_path, text):
    nodes = {"train": ("text", {"file": str(text), "steps": 8}), "lambda": ("embedding", {"width": 7}), "type": ("rnn", {"units": 6}),
             "states": ("layer_norm", {}), "forward": ("dropout", {}), "loss": ("linear", {"width": 5}), "self": ("head", {})}
    wires = ["train.tokens -> lambda.tokens", "lambda.y -> type.x", "type.y -> states.x", "states.y -> forward.x", "forward.y -> loss.x",
             "loss.y -> self.x", "train.targets -> self.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "names.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    assert {"lambda_.weight", "type_.weight_ih_l0", "loss.weight"} <= set(exported.module().load().state_dict())
    assert any("lambda_.weight" in note for note in exported.told["notes"])
    assert exported.module().load().eval()(torch.zeros(3, 2, dtype=torch.int64))[1].shape[:2] == (3, 2)


def bound_names(source):
    """What the module's own lines bind, once for each time."""
    for node in ast.parse(source).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


def test_groups_with_the_names_of_what_stands_around_them(tmp_path, text):
    """Every name of the module is bound once, whatever groups are called; nodes that differ in a _ alone stay two."""
    def group(repeat, *inner):
        chain = [f"{a}.y -> {b}.x" for (a, _, _), (b, _, _) in zip(inner, inner[1:])]
        return {"repeat": repeat, "shared_weights": False, "inputs": [f"x -> {inner[0][0]}.x"], "outputs": [f"{inner[-1][0]}.y -> y"],
                "params": [], "wires": chain, "next_id": len(inner) + 1,
                "nodes": [{"id": i, "block": block, "name": name, "at": [0, 0], "params": params} for i, (name, block, params) in enumerate(inner, 1)]}
    norm, rounded = ("norm", "layer_norm", {}), ("train", "grumml", {"units": 12})
    groups = {name: group(1, norm) for name in ("f", "HERE", "DTYPES", "TRAINING", "RULES", "ALPHABET", "model", "LSTM", "GRUMML")}
    groups |= {"rounding": group(2, rounded, ("train_", "layer_norm", {}))}
    nodes = {"text": ("text", {"file": str(text), "steps": 8}), "embedding": ("embedding", {"width": 12}), "type": ("lstm", {"units": 12}),
             "type_": ("rnn", {"units": 12}), **{name: ("group", {}) for name in groups}, "head": ("head", {})}
    chain = ["embedding", "type", "type_", *groups, "head"]
    wires = ["text.tokens -> embedding.tokens", "text.targets -> head.targets"] + [f"{a}.y -> {b}.x" for a, b in zip(chain, chain[1:])]
    experiment = document(text, nodes=nodes, wires=wires)
    for node in experiment["graph"]["nodes"]:
        if node["block"] == "group":
            node["group"] = groups[node["name"]]
    (tmp_path / "names.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "names.unroll", *QUICK)
    names = list(bound_names((exported.folder / "model.py").read_text()))
    assert sorted(names) == sorted(set(names)) and {"F", "F_", "Model", "Model_", "Rounding", "Rounding_", "ALPHABET_"} <= set(names)
    proves_itself(exported)
    weights = set(exported.module().load().state_dict())
    assert {"type_.weight_ih_l0", "type__.weight_ih_l0", "rounding.2.train_.weight", "HERE.norm.weight"} <= weights
    assert any(name.startswith("rounding.2.train__.") for name in weights)

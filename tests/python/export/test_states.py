# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent blocks that begin from a vector, h0 = W c, in model.py."""

import json

import torch
from conftest import QUICK, Exported, proves_itself
from running import document, write_document


def begun_from_vectors(cells):
    """Nodes and wires: each cell begins from a Linear of the mean over the real steps of the embedding."""
    nodes = {"copy": ("copy", {"symbols": 6, "length": 5, "delay": 4}), "embedding": ("embedding", {"width": 12}), "mean": ("pool", {"kind": "mean"}),
             "head": ("head", {})}
    wires = ["copy.tokens -> embedding.tokens", "embedding.y -> mean.x", "copy.mask -> mean.mask", "copy.targets -> head.targets"]
    last = "embedding"
    for name, (block, params, numbers) in cells.items():
        nodes |= {name: (block, params), f"into_{name}": ("linear", {"width": numbers})}
        wires += [f"{last}.y -> {name}.x", f"copy.mask -> {name}.mask", f"mean.y -> into_{name}.x", f"into_{name}.y -> {name}.state"]
        last = name
    return nodes, [*wires, f"{last}.y -> head.x"]


def test_states_from_vectors(tmp_path, text):
    """Two tensors, a complex state, a matrix state, and layers in two directions."""
    cells = {"two": ("lstm", {"units": 9}, 18), "turning": ("lru", {"units": 9, "state_size": 7}, 14), "matrix": ("gla", {"units": 8, "num_heads": 2}, 32),
             "both": ("gru", {"units": 4, "num_layers": 2, "bidirectional": True}, 16)}
    nodes, wires = begun_from_vectors(cells)
    exported = Exported(tmp_path, write_document(tmp_path / "begun.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "self.two(embedding, into_two.chunk(2, -1), mask)" in source and "into_matrix.chunk(1, -1)" in source
    module = exported.module()
    model = module.load().double()
    tokens = torch.randint(0, 8, (7, 3))
    with torch.no_grad():
        _, logits, states = model(tokens)
        _, again, _ = model(tokens, states=states)
        assert torch.equal(logits, again), "it goes before what is carried"
        model.into_two.bias += 1
        assert not torch.allclose(model(tokens)[1], logits)


def test_a_state_from_a_vector_outside(tmp_path, text):
    """In a loop a cell and a group of another begin from vectors at the first step, and from what is carried after it."""
    body = {"repeat": 1, "shared_weights": False, "inputs": ["x -> cell.x", "begin -> cell.state"], "outputs": ["cell.y -> y"], "params": [],
            "nodes": [{"id": 1, "block": "lstm", "name": "cell", "at": [0, 0], "params": {"units": 12}}], "wires": [], "next_id": 2}
    nodes = {"copy": ("copy", {"symbols": 6, "length": 5, "delay": 4}), "embedding": ("embedding", {"width": 12}), "mean": ("pool", {"kind": "mean"}),
             "into": ("linear", {"width": 12}), "twice": ("linear", {"width": 24}), "delay": ("delay", {}), "sum": ("add", {}), "cell": ("gru", {"units": 12}),
             "body": ("group", {}), "head": ("head", {})}
    wires = ["copy.tokens -> embedding.tokens", "embedding.y -> mean.x", "mean.y -> into.x", "mean.y -> twice.x", "embedding.y -> sum.a", "delay.y -> sum.b",
             "sum.y -> cell.x", "into.y -> cell.state", "cell.y -> body.x", "twice.y -> body.begin", "body.y -> delay.x", "body.y -> head.x",
             "copy.targets -> head.targets"]
    experiment = document(text, nodes=nodes, wires=wires)
    next(node for node in experiment["graph"]["nodes"] if node["name"] == "body")["group"] = body
    (tmp_path / "begun.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "begun.unroll", *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "states.get('cell') if t > 0 else into.chunk(1, -1)" in source and "twice if t == 0 else None" in source

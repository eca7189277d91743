# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent blocks that begin from a vector, h0 = W c, or from learned numbers, h0 = w, in model.py."""

import json

import pytest
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


def learned_starts(text, cells):
    """Nodes and wires of a text model: each cell begins at a Learned vector of its own."""
    nodes = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 12}), "head": ("head", {})}
    wires, last = ["text.tokens -> embedding.tokens", "text.targets -> head.targets"], "embedding"
    for name, (block, params, numbers) in cells.items():
        nodes |= {name: (block, params), f"start_{name}": ("learned_vector", {"width": numbers, "initializer": "normal"})}
        wires += [f"{last}.y -> {name}.x", f"embedding.y -> start_{name}.x", f"start_{name}.y -> {name}.state"]
        last = name
    return nodes, [*wires, f"{last}.y -> head.x"]


STARTED = {"two": ("lstm", {"units": 9}, 18), "turning": ("lru", {"units": 9, "state_size": 7}, 14), "matrix": ("gla", {"units": 8, "num_heads": 2}, 32),
           "four": ("slstm", {"units": 4, "num_heads": 2}, 16)}


def test_learned_starts(tmp_path, text):
    """Under a next-token loss: sequences begin there, and what is carried goes on, step by step as all at once."""
    nodes, wires = learned_starts(text, STARTED)
    exported = Exported(tmp_path, write_document(tmp_path / "starts.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "begun(states.get('two'), start_two.chunk(2, -1))" in source
    assert "new_states['two'] = moved(new_states['two'], start_two.chunk(2, -1))" in source and "def begun(" in source
    model = exported.module().load().double()
    tokens = torch.randint(0, 8, (7, 3))
    with torch.no_grad():
        logits, states, pieces = model(tokens)[1], None, []
        for step in tokens.split(1):
            _, piece, states = model(step, states=states)
            pieces.append(piece)
        assert torch.allclose(torch.cat(pieces), logits, rtol=1e-9, atol=1e-9)
        zeros = {name: tuple(torch.zeros_like(part) for part in state) for name, state in states.items()}
        assert torch.allclose(model(tokens, states=zeros)[1], logits, rtol=1e-9, atol=1e-9), "zeros stand for the beginning"
        model.start_two.weight += 1
        assert not torch.allclose(model(tokens)[1], logits)


def test_a_learned_start_is_taught_by_what_begins(tmp_path, text):
    """Sequences whose state was carried do not teach it."""
    nodes, wires = learned_starts(text, {"two": STARTED["two"]})
    model = Exported(tmp_path, write_document(tmp_path / "start.unroll", text, nodes=nodes, wires=wires), *QUICK).module().load().double()
    tokens, targets = torch.randint(0, 8, (7, 3)), torch.randint(0, 8, (7, 3))
    loss, _, states = model(tokens, targets)
    loss.backward()
    assert model.start_two.weight.grad.abs().max() > 1e-8
    carried = {name: tuple(part.detach().clone() for part in state) for name, state in states.items()}
    model.zero_grad()
    model(tokens, targets, states=carried)[0].backward()
    assert model.start_two.weight.grad is None or model.start_two.weight.grad.abs().max() == 0
    for part in carried["two"]:
        part[1] = 0
    model(tokens, targets, states=carried)[0].backward()
    assert model.start_two.weight.grad.abs().max() > 1e-8


def test_learned_starts_in_a_loop_and_a_group(tmp_path, text):
    """A cell and a Delay in a loop, and a cell in a group whose final state is read by another one."""
    body = {"repeat": 1, "shared_weights": False, "inputs": ["x -> cell.x", "begin -> cell.state"], "outputs": ["cell.y -> y"], "params": [],
            "nodes": [{"id": 1, "block": "lstm", "name": "cell", "at": [0, 0], "params": {"units": 12}}], "wires": [], "next_id": 2}
    vector = ("learned_vector", {"width": 12, "initializer": "normal"})
    nodes = {"copy": ("copy", {"symbols": 6, "length": 5, "delay": 4}), "embedding": ("embedding", {"width": 12}), "start": vector, "first": vector,
             "twice": ("learned_vector", {"width": 24, "initializer": "normal"}), "delay": ("delay", {}), "sum": ("add", {}), "cell": ("gru", {"units": 12}),
             "body": ("group", {}), "reader": ("gru", {"units": 12}), "again": ("gru", {"units": 12}), "head": ("head", {})}
    wires = [f"embedding.y -> {name}.x" for name in ("start", "first", "twice")]
    wires += ["copy.tokens -> embedding.tokens", "embedding.y -> sum.a", "delay.y -> sum.b", "sum.y -> cell.x", "start.y -> cell.state", "first.y -> delay.state",
              "cell.y -> body.x", "twice.y -> body.begin", "body.y -> delay.x", "body.y -> reader.x", "start.y -> reader.state", "reader.y -> again.x",
              "reader.state -> again.state", "again.y -> head.x", "copy.targets -> head.targets"]
    experiment = document(text, nodes=nodes, wires=wires)
    next(node for node in experiment["graph"]["nodes"] if node["name"] == "body")["group"] = body
    (tmp_path / "begun.unroll").write_text(json.dumps(experiment))
    exported = Exported(tmp_path, tmp_path / "begun.unroll", *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    assert "begun(states.get('cell'), start.chunk(1, -1))" in source and "if t == 0" not in source
    assert "new_states['reader'] = moved(reader_state, start.chunk(1, -1))" in source


@pytest.mark.parametrize("maker", ["ldu", "identity", "cayley", "householder", "old"])
def test_a_state_that_hardly_left_its_beginning(maker, tmp_path):
    """The MRU's state is H - I; H is compared."""
    proves_itself(Exported(tmp_path, "parity-mru", "--set", f"mru.maker={maker}", "--set", "training.learning_rate=1e-6", *QUICK))

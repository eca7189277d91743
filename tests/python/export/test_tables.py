# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights that travel on a wire in model.py: one parameter, which several blocks compute with."""

import safetensors.torch
from conftest import QUICK, Exported, proves_itself
from running import slow, write_document


def weights_of(exported):
    names = set(exported.module().load().state_dict())
    assert names == set(safetensors.torch.load_file(exported.weights))
    return names


def test_a_tied_head(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text), "steps": 8}), "embedding": ("embedding", {"width": 7, "init_std": 0.1, "share_table": True}),
             "rnn": ("rnn", {"units": 7}), "head": ("head", {"readout": "tied"})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> rnn.x", "rnn.y -> head.x", "text.targets -> head.targets",
             "embedding.table -> head.table"]
    exported = Exported(tmp_path, write_document(tmp_path / "tied.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    names = weights_of(exported)
    assert "embedding.weight" in names and "head.bias" in names and "head.weight" not in names


@slow
def test_one_table_for_all_layers(tmp_path):
    exported = Exported(tmp_path, "char-mmfreelm", *QUICK)
    proves_itself(exported)
    assert [name for name in weights_of(exported) if name.endswith("lower_bound")] == ["layer_1.grumml.lower_bound"]

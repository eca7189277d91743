# SPDX-License-Identifier: GPL-3.0-or-later
"""What travels on wires of its own in model.py: one weight, which several blocks compute with, or the values of a first layer."""

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


def test_values_of_the_first_layer(tmp_path, text):
    """The weights that mix them in are those of later layers alone."""
    nodes = {"text": ("text", {"file": str(text), "steps": 8}), "embedding": ("embedding", {"width": 8}), "head": ("head", {})}
    nodes |= {name: ("rwkv7", {"head_size": 4, "value_residual": True, "value_rank": 2}) for name in ("one", "two", "three")}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> one.x", "one.y -> two.x", "two.y -> three.x", "three.y -> head.x", "text.targets -> head.targets",
             "one.v -> two.v_first", "one.v -> three.v_first"]
    exported = Exported(tmp_path, write_document(tmp_path / "values.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    assert sorted(name for name in weights_of(exported) if name.split(".")[1] in ("v0", "v1", "v2")) == [f"{name}.v{i}" for name in ("three", "two") for i in range(3)]

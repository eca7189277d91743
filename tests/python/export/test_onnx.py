# SPDX-License-Identifier: GPL-3.0-or-later
"""model.onnx and sequence.onnx give the golden values in onnxruntime and, as float64, in onnx.reference, for any T and B."""
import os
import pathlib
import re

import onnx
import pytest
from conftest import QUICK
from onnx_models import OnnxExport, graphs_of
from onnx_proof import LENGTHS, proof_of
from running import GALLERY, gallery, run, write_document, write_group, write_layers

REFUSED = {
    "adding-both-ways": "reads later steps too",
    "adding-pool": "Pool over time reads later steps too",
    "labels-both-ways": "reads later steps too",
    "labels-lstm": "Pool over time reads later steps too",
}


def proves_itself(exported, lengths=LENGTHS):
    assert not exported.refused, exported.refused
    proof = proof_of(exported, lengths, lengths if "UNROLL_TEST_ALL" in os.environ else [T for T in lengths if T < 300])
    assert not proof.faults, "\n".join(proof.faults)
    assert set(proof.worst) == {f"{form} {kind}" for form in ("golden", "any size") for kind in ("fp32", "fp64")} | {"streamed"}
    assert (proof.codes > 0) == exported.rounds
    return proof


def test_every_file_of_the_gallery_is_in_the_document():
    """In the table of figures, among those without, or among those refused: docs/onnx.md."""
    text = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "onnx.md").read_text()
    named = [name for row in re.findall(r"^\| ([a-z0-9-]+(?:, [a-z0-9-]+)*) \|", text, re.MULTILINE) for name in row.split(", ")]
    assert {name: named.count(name) for name in GALLERY} == dict.fromkeys(GALLERY, 1)


@pytest.mark.parametrize("name", gallery("char-lstm", "char-lrumml", "parity-cayley", "char-mamba", "gru-by-hand", "adding-pool", "waves-lstm"))
def test_gallery(name, tmp_path):
    exported = OnnxExport(tmp_path, name, *QUICK)
    if name not in REFUSED:
        proves_itself(exported)
    else:
        assert REFUSED[name] in exported.refused and "ONNX" in exported.refused and not (tmp_path / "onnx").exists()


def chain(tmp_path, text, *blocks, **how):
    """embedding -> the blocks one after another -> head."""
    nodes = {"text": ("text", {"file": str(text), "steps": 12, **how}), "embedding": ("embedding", {"width": 12})}
    names = []
    for i, (block, params) in enumerate(blocks):
        names.append(f"{block}_{i}")
        nodes[names[-1]] = (block, params)
    nodes["head"] = ("head", {})
    order = ["embedding", *names, "head"]
    joined = ["text.tokens -> embedding.tokens", "text.targets -> head.targets"] + [f"{a}.y -> {b}.x" for a, b in zip(order, order[1:])]
    return OnnxExport(tmp_path, write_document(tmp_path / "chain.unroll", text, nodes=nodes, wires=joined), *QUICK)


CHAINS = {
    "rnn": [("rnn", {"units": 9, "num_layers": 2}), ("rnn", {"units": 5, "nonlinearity": "relu", "bias": False})],
    "gru": [("gru", {"units": 9, "convention": "reset_after", "num_layers": 3}), ("gru", {"units": 5, "convention": "reset_before"}),
            ("gru", {"units": 5, "convention": "reset_before", "bias": False}), ("gru", {"units": 7, "convention": "reset_before_inverted_z"})],
    "lstm": [("lstm", {"units": 9, "num_layers": 2})] + [("lstm", {"units": 6, "activation": name, "bias": name != "relu"}) for name in ("softsign", "relu", "identity")],
    "gates": [("gru", {"units": 9, "activation": "softsign", "gate_activation": "hard_sigmoid", "learned_state": True}), ("gru", {"units": 6, "gate_activation": "softsign", "convention": "reset_before"}),
              ("lstm", {"units": 6, "gate_activation": "hard_sigmoid"}), ("lstm", {"units": 5, "gate_activation": "tanh", "peepholes": True}), ("lstm", {"units": 7, "peepholes": True, "num_layers": 2, "learned_state": True}),
              ("rnn", {"units": 7, "learned_state": True})],
    "cfc": [("cfc", {"units": 9, "backbone_units": 7, "backbone_activation": name, "mode": mode, "backbone_layers": layers})
            for name, mode, layers in (("lecun_tanh", "default", 1), ("silu", "no_gate", 2), ("gelu", "pure", 1), ("relu", "default", 0))],
    "ind_rnn": [("ind_rnn", {"units": 9}), ("ind_rnn", {"units": 7, "nonlinearity": "tanh", "use_bias": False})],
    "hgrn": [("hgrn", {"units": 9}), ("hgrn", {"units": 7, "convention": "fla", "layer": 2, "layers": 4})],
    "hgrn2": [("hgrn2", {"units": 12, "num_heads": 3}), ("hgrn2", {"units": 8, "num_heads": 2, "convention": "hgru", "layer": 1, "layers": 3})],
    "retnet": [("retnet", {"units": 12, "num_heads": 3}), ("retnet", {"units": 12, "num_heads": 2, "rotation": "none", "norm": "group", "value_factor": 1})],
    "mlstm": [("mlstm", {"units": 12, "num_heads": 3}), ("mlstm", {"units": 8, "num_heads": 2, "gate_soft_cap": 0.0})],
    "delta": [("delta_net", {"units": 12, "num_heads": 3}), ("delta_net", {"units": 8, "num_heads": 2, "use_short_conv": False, "negative_eigenvalues": True}),
              ("gated_delta_net", {"units": 8, "num_heads": 2, "kernel_size": 3}), ("delta_product", {"units": 8, "num_heads": 2, "num_householder": 3}),
              ("delta_product", {"units": 8, "num_heads": 2, "use_forget_gate": False, "use_short_conv": False})],
    "rwkv7": [("rwkv7", {"head_size": 4, "decay_rank": 3, "rate_rank": 3, "gate_rank": 3})],
    "window": [("window_mlp", {"width": 9, "window": 4, "hidden": 11, "direct": True}), ("window_mlp", {"width": 7, "window": 3, "hidden": 5, "activation": "gelu"}),
               ("dilated_conv", {"width": 7, "num_layers": 3, "kernel_size": 3}), ("dilated_conv", {"width": 5, "num_layers": 2, "activation": "relu", "residual": False})],
    "janet": [("janet", {"units": 9, "num_layers": 2, "beta": 0.5})],
    "ligru": [("ligru", {"units": 9}), ("ligru", {"units": 7, "nonlinearity": "tanh", "normalization": "none"})],
    "sru": [("sru", {"units": 12}), ("sru", {"units": 9, "rescale": True, "highway_bias": -1.0, "activation": "tanh"}),
            ("sru", {"units": 9, "has_skip_term": False, "layer_norm": True}), ("sru", {"units": 8, "projection_size": 4, "layer_norm": True, "normalize_after": True}),
            ("sru", {"units": 8, "v1": True, "rescale": True})],
    "srupp": [("srupp", {"units": 12, "projection_size": 6, "num_heads": 2, "window": 9}),
              ("srupp", {"units": 8, "projection_size": 6, "attention": "none", "rescale": True, "layer_norm": True}),
              ("srupp", {"units": 8, "projection_size": 4, "window": 5, "attn_normalize_after": False, "layer_norm": True, "normalize_after": True}),
              ("srupp", {"units": 8, "projection_size": 4, "window": 5, "attn_layer_norm": False}),
              ("srupp", {"units": 9, "projection_size": 4, "window": 5, "num_layers": 3, "attention_every_n_layers": 2}),
              ("srupp", {"units": 9, "projection_size": 4, "num_layers": 2, "attention": "none", "layer_norm": True})],
    "qrnn": [("qrnn", {"units": 9, "window": 3}), ("qrnn", {"units": 7, "pooling": "f", "zoneout": 0.25}), ("qrnn", {"units": 7, "window": 2, "convention": "pytorch_qrnn"})],
    "lru": [("lru", {"units": 12, "state_size": 7}), ("lru", {"units": 9, "state_size": 5, "skip": "full", "gamma": "tied"}), ("lru", {"units": 9, "state_size": 5, "skip": "none"})],
    "minimal": [("mingru", {"units": 9}), ("mingru", {"units": 9, "activation": "tanh", "use_bias": True}), ("mingru", {"units": 9, "activation": "identity"}),
                ("min_lstm", {"units": 9}), ("min_lstm", {"units": 9, "activation": "tanh", "use_bias": True})],
    "rg_lru": [("rg_lru", {"num_heads": 3})],
    "s5": [("s5", {"state_size": 5}), ("s5", {"state_size": 5, "conj_sym": False, "discretization": "bilinear", "clip_eigs": True})],
    "s4d": [("s4d", {"state_size": 3}), ("s4d", {"state_size": 4, "discretization": "bilinear"})],
    "mamba": [("mamba", {"state_size": 4}), ("mamba", {"state_size": 3, "expand": 1, "kernel_size": 2, "dt_rank": 5, "use_bias": True, "conv_bias": False})],
    "mamba2": [("mamba2", {"state_size": 4, "head_size": 8}), ("mamba2", {"state_size": 3, "head_size": 4, "expand": 1, "kernel_size": 3, "use_bias": True, "conv_bias": False})],
    "gla": [("gla", {"units": 12, "num_heads": 3, "gate_rank": 4})],
    "linear_attention": [("linear_attention", {"units": 12, "num_heads": 3}), ("linear_attention", {"units": 12, "num_heads": 2, "feature_map": "identity", "decay": "retnet"}),
                         ("linear_attention", {"units": 12, "num_heads": 2, "normalize": False, "decay": "none"})],
    "slstm": [("slstm", {"units": 12, "num_heads": 3}), ("slstm", {"units": 8, "num_heads": 2, "forget_gate": "exp"})],
    "attention": [("attention", {"num_heads": 3, "window": 9}), ("attention", {"num_heads": 2, "window": 5, "positions": "none", "bias": False}),
                  ("attention", {"num_heads": 3, "window": 7, "positions": "relative"}),
                  ("attention", {"num_heads": 2, "window": 6, "positions": "xpos", "xpos_scale": 4.0}),
                  ("attention", {"num_heads": 2, "window": 6, "key_size": 8, "value_size": 6}),
                  ("attention", {"num_heads": 2, "window": 6, "key_size": 4, "positions": "relative"}), ("attention", {"num_heads": 2, "window": 5, "projections": False})],
    "modules": [("multiplicative_dense", {"width": 12, "num_modules": 3}), ("module_conv", {"width": 9, "num_modules": 3, "num_convs": 3}),
                ("attention", {"num_heads": 3, "window": 5, "projections": False, "positions": "none"}), ("multiplicative_dense", {"width": 6, "num_modules": 6, "bias": False}),
                ("module_conv", {"width": 8, "num_modules": 2, "kernel_size": 2, "module_kernel": 5, "bias": False})],
    "mru": [("mru", {"units": 12, "num_heads": 2, "matrix_size": 3, "maker": maker}) for maker in ("ldu", "identity", "cayley", "householder", "old")],
    "causal_conv": [("causal_conv", {"width": 9, "kernel_size": 3, "dilation": 2}), ("causal_conv", {"width": 9, "kernel_size": 4, "depthwise": True, "bias": False})],
    "gated": [("glu", {"units": 9, "inner": 10, "ternary": False}), ("glu", {"units": 7, "inner": 6, "activation": "gelu", "ternary": False, "use_bias": False})],
    "sparse_ffn": [("sparse_ffn", {"units": 9, "inner": 24, "block_size": 6, "rank": 3}), ("sparse_ffn", {"units": 7, "inner": 8, "block_size": 2, "rank": 5, "use_bias": False})],
    "delay": [("delay", {}), ("delay", {"initial_value": 0.5})],
    "activation": [("activation", {"function": name}) for name in ("tanh", "sigmoid", "relu", "silu", "gelu", "softplus")],
    "smooth": [("activation", {"function": name}) for name in ("softsign", "elu", "celu", "selu", "leaky_relu", "mish", "log_sigmoid", "exponential", "tanh_shrink", "squareplus")],
    "pieces": [("activation", {"function": name}) for name in ("relu6", "hard_silu", "hard_tanh", "identity", "soft_shrink", "hard_shrink", "sparse_plus", "hard_sigmoid", "sparse_sigmoid")],
    "features": [("activation", {"function": "softmax"}), ("activation", {"function": "log_softmax"}), ("layer_norm", {}), ("activation", {"function": "sparsemax"}),
                 ("scale", {"factor": 3.0}), ("activation", {"function": "threshold", "threshold": 0.25, "default_value": 0.25}), ("activation", {"function": "threshold"})],
    "layers": [("linear", {"width": 8}), ("layer_norm", {"gain": False}), ("rms_norm", {"gain": False}), ("layer_norm", {}), ("rms_norm", {}), ("dropout", {"rate": 0.5}), ("one_minus", {}),
               ("scale", {"factor": 0.3}), ("scale", {"learned": True}), ("slice", {"start": 1, "width": 6}), ("split_heads", {"num_heads": 3, "head": 2})],
}
ROUNDED = {
    "grumml": [("grumml", {"units": 12}), ("grumml", {"units": 9, "fully_mml": True, "scales": "per_gate", "use_bias": False, "activation": "tanh", "recurrent_activation": "hard_sigmoid"})],
    "grumml-paper": [("grumml", {"units": 9, "variant": "paper"}), ("grumml", {"units": 9, "variant": "mmfreelm", "layer": 1, "layers": 3})],
    "lrumml": [("lrumml", {"units": 12, "state_size": 7, "use_bias": True}), ("lrumml", {"units": 9, "state_size": 5, "fully_mml": True, "gamma": "tied"})],
    "glu": [("glu", {"units": 9, "inner": 10}), ("glu", {"units": 7, "inner": 6, "activation": "sigmoid", "use_bias": False})],
    "dense_mml": [("dense_mml", {"units": 9}), ("dense_mml", {"units": 9, "use_bias": False, "gradient": "keras"})],
}


@pytest.mark.parametrize("name", [*CHAINS, *ROUNDED])
def test_options_of_every_block(name, tmp_path, text):
    proves_itself(chain(tmp_path, text, *(CHAINS | ROUNDED)[name]), (1, 7, 64))


def changed(exported, change):
    """What the proof says of the files after a change to each of their models."""
    for name in ("model.onnx", "sequence.onnx"):
        model = onnx.load(exported.onnx / name)
        change(model)
        onnx.save(model, exported.onnx / name)
    return "\n".join(proof_of(exported, (1, 7)).faults)


def nodes_of(model):
    return [node for graph in graphs_of(model.graph) for node in graph.node]


def first_number(model, wanted):
    """The constants that hold one such number."""
    return [tensor for tensor in model.graph.initializer if onnx.numpy_helper.to_array(tensor).size == 1 and float(onnx.numpy_helper.to_array(tensor).ravel()[0]) == wanted]


def to_124_steps(model):
    for tensor in first_number(model, 127):
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor) - 3, tensor.name))


def to_floor(model):
    for node in nodes_of(model):
        node.op_type = "Floor" if node.op_type == "Round" else node.op_type


def one_weight_turned(model):
    tensor = next(each for each in model.graph.initializer if each.name.endswith("dense_mml_0/weight"))
    weight = onnx.numpy_helper.to_array(tensor).copy()
    weight[0, 0] = weight[0, 0] + abs(weight).max()
    tensor.CopyFrom(onnx.numpy_helper.from_array(weight, tensor.name))


@pytest.mark.parametrize("change, said", (
    (to_124_steps, "codes differ farther than"),
    (to_floor, "0 places of the file round, expected 2"),
    (one_weight_turned, "any size fp32, T = 7, B = 5: "),
))
def test_the_proof_of_codes_can_fail(change, said, tmp_path, text):
    exported = chain(tmp_path, text, ("dense_mml", {"units": 9}), ("dense_mml", {"units": 9}))
    assert not proof_of(exported, (1, 7)).faults
    faults = changed(exported, change)
    assert said in faults, faults


def test_learned_positions(tmp_path, text):
    """As far as the table goes."""
    exported = chain(tmp_path, text, ("attention", {"num_heads": 3, "window": 9, "positions": "learned", "max_positions": 70}), order="windows")
    proves_itself(exported, (1, 7, 70))


def test_masks(tmp_path, text):
    """At masked steps states are kept and outputs are 0."""
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "one": ("gru", {"units": 9}),
             "two": ("lstm", {"units": 8}), "three": ("attention", {"num_heads": 2, "window": 6}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> one.x", "one.y -> two.x", "two.y -> three.x", "three.y -> head.x", "text.targets -> head.targets"]
    wires += [f"text.mask -> {name}.mask" for name in ("one", "two", "three")]
    exported = OnnxExport(tmp_path, write_document(tmp_path / "masks.unroll", text, nodes=nodes, wires=wires), *QUICK)
    assert not exported.golden["1.mask"].all()
    proves_itself(exported, (1, 7, 64))


@pytest.mark.parametrize("shared", [False, True])
def test_groups(tmp_path, text, shared):
    proves_itself(OnnxExport(tmp_path, write_group(tmp_path / "group.unroll", text, shared=shared), *QUICK), (1, 7, 64))


def test_copies_that_differ(tmp_path, text):
    path = write_layers(tmp_path / "layers.unroll", text, {"every": 2, "value": "causal", "else": "none"})
    proves_itself(OnnxExport(tmp_path, path, *QUICK), (1, 7, 64))


def test_values_of_the_first_layer(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "head": ("head", {})}
    nodes |= {name: ("rwkv7", {"head_size": 4, "decay_rank": 3, "rate_rank": 3, "gate_rank": 3, "value_residual": True, "value_rank": 2}) for name in ("one", "two", "three")}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> one.x", "one.y -> two.x", "two.y -> three.x", "three.y -> head.x", "text.targets -> head.targets",
             "one.v -> two.v_first", "one.v -> three.v_first"]
    wires += [f"text.mask -> {name}.mask" for name in ("one", "two", "three")]
    exported = OnnxExport(tmp_path, write_document(tmp_path / "values.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported, (1, 7, 64))


def refused(tmp_path, path, sentence):
    run("train", path, *QUICK, "--quiet", "--run", tmp_path / "run", code=0)
    ended = run("export", tmp_path / "run", "--format", "onnx", "--out", tmp_path / "out", code=1)
    assert sentence in ended.err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("rule, said", (
    ("hold", "gru: GRU repeats at masked steps what it gave before (masked_output is hold), which a single step does not have, and ONNX is written step by step"),
    ("read", "gru: GRU gives what it holds at masked steps (masked_output is read), which its ONNX form does not; set masked_output to zero"),
))
def test_other_outputs_at_masked_steps_are_refused(tmp_path, text, rule, said):
    nodes = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 9}), "gru": ("gru", {"units": 9, "masked_output": rule}),
             "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "text.targets -> head.targets", "embedding.y -> gru.x", "gru.y -> head.x"]
    refused(tmp_path, write_document(tmp_path / "masked.unroll", text, nodes=nodes, wires=[*wires, "text.mask -> gru.mask"]), said)


def test_large_cayley_matrices_are_refused(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 12}),
             "mru": ("mru", {"units": 12, "num_heads": 1, "matrix_size": 9, "maker": "cayley"}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "text.targets -> head.targets", "embedding.y -> mru.x", "mru.y -> head.x"]
    refused(tmp_path, write_document(tmp_path / "large.unroll", text, nodes=nodes, wires=wires),
            "mru: the Cayley map of matrices above 8 x 8 cannot be exported as ONNX")


def test_a_state_of_another_node_is_refused(tmp_path, text):
    nodes = {"data": ("adding", {"length": 12}), "first": ("linear", {"width": 12}), "one": ("gru", {"units": 9}), "two": ("gru", {"units": 9}),
             "head": ("mse", {})}
    wires = ["data.features -> first.x", "data.targets -> head.targets", "first.y -> one.x", "one.state -> two.state", "first.y -> two.x", "two.y -> head.x"]
    refused(tmp_path, write_document(tmp_path / "joined.unroll", text, nodes=nodes, wires=wires), "two: the state of GRU starts from the final state of another node")


def test_an_export_takes_the_place_of_an_older_one(tmp_path, small_export):
    for _ in range(2):
        run("export", small_export.run, "--format", "onnx", "--out", tmp_path / "out", code=0)
    file = tmp_path / "out" / "sequence.onnx"
    file.write_bytes(file.read_bytes() + b"\0")
    ended = run("export", small_export.run, "--format", "onnx", "--out", tmp_path / "out", code=1)
    assert "sequence.onnx" in ended.err and "model.onnx" not in ended.err


def test_what_the_dialog_shows_runs(tmp_path, small_export):
    """Its README has every input, with its type and shape."""
    run("export", small_export.run, "--format", "onnx", "--out", tmp_path / "out", code=0)
    text = (tmp_path / "out" / "README.txt").read_text()
    for name in ("tokens", "state.lstm.0", "state.lstm.1", "logits", "next.lstm.1"):
        assert f" {name} " in text


def test_learned_starts(tmp_path, text):
    """States begin at a Learned vector; zeros before the first step stand for it, since what is carried is what they have moved from there."""
    cells = {"one": ("lstm", {"units": 9}, 18), "two": ("gla", {"units": 8, "num_heads": 2}, 32), "three": ("delay", {}, 8)}
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "head": ("head", {})}
    wires, last = ["text.tokens -> embedding.tokens", "text.targets -> head.targets", "text.mask -> one.mask"], "embedding"
    for name, (block, params, numbers) in cells.items():
        nodes |= {name: (block, params), f"start_{name}": ("learned_vector", {"width": numbers, "initializer": "normal"})}
        wires += [f"{last}.y -> {name}.x", f"embedding.y -> start_{name}.x", f"start_{name}.y -> {name}.state"]
        last = name
    proves_itself(OnnxExport(tmp_path, write_document(tmp_path / "starts.unroll", text, nodes=nodes, wires=[*wires, f"{last}.y -> head.x"]), *QUICK), (1, 7, 64))

# SPDX-License-Identifier: GPL-3.0-or-later
"""model.onnx and sequence.onnx give the golden values in onnxruntime and, as float64, in onnx.reference, for any T and B."""
import numpy
import onnx
import pytest
from conftest import QUICK, Exported
from onnx_models import OnnxExport, Runner, carried, distance, share_apart
from running import gallery, run, write_document, write_group

CLOSE = {"fp32": 1e-4, "fp64": 1e-6}
# Rounded models: numbers beside a middle fall to either side. A step of a quantised value is 1 / 127 of the largest.
FAR, FEW = 0.1, 0.05

REFUSED = {
    "adding-both-ways": "reads later steps too",
    "adding-pool": "Pool reads later steps too",
    "labels-both-ways": "reads later steps too",
    "labels-lstm": "Pool reads later steps too",
}


def near(exported, ours, theirs, kind):
    if not exported.rounds:
        assert distance(ours, theirs) < CLOSE[kind]
    else:
        assert distance(ours, theirs) < FAR and share_apart(ours, theirs, CLOSE[kind]) < FEW


def files_are_sound(exported):
    for name in ("model.onnx", "sequence.onnx"):
        model = onnx.load(exported.onnx / name)
        onnx.checker.check_model(model, full_check=True)
        assert model.ir_version == 8 and [(each.domain, each.version) for each in model.opset_import] == [("", 17)]
        assert model.producer_name == "Unroll" and {entry.key for entry in model.metadata_props} >= {"step", "title"}
    weights = (exported.folder / "weights.safetensors").stat().st_size
    assert (exported.onnx / "sequence.onnx").stat().st_size < 2 * weights + 100_000, "the steps are not written out"


def gives_the_golden_values(exported, runner, kind):
    """Two chunks, the second going on from the first."""
    given = {}
    for chunk in ("0", "1"):
        inputs = {exported.read: exported.golden[f"{chunk}.{exported.read}"], **given}
        if f"{chunk}.mask" in exported.golden:
            inputs["mask"] = exported.golden[f"{chunk}.mask"]
        told = runner(3, inputs)
        wanted = {exported.told: exported.golden[f"{kind}.{chunk}.{exported.told}"]}
        prefix = f"{kind}.{chunk}.state."
        wanted |= {"next." + name[len(prefix):]: value for name, value in exported.golden.items() if name.startswith(prefix)}
        near(exported, told, wanted, kind)
        given = carried(told)


def gives_it_for_any_size(exported, sequence, steps=300):
    inputs = exported.random_inputs(steps, 5)
    whole = exported.by_torch(inputs)
    for T in (1, 7, 64, steps):
        for B in (1, 5):
            told = sequence(B, {exported.read: inputs[:T, :B]})
            assert told[exported.told].shape[:2] == (T, B)
            wanted = {exported.told: whole[exported.told][:T, :B]}
            if T == steps:
                wanted |= {name: value[:B] for name, value in whole.items() if name.startswith("next.")}
            near(exported, told, wanted, "fp32")


def streams(exported, step, sequence, steps=64):
    inputs = exported.random_inputs(steps, 5)
    whole, given, told = sequence(5, {exported.read: inputs}), {}, []
    for t in range(steps):
        one = step(5, {exported.read: inputs[t], **given})
        told.append(one[exported.told])
        given = carried(one)
    ends = {"next" + name[5:]: value for name, value in given.items()}
    near(exported, {exported.told: numpy.stack(told), **ends}, whole, "fp32")


def proves_itself(exported, steps=300):
    files_are_sound(exported)
    sequence, step = (Runner.of_file(exported.onnx / name) for name in ("sequence.onnx", "model.onnx"))
    gives_the_golden_values(exported, sequence, "fp32")
    gives_the_golden_values(exported, Runner.in_double(exported.onnx / "sequence.onnx"), "fp64")
    gives_it_for_any_size(exported, sequence, steps)
    streams(exported, step, sequence, min(steps, 64))


@pytest.mark.parametrize("name", gallery("char-lstm", "char-lrumml", "parity-cayley", "char-mamba", "gru-by-hand", "adding-pool", "waves-lstm"))
def test_gallery(name, tmp_path):
    if name not in REFUSED:
        return proves_itself(OnnxExport(tmp_path, name, *QUICK))
    exported = Exported(tmp_path, name, *QUICK)
    ended = run("export", exported.run, "--format", "onnx", "--out", tmp_path / "onnx", code=1)
    assert REFUSED[name] in ended.err and "ONNX" in ended.err and not (tmp_path / "onnx").exists()


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
    "janet": [("janet", {"units": 9, "num_layers": 2, "beta": 0.5})],
    "ligru": [("ligru", {"units": 9}), ("ligru", {"units": 7, "nonlinearity": "tanh", "normalization": "none"})],
    "sru": [("sru", {"units": 12}), ("sru", {"units": 9, "rescale": True, "highway_bias": -1.0, "activation": "tanh"}),
            ("sru", {"units": 9, "has_skip_term": False, "layer_norm": True}), ("sru", {"units": 8, "projection_size": 4, "layer_norm": True, "normalize_after": True}),
            ("sru", {"units": 8, "v1": True, "rescale": True})],
    "srupp": [("srupp", {"units": 12, "projection_size": 6, "num_heads": 2, "window": 9}),
              ("srupp", {"units": 8, "projection_size": 6, "attention": "none", "rescale": True, "layer_norm": True}),
              ("srupp", {"units": 8, "projection_size": 4, "window": 5, "attn_normalize_after": False, "layer_norm": True, "normalize_after": True}),
              ("srupp", {"units": 8, "projection_size": 4, "window": 5, "attn_layer_norm": False})],
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
    "attention": [("attention", {"num_heads": 3, "window": 9}), ("attention", {"num_heads": 2, "window": 5, "positions": "none", "bias": False})],
    "mru": [("mru", {"units": 12, "num_heads": 2, "matrix_size": 3, "maker": maker}) for maker in ("ldu", "identity", "cayley", "householder", "old")],
    "causal_conv": [("causal_conv", {"width": 9, "kernel_size": 3, "dilation": 2}), ("causal_conv", {"width": 9, "kernel_size": 4, "depthwise": True, "bias": False})],
    "delay": [("delay", {}), ("delay", {"initial_value": 0.5})],
    "activation": [("activation", {"function": name}) for name in ("tanh", "sigmoid", "relu", "silu", "gelu", "softplus")],
    "layers": [("linear", {"width": 8}), ("layer_norm", {"gain": False}), ("rms_norm", {"gain": False}), ("layer_norm", {}), ("rms_norm", {}), ("dropout", {"rate": 0.5}), ("one_minus", {}),
               ("scale", {"factor": 0.3}), ("scale", {"learned": True}), ("slice", {"start": 1, "width": 6}), ("split_heads", {"num_heads": 3, "head": 2})],
}
ROUNDED = {
    "grumml": [("grumml", {"units": 12}), ("grumml", {"units": 9, "fully_mml": True, "scales": "per_gate", "use_bias": False, "activation": "tanh", "recurrent_activation": "hard_sigmoid"})],
    "grumml-paper": [("grumml", {"units": 9, "variant": "paper"}), ("grumml", {"units": 9, "variant": "mmfreelm", "layer": 1, "layers": 3})],
    "lrumml": [("lrumml", {"units": 12, "state_size": 7, "use_bias": True}), ("lrumml", {"units": 9, "state_size": 5, "fully_mml": True, "gamma": "tied"})],
    "dense_mml": [("dense_mml", {"units": 9}), ("dense_mml", {"units": 9, "use_bias": False, "gradient": "keras"})],
}


@pytest.mark.parametrize("name", [*CHAINS, *ROUNDED])
def test_options_of_every_block(name, tmp_path, text):
    proves_itself(chain(tmp_path, text, *(CHAINS | ROUNDED)[name]), 64)


def test_learned_positions(tmp_path, text):
    """As far as the table goes."""
    exported = chain(tmp_path, text, ("attention", {"num_heads": 3, "window": 9, "positions": "learned", "max_positions": 70}), order="windows")
    proves_itself(exported, 70)


def test_masks(tmp_path, text):
    """At masked steps states are kept and outputs are 0."""
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "one": ("gru", {"units": 9}),
             "two": ("lstm", {"units": 8}), "three": ("attention", {"num_heads": 2, "window": 6}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> one.x", "one.y -> two.x", "two.y -> three.x", "three.y -> head.x", "text.targets -> head.targets"]
    wires += [f"text.mask -> {name}.mask" for name in ("one", "two", "three")]
    exported = OnnxExport(tmp_path, write_document(tmp_path / "masks.unroll", text, nodes=nodes, wires=wires), *QUICK)
    assert not exported.golden["1.mask"].all()
    proves_itself(exported, 64)


@pytest.mark.parametrize("shared", [False, True])
def test_groups(tmp_path, text, shared):
    proves_itself(OnnxExport(tmp_path, write_group(tmp_path / "group.unroll", text, shared=shared), *QUICK), 64)


def refused(tmp_path, text, sentence, wires, **nodes):
    names = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 12}), **nodes, "head": ("head", {})}
    path = write_document(tmp_path / "refused.unroll", text, nodes=names, wires=["text.tokens -> embedding.tokens", "text.targets -> head.targets", *wires])
    run("train", path, *QUICK, "--quiet", "--run", tmp_path / "run", code=0)
    ended = run("export", tmp_path / "run", "--format", "onnx", "--out", tmp_path / "out", code=1)
    assert sentence in ended.err and not (tmp_path / "out").exists()


def test_large_cayley_matrices_are_refused(tmp_path, text):
    refused(tmp_path, text, "mru: the Cayley map of matrices above 8 x 8 cannot be exported as ONNX", ["embedding.y -> mru.x", "mru.y -> head.x"],
            mru=("mru", {"units": 12, "num_heads": 1, "matrix_size": 9, "maker": "cayley"}))


def test_a_state_of_another_node_is_refused(tmp_path, text):
    refused(tmp_path, text, "two: the state of GRU begins with that of another node",
            ["embedding.y -> one.x", "one.state -> two.state", "one.y -> two.x", "two.y -> head.x"], one=("gru", {"units": 9}), two=("gru", {"units": 9}))


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

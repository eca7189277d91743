# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of Keras and Keras-MML in our blocks: saved by Keras (its torch backend), read without it, the same outputs."""

import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
for place in ("app/python", "tests/python/cli", "tests/python/blocks"):
    sys.path.insert(0, str(ROOT / place))

import running  # noqa: E402
from block_dumps import reference_module  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from unroll_weights import Refused, mapped, read_weights  # noqa: E402
from unroll_weights import __main__ as command  # noqa: E402

keras = pytest.importorskip("keras")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import keras_mml.layers as mml

STEPS, BATCH, WIDTH, UNITS = 7, 3, 5, 6
CLASSES = {"lstm": "LSTM", "gru": "GRU", "rnn": "RNN", "grumml": "GRUMML", "lrumml": "LRUMML", "dense_mml": "DenseMML", "glu": "GLU"}


@pytest.fixture(autouse=True)
def on_the_cpu():
    torch.manual_seed(3)
    keras.utils.set_random_seed(3)
    with torch.device("cpu"):
        yield


def drawn(model):
    """Every weight as a random number, also those that begin as zeros or ones."""
    draw = torch.Generator().manual_seed(4)
    for variable in model.trainable_variables:
        if not variable.name.endswith("_log"):
            gain = 1.0 if variable.name == "gain" else 0.0
            variable.assign(torch.randn(tuple(variable.shape), generator=draw) * 0.4 + gain)


def saved(tmp_path, layer, kind):
    """A model of one layer with drawn weights, and its file."""
    model = keras.Sequential([keras.Input((None, WIDTH)), layer])
    drawn(model)
    path = tmp_path / {"keras": "model.keras", "h5": "model.weights.h5"}[kind]
    model.save(path) if kind == "keras" else model.save_weights(path)
    return model, path


def inputs():
    return torch.randn(BATCH, STEPS, WIDTH, generator=torch.Generator().manual_seed(2))


def agrees(model, block, taken, options, atol=1e-5):
    """What Keras gives and what ours gives with the weights taken."""
    cell = getattr(reference_module(block), CLASSES[block])(WIDTH, units=UNITS, **options)
    cell.load_state_dict(taken.weights)
    with torch.no_grad():
        want, got = model(inputs()), cell(inputs().transpose(0, 1))
    got = (got[0] if isinstance(got, tuple) else got).transpose(0, 1)
    torch.testing.assert_close(got, want.detach(), rtol=1e-5, atol=atol)


CELLS = [
    ("lstm", "LSTM", {}, {}),
    ("lstm", "LSTM", {"use_bias": False}, {"bias": False}),
    ("lstm", "LSTM", {"activation": "softsign"}, {"activation": "softsign"}),
    ("lstm", "LSTM", {"recurrent_activation": "hard_sigmoid"}, {"gate_activation": "hard_sigmoid"}),
    ("lstm", "LSTM", {"activation": "celu", "recurrent_activation": "tanh"}, {"activation": "elu", "gate_activation": "tanh"}),
    ("gru", "GRU", {}, {}),
    ("gru", "GRU", {"reset_after": False}, {"convention": "reset_before"}),
    ("gru", "GRU", {"reset_after": False, "use_bias": False}, {"convention": "reset_before", "bias": False}),
    ("lstm", "LSTM", {"activation": "elu"}, {"activation": "elu"}),
    ("gru", "GRU", {"recurrent_activation": "hard_sigmoid"}, {"gate_activation": "hard_sigmoid"}),
    ("gru", "GRU", {"recurrent_activation": "softsign"}, {"gate_activation": "softsign"}),
    ("gru", "GRU", {"activation": "swish"}, {"activation": "silu"}),
    ("rnn", "SimpleRNN", {}, {}),
    ("rnn", "SimpleRNN", {"activation": "relu", "use_bias": False}, {"nonlinearity": "relu", "bias": False}),
]


@pytest.mark.parametrize("kind", ("keras", "h5"))
@pytest.mark.parametrize("both", (False, True))
@pytest.mark.parametrize("block, theirs, options, ours", CELLS)
def test_cells_of_keras(block, theirs, options, ours, both, kind, tmp_path):
    layer = getattr(keras.layers, theirs)(UNITS, return_sequences=True, **options)
    model, path = saved(tmp_path, keras.layers.Bidirectional(layer) if both else layer, kind)
    taken = mapped(block, read_weights(path), {"units": UNITS, "bidirectional": both, **ours}, whole=True)
    agrees(model, block, taken, {"bidirectional": both, **ours})
    if block == "gru" and (kind == "keras" or "bias" not in ours):
        assert taken.form == "convention " + ours.get("convention", "reset_after")
    assert taken.source == f"keras.layers.{theirs}" and bool(taken.notes) == (kind == "h5")


MML = [
    ("grumml", lambda: mml.GRUMML(UNITS, return_sequences=True), {}),
    ("grumml", lambda: mml.GRUMML(UNITS, num_heads=2, use_bias=False, return_sequences=True), {"use_bias": False}),
    ("grumml", lambda: mml.GRUMML(UNITS, fully_mml=True, return_sequences=True), {"fully_mml": True}),
    ("grumml", lambda: mml.GRUMML(UNITS, fully_mml=True, use_bias=False, activation="tanh", return_sequences=True), {"fully_mml": True, "use_bias": False, "activation": "tanh"}),
    ("grumml", lambda: mml.GRUMML(UNITS, activation="mish", recurrent_activation="hard_sigmoid", return_sequences=True), {"activation": "mish", "recurrent_activation": "hard_sigmoid"}),
    ("grumml", lambda: mml.AttentionMML(2, UNITS), {"fully_mml": True}),
    ("lrumml", lambda: mml.LRUMML(UNITS, state_dim=4, return_sequences=True), {"state_size": 4}),
    ("lrumml", lambda: mml.LRUMML(UNITS, state_dim=9, use_bias=True, fully_mml=True, return_sequences=True), {"state_size": 9, "use_bias": True, "fully_mml": True}),
    ("dense_mml", lambda: keras.layers.TimeDistributed(mml.DenseMML(UNITS)), {}),
    ("glu", lambda: keras.layers.TimeDistributed(mml.SwiGLUMML(UNITS, intermediate_size=9)), {"inner": 9}),
    ("glu", lambda: keras.layers.TimeDistributed(mml.GeGLUMML(UNITS, intermediate_size=8)), {"inner": 8, "activation": "gelu"}),
]


@pytest.mark.parametrize("kind", ("keras", "h5"))
@pytest.mark.parametrize("block, layer, ours", MML)
def test_layers_of_keras_mml(block, layer, ours, kind, tmp_path):
    """Their ternary weights are read from their packed form and round to the same codes and the same scale here."""
    model, path = saved(tmp_path, layer(), kind)
    taken = mapped(block, read_weights(path), {"units": UNITS, **ours}, whole=True)
    agrees(model, block, taken, ours)
    assert any("unpacked" in done for _, _, _, done in taken.lines)


def test_one_layer_of_several_is_named(tmp_path):
    model = keras.Sequential([keras.Input((None, WIDTH)), keras.layers.LSTM(UNITS, return_sequences=True), keras.layers.GRU(UNITS, return_sequences=True),
                              keras.layers.GRU(UNITS, return_sequences=True, go_backwards=True), keras.layers.Bidirectional(keras.layers.GRU(2), merge_mode="sum")])
    model.save(tmp_path / "m.keras")
    weights = read_weights(tmp_path / "m.keras")
    mapped("lstm", weights)
    with pytest.raises(Refused, match="of keras.layers.GRU the file has several: 'layers.bidirectional.', 'layers.gru.', 'layers.gru_1.'; name one"):
        mapped("gru", weights)
    mapped("gru", weights, prefix="layers.gru")
    for prefix, said in (("layers.gru_1", "the layer reads backwards"), ("layers.lstm", 'no weights of keras.layers.GRU behind "layers.lstm."'),
                         ("layers.bidirectional", "Bidirectional joins its outputs by sum")):
        with pytest.raises(Refused, match=said):
            mapped("gru", weights, prefix=prefix)
    with pytest.raises(Refused, match="of keras_mml.GRUMML the file has none"):
        mapped("grumml", weights)
    with pytest.raises(Refused, match="the block sru takes weights of sru.SRUCell, and the file is of Keras"):
        mapped("sru", weights)


@pytest.mark.parametrize("params, said", (
    ({"units": 4}, "the layer has units 6, and the node has units = 4"),
    ({"units": UNITS, "activation": "softsign"}, "the layer has activation tanh, and the node has activation = softsign"),
    ({"units": UNITS, "bias": False}, "the layer has use_bias true, and the node has bias = false"),
    ({"units": UNITS, "num_layers": 2}, "a layer of Keras has num_layers 1, and the node has num_layers = 2"),
    ({"units": UNITS, "bidirectional": True}, "the layer has bidirectional false, and the node has bidirectional = true"),
))
def test_a_node_of_another_shape_is_said(params, said, tmp_path):
    _, path = saved(tmp_path, keras.layers.LSTM(UNITS, return_sequences=True), "keras")
    with pytest.raises(Refused, match=said):
        mapped("lstm", read_weights(path), params, whole=True)


def test_another_convention_is_said(tmp_path):
    _, path = saved(tmp_path, keras.layers.GRU(UNITS, reset_after=False), "h5")
    with pytest.raises(Refused, match="the layer has the convention reset_before, and the node has convention = reset_after"):
        mapped("gru", read_weights(path), {"units": UNITS}, whole=True)


def test_functions_that_a_block_lacks_are_said(tmp_path):
    _, path = saved(tmp_path, keras.layers.GRU(UNITS, activation="softmax"), "keras")
    with pytest.raises(Refused, match="the layer has activation softmax, which the block has not; it has tanh, sigmoid"):
        mapped("gru", read_weights(path))


def test_a_layer_of_steps_has_one_gain_for_all(tmp_path):
    """A DenseMML over sequences has a gain for every step."""
    model = keras.Sequential([keras.Input((STEPS, WIDTH)), mml.DenseMML(UNITS)])
    model.save(tmp_path / "same.keras")
    agrees(model, "dense_mml", mapped("dense_mml", read_weights(tmp_path / "same.keras")), {})
    drawn(model)
    model.save(tmp_path / "each.keras")
    with pytest.raises(Refused, match=r"_activation_norm.vars.0 is \[7, 5\]: a gain of its own for every step, and the block has one for all steps"):
        mapped("dense_mml", read_weights(tmp_path / "each.keras"))


@pytest.mark.parametrize("values", ((0,), (1,), (-1,), (0, -1), (1, 0), (1, -1), (0, 1, -1), (1, 1, 1, 0, -1), (-1, -1, -1, 1, 0)))
def test_packed_codes(values):
    """Each order of the commonest elements, and matrices that lack some."""
    import numpy
    from keras_mml.utils.array.encoding import encode_ternary_array
    from unroll_weights.keras_layers import ternary_codes
    matrix = numpy.random.default_rng(1).choice(values, (13, 11))
    _, packed = encode_ternary_array(matrix)
    code = torch.frombuffer(bytearray(packed), dtype=torch.uint8)
    assert torch.equal(ternary_codes(code, (13, 11)), torch.from_numpy(matrix).double())
    with pytest.raises(ValueError, match="its ternary code ends before its 130 x 11 elements"):
        ternary_codes(code, (130, 11))


def test_files_that_are_none_are_said(tmp_path, monkeypatch):
    model, path = saved(tmp_path, keras.layers.LSTM(UNITS), "keras")
    model.save(tmp_path / "old.h5")
    (tmp_path / "torn.keras").write_bytes(path.read_bytes()[:400])
    (tmp_path / "torn.h5").write_bytes(b"12345678")
    for name, said in (("old.h5", "the older form of Keras; save it again by Keras 3"), ("torn.keras", "this is not a .keras file of Keras 3"),
                       ("torn.h5", "it cannot be read as HDF5")):
        with pytest.raises(Refused, match=f"{name}: .*{said}"):
            read_weights(tmp_path / name)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(Refused, match="needs the Python package h5py: pip install h5py"):
        read_weights(path)


def test_a_run_begins_with_it(tmp_path, capsys):
    """The mapping is shown, written, and taken by --init."""
    text = running.small_text(tmp_path / "small.txt")
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": "streams"}), "embedding": ("embedding", {"width": WIDTH}),
             "cell": ("grumml", {"units": UNITS}), "gru": ("gru", {"units": UNITS}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> cell.x", "cell.y -> gru.x", "gru.y -> head.x", "text.targets -> head.targets"]
    file = running.write_document(tmp_path / "mml.unroll", text, nodes=nodes, wires=wires)
    model = keras.Sequential([keras.Input((None, WIDTH)), mml.GRUMML(UNITS, return_sequences=True), keras.layers.GRU(UNITS, return_sequences=True), keras.layers.Dense(3)])
    drawn(model)
    model.save(tmp_path / "m.keras")
    words = [str(tmp_path / "m.keras"), str(file), "--node", "cell", "--node", "gru", "--out", str(tmp_path / "ours.safetensors")]
    assert command.main(words) == 0
    said = capsys.readouterr().out
    assert "cell (grumml) from keras_mml.GRUMML:" in said and "cell.weight_fc 12x5  <-  layers.grumml.cell._kernel.vars.kernel_encoded, unpacked, transposed" in said
    assert "gru.weight_hh_l0 18x6  <-  layers.gru.cell.vars.1, transposed, z r n to r z n" in said and "convention reset_after" in said
    assert "not taken: layers.dense.vars.0, layers.dense.vars.1" in said
    running.run("train", file, "--init", tmp_path / "ours.safetensors", "--quiet", "--set", "training.optimizer=sgd", "--set", "training.learning_rate=0.000001",
                "--set", "training.final_learning_rate=0.000001", "--set", "training.steps=2", "--run", tmp_path / "run", code=0)
    newest = max((tmp_path / "run" / "checkpoints").glob("step-*"), key=lambda path: int(path.name[5:]))
    ours, made = load_file(newest / "weights.safetensors"), load_file(tmp_path / "ours.safetensors")
    assert len(made) == 11 and all(torch.allclose(ours[name], made[name], rtol=0, atol=1e-4) for name in made)

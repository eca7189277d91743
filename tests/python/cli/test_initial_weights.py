# SPDX-License-Identifier: GPL-3.0-or-later
"""unroll-cli train --init."""
import numpy
import pytest
import torch
from running import losses, run, write_document
from safetensors.numpy import load_file, save_file


def test_initial_weights(small, trained, tmp_path):
    whole = trained / "checkpoints" / "step-40" / "weights.safetensors"
    ended = run("train", small, "--steps", "1", "--json", "--init", whole, "--run", tmp_path / "a", code=0)
    trained_loss = losses(trained)
    assert ended.losses[1] < trained_loss[1] - 0.1 and "7 loaded" in ended.err


def test_initial_weights_are_reported(small, trained, tmp_path):
    weights = load_file(trained / "checkpoints" / "step-40" / "weights.safetensors")
    weights["lstm.bias_ih_l0"] = numpy.zeros(3, dtype=numpy.float32)
    weights["extra.weight"] = weights.pop("head.bias")
    save_file(weights, tmp_path / "some.safetensors")
    ended = run("train", small, "--steps", "1", "--init", tmp_path / "some.safetensors", "--run", tmp_path / "b", code=0)
    for words in ("lstm.bias_ih_l0: [3] in the file, [44] in the model", "head.bias", "extra.weight", "5 loaded"):
        assert words in ended.err
    log = (tmp_path / "b" / "log.txt").read_text()
    assert "5 loaded" in log and "lstm.bias_ih_l0: [3]" in log


def test_initial_weights_of_other_types(small, trained, tmp_path):
    """Half precision is read; a type that nobody reads is not a fault of a tensor that the model does not name."""
    weights = load_file(trained / "checkpoints" / "step-40" / "weights.safetensors")
    halves = {name: tensor.astype(numpy.float16) for name, tensor in weights.items()}
    halves["extra.scale"] = numpy.zeros(3, dtype=numpy.uint32)
    save_file(halves, tmp_path / "half.safetensors")
    ended = run("train", small, "--steps", "1", "--json", "--init", tmp_path / "half.safetensors", "--run", tmp_path / "a", code=0)
    assert "7 loaded" in ended.err and "extra.scale" in ended.err and ended.losses[1] < losses(trained)[1] - 0.1
    halves["head.bias"] = numpy.zeros(halves["head.bias"].shape, dtype=numpy.uint32)
    save_file(halves, tmp_path / "odd.safetensors")
    ended = run("train", small, "--steps", "1", "--init", tmp_path / "odd.safetensors", "--run", tmp_path / "b", code=1)
    assert "head.bias (U32)" in ended.err and "with unknown scale" in ended.err and not (tmp_path / "b").exists()


def test_initial_weights_that_cannot_be_read(small, tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
    (tmp_path / "cut.safetensors").write_bytes(b"\x08\x00")
    ended = run("train", small, "--init", tmp_path / "cut.safetensors", "--run", tmp_path / "a", code=1)
    assert "cut.safetensors" in ended.err
    assert run("train", small, "--init", tmp_path / "none", "--run", tmp_path / "b", code=1).err
    # a file of no tensors.
    ended = run("train", small, "--init", tmp_path / "bad.safetensors", "--run", tmp_path / "c", code=1)
    assert "bad.safetensors" in ended.err and "none of the 7 weights" in ended.err and not (tmp_path / "c").exists()


@pytest.mark.parametrize("bias, bidirectional", ((True, False), (True, True), (False, True)))
@pytest.mark.parametrize("block", ("RNN", "LSTM", "GRU"))
def test_weights_of_torch_nn_go_in_and_come_out_exactly(block, bias, bidirectional, tmp_path, text):
    """A state dict under the node's name is what --init reads, and what a run saves. Frozen, so that nothing moves."""
    kept = {"num_layers": 2, "bias": bias, "bidirectional": bidirectional}
    module, name = getattr(torch.nn, block)(12, 11, **kept), block.lower()
    save_file({f"{name}.{key}": value.numpy() for key, value in module.state_dict().items()}, tmp_path / "torch.safetensors")
    nodes = {"bits": ("parity", {"longest": 16}), "embedding": ("embedding", {"width": 12}),
             name: (name, {"units": 11, "learning_rate_scale": 0.0, **kept}), "head": ("head", {})}
    wires = ["bits.tokens -> embedding.tokens", f"embedding.y -> {name}.x", f"{name}.y -> head.x", "bits.targets -> head.targets"]
    path = write_document(tmp_path / "deep.unroll", text, nodes=nodes, wires=wires)
    ended = run("train", path, "--steps", "2", "--init", tmp_path / "torch.safetensors", "--run", tmp_path / "run", code=0)
    assert f"{len(module.state_dict())} loaded" in ended.err
    saved = load_file(next((tmp_path / "run" / "checkpoints").glob("*/weights.safetensors")))
    again = type(module)(12, 11, **kept)
    ours = {key.removeprefix(name + "."): torch.from_numpy(value) for key, value in saved.items() if key.startswith(name + ".")}
    again.load_state_dict(ours, strict=True)
    assert all(torch.equal(a, b) for a, b in zip(again.state_dict().values(), module.state_dict().values()))

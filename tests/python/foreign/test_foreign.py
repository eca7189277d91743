# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of other packages' modules in our blocks: the same outputs, by the mapping that each block states."""

import json
import pathlib
import re
import sys
import warnings

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
for place in ("app/python", "tests/python/cli", "tests/python/blocks"):
    sys.path.insert(0, str(ROOT / place))

import running  # noqa: E402
from block_dumps import reference_module  # noqa: E402
from safetensors import safe_open  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from unroll_weights import Refused, mapped, read_weights  # noqa: E402
from unroll_weights import __main__ as command  # noqa: E402

STEPS, BATCH, WIDTH, UNITS = 7, 3, 5, 6
TORCHS = {"lstm": (torch.nn.LSTM, "LSTM"), "gru": (torch.nn.GRU, "GRU"), "rnn": (torch.nn.RNN, "RNN")}


def inputs(width=WIDTH):
    torch.manual_seed(2)
    return torch.randn(STEPS, BATCH, width, dtype=torch.float64)


@pytest.mark.parametrize("bias", (True, False))
@pytest.mark.parametrize("layers, both", ((1, False), (2, True)))
@pytest.mark.parametrize("block", TORCHS)
def test_modules_of_torch(block, layers, both, bias, tmp_path):
    theirs, ours = TORCHS[block]
    torch.manual_seed(1)
    module = theirs(WIDTH, UNITS, layers, bias=bias, bidirectional=both).double()
    torch.save({"epoch": 3, "state_dict": {f"encoder.rnn.{n}": t for n, t in module.state_dict().items()} | {"head.weight": torch.zeros(2, 2)}},
               tmp_path / "w.pt")
    taken = mapped(block, read_weights(tmp_path / "w.pt"))
    cell = getattr(reference_module(block), ours)(WIDTH, units=UNITS, num_layers=layers, bidirectional=both, bias=bias).double()
    cell.load_state_dict(taken.weights)
    torch.testing.assert_close(cell(inputs())[0], module(inputs())[0], rtol=1e-12, atol=1e-12)
    assert taken.form == ("convention reset_after" if block == "gru" else "")


@pytest.mark.parametrize("both", (False, True))
@pytest.mark.parametrize("options, ours", (({}, {}), ({"projection_size": 2}, {"projection_size": 2}), ({"layer_norm": True}, {"layer_norm": True})))
def test_layers_of_sru(options, ours, both, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sru = pytest.importorskip("sru", exc_type=ModuleNotFoundError)
        module = sru.SRU(WIDTH, UNITS, num_layers=2, bidirectional=both, **options).double()
        for layer in module.rnn_lst:
            layer.scale_x = layer.scale_x.double()
        save_file({n: t.contiguous() for n, t in module.state_dict().items()}, tmp_path / "w.safetensors")
        want, _ = module(inputs())
    weights, y = read_weights(tmp_path / "w.safetensors"), inputs()
    for layer in (0, 1):
        taken = mapped("sru", weights, {"bidirectional": both}, f"rnn_lst.{layer}")
        cell = reference_module("sru").SRU(y.shape[-1], units=UNITS, bidirectional=both, **ours).double()
        cell.load_state_dict({n: t.double() for n, t in taken.weights.items()})
        y, _ = cell(y)
        assert any("transposed" in done for _, _, _, done in taken.lines)
    torch.testing.assert_close(y, want, rtol=1e-9, atol=1e-9)
    with pytest.raises(Refused, match="several: 'rnn_lst.0.', 'rnn_lst.1.'; name one: NODE=PREFIX"):
        mapped("sru", weights)


def test_mru_lm():
    with safe_open(ROOT / "tests/python/blocks/originals/mru_lm.safetensors", "pt") as file:
        facts = json.loads(file.metadata()["cases"])[0]
        tensors = {n[2:]: file.get_tensor(n) for n in file.keys() if n.startswith("0.")}
    weights = {n.removeprefix("weight."): t for n, t in tensors.items() if n.startswith("weight.")}
    taken = mapped("mru", {f"layers.3.{n}": t for n, t in weights.items()}, {"num_heads": facts["heads"]})
    cell = reference_module("mru").MRU(facts["width"], units=facts["width"], num_heads=facts["heads"], matrix_size=facts["order"]).double()
    cell.load_state_dict(taken.weights)
    torch.testing.assert_close(cell(tensors["in.x"].unsqueeze(1))[0].squeeze(1), tensors["out.y"], rtol=1e-9, atol=1e-9)
    with pytest.raises(Refused, match="these are of the maker ldu, and the node has maker = cayley"):
        mapped("mru", weights, {"maker": "cayley"})


def test_what_cannot_be_taken_is_said(tmp_path):
    torch.save(torch.nn.GRU(2, 3), tmp_path / "module.pt")
    with pytest.raises(Refused, match="contains more than weights, which is not executed; save the state_dict"):
        read_weights(tmp_path / "module.pt")
    torch.save({"epoch": 1}, tmp_path / "empty.pt")
    with pytest.raises(Refused, match="no state_dict was found in it"):
        read_weights(tmp_path / "empty.pt")
    (tmp_path / "torn.safetensors").write_bytes(b"12345678")
    (tmp_path / "torn.pt").write_bytes(b"12345678")
    for name in ("torn.safetensors", "torn.pt", "none.pt"):
        with pytest.raises(Refused, match=name):
            read_weights(tmp_path / name)
    with pytest.raises(Refused, match="expected 3 times as many rows as columns: this is no GRU"):
        mapped("gru", torch.nn.LSTM(2, 3).state_dict())
    with pytest.raises(Refused, match="of torch.nn.GRU the file has none"):
        mapped("gru", {"x": torch.zeros(2)})
    with pytest.raises(Refused, match="projects its states"):
        mapped("lstm", torch.nn.LSTM(2, 4, proj_size=3).state_dict())
    with pytest.raises(Refused, match="the block mingru states no mapping; these do: attention, bce, causal_conv, dense_mml, embedding, "):
        mapped("mingru", {})


@pytest.mark.parametrize("damage, words", [
    (lambda w: w.to(torch.complex64), "weight_hh_l0 has numbers of type complex64; weights are floating-point numbers"),
    (lambda w: w.to(torch.int64), "weight_hh_l0 has numbers of type int64"),
    (lambda w: w.index_fill(0, torch.tensor([2]), float("nan")), "weight_hh_l0 has 3 of 27 values that are NaN or infinite"),
    (lambda w: w.double() * 1e300 * 1e300, "values that are NaN or infinite"),
])
def test_numbers_that_are_no_weights_are_said(damage, words):
    weights = torch.nn.GRU(2, 3).state_dict()
    mapped("gru", dict(weights) | {"weight_hh_l0": weights["weight_hh_l0"].half()})
    with pytest.raises(Refused, match=words):
        mapped("gru", dict(weights) | {"weight_hh_l0": damage(weights["weight_hh_l0"])})


def test_a_node_of_another_shape_is_said():
    whole = lambda block, module, **params: mapped(block, module.state_dict(), params, whole=True)
    whole("lstm", torch.nn.LSTM(2, 4), units=4)
    for module, params, said in (
        (torch.nn.LSTM(2, 4), {}, "the LSTM has units 4, and the node has units = 128"),
        (torch.nn.LSTM(2, 4, 2), {"units": 4}, "the LSTM has num_layers 2, and the node has num_layers = 1"),
        (torch.nn.LSTM(2, 4), {"units": 4, "bidirectional": True}, "the LSTM has bidirectional false, and the node has bidirectional = true"),
        (torch.nn.LSTM(2, 4, bias=False), {"units": 4}, "the LSTM has bias false, and the node has bias = true"),
    ):
        with pytest.raises(Refused, match=said):
            whole("lstm", module, **params)
    torn = torch.nn.GRU(2, 4, 2).state_dict()
    del torn["weight_hh_l0"], torn["bias_ih_l1"]
    with pytest.raises(Refused, match="weight_hh_l0, bias_ih_l1 missing: this is not a whole GRU"):
        mapped("gru", torn)
    torn = torch.nn.GRU(2, 4).state_dict() | {"bias_ih_l0": torch.zeros(11)}
    with pytest.raises(Refused, match=r"bias_ih_l0 is \[11\], expected 12 rows: 3 x units 4"):
        mapped("gru", torn)
    with pytest.raises(Refused, match="the block grumml takes weights of keras_mml.GRUMML, and the file is of PyTorch"):
        mapped("grumml", torn)


@pytest.fixture
def gru_experiment(tmp_path):
    text = running.small_text(tmp_path / "small.txt")
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": "streams"}), "embedding": ("embedding", {"width": 12}),
             "gru": ("gru", {"units": 11}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> gru.x", "gru.y -> head.x", "text.targets -> head.targets"]
    return running.write_document(tmp_path / "gru.unroll", text, nodes=nodes, wires=wires)


def test_the_mapping_is_shown_and_written(gru_experiment, tmp_path, capsys):
    module = torch.nn.GRU(12, 11)
    torch.save({f"rnn.{n}": t for n, t in module.state_dict().items()} | {"head.scale": torch.zeros(1)}, tmp_path / "w.pt")
    words = [str(tmp_path / "w.pt"), str(gru_experiment), "--node", "gru"]
    assert command.main(words) == 0
    said = capsys.readouterr().out
    assert "gru (gru) from torch.nn.GRU:" in said and "gru.weight_ih_l0 33x12  <-  rnn.weight_ih_l0" in said and "not taken: head.scale" in said
    assert command.main([*words, "--out", str(tmp_path / "ours.safetensors")]) == 0
    made = load_file(tmp_path / "ours.safetensors")
    assert torch.equal(made["gru.weight_hh_l0"], module.weight_hh_l0) and len(made) == 4
    torch.save({f"{name}.{n}": t for name in ("a", "b") for n, t in module.state_dict().items()}, tmp_path / "two.pt")
    assert command.main([str(tmp_path / "two.pt"), words[1], "--node", "gru"]) == 1
    assert "of torch.nn.GRU the file has several: 'a.', 'b.'; name one: NODE=PREFIX" in capsys.readouterr().err
    assert command.main([str(tmp_path / "two.pt"), words[1], "--node", "gru=b"]) == 0
    assert "not taken: a.weight_ih_l0" in capsys.readouterr().out
    assert command.main([words[0], words[1], "--node", "lstm"]) == 1
    assert "there is no node lstm; nodes: text, embedding, gru, head" in capsys.readouterr().err


def test_the_same_as_json(gru_experiment, tmp_path):
    """What the studio's dialog reads."""
    torch.save({f"rnn.{n}": t for n, t in torch.nn.GRU(12, 11).state_dict().items()} | {"odd": torch.zeros(1)}, tmp_path / "w.pt")
    words = ("import", tmp_path / "w.pt", gru_experiment, "--all", "--node", "gru=rnn", "--json")
    node, end = running.run(*words, code=0, UNROLL_PYTHON=sys.executable).lines
    assert node | {"weights": node["weights"][:1]} == {
        "kind": "node", "node": "gru", "block": "gru", "source": "torch.nn.GRU", "form": "convention reset_after", "notes": [],
        "weights": [{"name": "gru.weight_ih_l0", "shape": [33, 12], "from": "rnn.weight_ih_l0", "done": ""}]}
    assert len(node["weights"]) == 4
    assert end == {"kind": "end", "tensors": 4, "left": ["embedding (embedding)", "head (head)"], "unused": ["odd"], "out": ""}
    out = tmp_path / "ours.safetensors"
    assert running.run(*words, "--out", out, code=0, UNROLL_PYTHON=sys.executable).lines[1]["out"] == str(out) and len(load_file(out)) == 4
    ended = running.run(*words, "--node", "lstm", code=1, UNROLL_PYTHON=sys.executable)
    assert "there is no node lstm" in ended.lines[-1]["failure"] and f"error: {ended.lines[-1]['failure']}" in ended.err


def test_the_file_that_is_read_is_not_written(gru_experiment, tmp_path, capsys):
    save_file(torch.nn.GRU(12, 11).state_dict(), tmp_path / "w.safetensors")
    before = (tmp_path / "w.safetensors").read_bytes()
    assert command.main([str(tmp_path / "w.safetensors"), str(gru_experiment), "--node", "gru", "--out", str(tmp_path / "w.safetensors")]) == 1
    assert "it is the file that the weights are read from" in capsys.readouterr().err and (tmp_path / "w.safetensors").read_bytes() == before
    assert command.main([str(tmp_path / "w.safetensors"), str(gru_experiment), "--node", "gru", "--out", str(tmp_path / "none" / "w.safetensors")]) == 1
    assert "it cannot be written" in capsys.readouterr().err


def test_a_run_begins_with_it(gru_experiment, tmp_path, capsys):
    """The file goes into --init, which refuses another convention by its name."""
    module = torch.nn.GRU(12, 11)
    torch.save(module.state_dict(), tmp_path / "w.pt")
    command.main([str(tmp_path / "w.pt"), str(gru_experiment), "--node", "gru", "--out", str(tmp_path / "ours.safetensors")])
    begin = ["train", gru_experiment, "--init", tmp_path / "ours.safetensors", "--quiet", "--set", "training.optimizer=sgd", "--set",
             "training.learning_rate=0.000001", "--set", "training.final_learning_rate=0.000001", "--set", "training.steps=2"]
    running.run(*begin, "--run", tmp_path / "run", code=0)
    newest = max((tmp_path / "run" / "checkpoints").glob("step-*"), key=lambda path: int(path.name[5:]))
    torch.testing.assert_close(load_file(newest / "weights.safetensors")["gru.weight_hh_l0"], module.weight_hh_l0.detach(), rtol=0, atol=1e-4)
    other = running.run(*begin, "--run", tmp_path / "other", "--set", "gru.convention=reset_before")
    assert re.search("convention reset_after in the file, convention reset_before in the model", other.err), other.err


def test_sizes_are_compared_with_the_node(gru_experiment, tmp_path):
    torch.save(torch.nn.GRU(13, 11).state_dict(), tmp_path / "w.pt")
    words = ("import", tmp_path / "w.pt", gru_experiment, "--node", "gru", "--out", tmp_path / "ours.safetensors")
    ended = running.run(*words, code=1, UNROLL_PYTHON=sys.executable)
    assert "error: gru.weight_ih_l0 is 33x12, and weight_ih_l0 gives 33x13" in ended.err and not (tmp_path / "ours.safetensors").exists()
    experiment = json.loads(gru_experiment.read_text())
    experiment["graph"]["nodes"][0]["params"]["file"] = "none.txt"
    gru_experiment.write_text(json.dumps(experiment))
    assert "gru.weight_ih_l0 is 33x12" in running.run(*words, code=1, UNROLL_PYTHON=sys.executable).err, "widths are known without the data"
    experiment["graph"]["wires"].remove("embedding.y -> gru.x")
    gru_experiment.write_text(json.dumps(experiment))
    assert "note: sizes are not compared, since the experiment has errors" in running.run(*words, code=0, UNROLL_PYTHON=sys.executable).out


def test_copies_in_a_group_have_names_of_their_own(tmp_path):
    text = running.small_text(tmp_path / "small.txt")
    for shared, node in ((False, "body.2.lstm"), (True, "body.lstm")):
        file = running.write_group(tmp_path / "group.unroll", text, shared=shared)
        torch.save(torch.nn.LSTM(12, 12).state_dict(), tmp_path / "w.pt")
        out = tmp_path / f"{node}.safetensors"
        running.run("import", tmp_path / "w.pt", file, "--node", node, "--out", out, code=0, UNROLL_PYTHON=sys.executable)
        said = running.run("train", file, "--init", out, "--steps", "1", "--run", tmp_path / node, code=0).err
        assert "4 loaded" in said and "0 not in the model, 0 that do not match" in said, said
    learned = running.run("import", tmp_path / "w.pt", file, "--node", "body.lstm", code=0, UNROLL_PYTHON=sys.executable).out
    assert "note:" not in learned


def test_the_command_line_has_it(gru_experiment, tmp_path):
    torch.save(torch.nn.GRU(12, 11).state_dict(), tmp_path / "w.pt")
    said = running.run("import", tmp_path / "w.pt", gru_experiment, "--node", "gru", code=0, UNROLL_PYTHON=sys.executable).out
    assert "gru.weight_ih_l0 33x12  <-  weight_ih_l0" in said

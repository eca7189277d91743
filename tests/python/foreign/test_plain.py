# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn's embeddings, linear layers, norms, convolutions and attention in our blocks, and a whole model of them by one command."""

import importlib.util
import json
import pathlib
import sys

import pytest
import torch
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[3]
for place in ("app/python", "tests/python/cli", "tests/python/blocks"):
    sys.path.insert(0, str(ROOT / place))

import running  # noqa: E402
from block_dumps import reference_module  # noqa: E402
from unroll_weights import Refused, mapped  # noqa: E402
from unroll_weights import __main__ as command  # noqa: E402

STEPS, BATCH, WIDTH, OUT = 9, 3, 6, 4


def inputs():
    torch.manual_seed(2)
    return torch.randn(STEPS, BATCH, WIDTH, dtype=torch.float64)


def ours(block, name, module, params=None, **options):
    """Our class with the weights of theirs, drawn anew so that no norm has ones."""
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.randn_like(weight))
    taken = mapped(block, {f"part.{n}": t for n, t in module.state_dict().items()} | {"other.scale": torch.zeros(3)}, params)
    made = getattr(reference_module(block), name)(**options).double()
    made.load_state_dict(taken.weights)
    return made, taken


@pytest.mark.parametrize("bias", (True, False))
def test_linear_layers_and_norms(bias):
    x = inputs()
    linear = nn.Linear(WIDTH, OUT, bias=bias).double()
    module, _ = ours("linear", "Linear", linear, input_size=WIDTH, width=OUT, bias=bias)
    assert torch.equal(module(x), linear(x))
    for block, name, size in (("head", "Head", "classes"), ("mse", "MseHead", "output_size"), ("bce", "BceHead", "output_size")):
        module, taken = ours(block, name, linear, input_size=WIDTH, bias=bias, **{size: OUT})
        assert torch.equal(module(x)[1], linear(x)) and bool(taken.notes) == (block == "head")
    norm = nn.LayerNorm(WIDTH, bias=bias).double()
    module, taken = ours("layer_norm", "LayerNorm", norm, input_size=WIDTH, bias=bias)
    torch.testing.assert_close(module(x), norm(x), rtol=1e-12, atol=1e-12)
    assert "the node's epsilon is used" in taken.notes[0]


def test_rms_norm_and_embedding():
    norm = nn.RMSNorm(WIDTH, eps=1e-6).double()
    torch.testing.assert_close(ours("rms_norm", "RMSNorm", norm, input_size=WIDTH)[0](inputs()), norm(inputs()), rtol=1e-12, atol=1e-12)
    table = nn.Embedding(7, WIDTH).double()
    module, taken = ours("embedding", "Embedding", table, classes=7, width=WIDTH)
    tokens = torch.arange(7).view(7, 1)
    assert torch.equal(module(tokens), table(tokens)) and "the file does not say which class that is" in taken.notes[0]


@pytest.mark.parametrize("depthwise", (False, True))
@pytest.mark.parametrize("kernel, dilation, bias", ((1, 1, True), (3, 1, True), (4, 2, False)))
def test_convolutions(kernel, dilation, bias, depthwise):
    width = WIDTH if depthwise else OUT
    conv = nn.Conv1d(WIDTH, width, kernel, dilation=dilation, bias=bias, groups=WIDTH if depthwise else 1).double()
    options = {"input_size": WIDTH, "width": width, "kernel_size": kernel, "dilation": dilation, "bias": bias, "depthwise": depthwise}
    module, _ = ours("causal_conv", "CausalConv", conv, **options)
    want = conv(nn.functional.pad(inputs().permute(1, 2, 0), ((kernel - 1) * dilation, 0))).permute(2, 0, 1)
    torch.testing.assert_close(module(inputs())[0], want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bias", (True, False))
def test_attention(bias):
    theirs = nn.MultiheadAttention(WIDTH, 2, bias=bias).double()
    module, _ = ours("attention", "Attention", theirs, input_size=WIDTH, num_heads=2, positions="none", bias=bias)
    later = torch.ones(STEPS, STEPS, dtype=torch.bool).triu(1)
    want, _ = theirs(inputs(), inputs(), inputs(), attn_mask=later, need_weights=False)
    torch.testing.assert_close(module(inputs())[0], want, rtol=1e-12, atol=1e-12)


def test_what_does_not_fit_is_said():
    for block, module, params, said in (
        ("linear", nn.Linear(2, 3), {"width": 4}, "the Linear has width 3, and the node has width = 4"),
        ("linear", nn.Linear(2, 3, bias=False), {"width": 3}, "the Linear has bias false, and the node has bias = true"),
        ("head", nn.Linear(2, 3), {"readout": "tied"}, "a Linear is the readout linear, and the node has readout = tied"),
        ("embedding", nn.Embedding(2, 3), {"width": 4}, "the Embedding has width 3, and the node has width = 4"),
        ("layer_norm", nn.LayerNorm(3, bias=False), {}, "the LayerNorm has bias false, and the node has bias = true"),
        ("rms_norm", nn.RMSNorm(3), {"gain": False}, "the RMSNorm has gain true, and the node has gain = false"),
        ("causal_conv", nn.Conv1d(2, 3, 5), {"width": 3}, "the Conv1d has kernel_size 5, and the node has kernel_size = 4"),
        ("causal_conv", nn.Conv1d(2, 3, 4), {"width": 3, "depthwise": True}, "depthwise false, and the node has depthwise = true"),
        ("attention", nn.MultiheadAttention(4, 2), {}, "MultiheadAttention has positions none, and the node has positions = rope"),
        ("attention", nn.MultiheadAttention(4, 2, add_bias_kv=True), {"positions": "none"}, "has bias_k, bias_v"),
        ("layer_norm", nn.BatchNorm1d(3), {}, "of torch.nn.LayerNorm the file has none"),
        ("linear", nn.Conv1d(2, 3, 4), {}, "of torch.nn.Linear the file has none"),
        ("embedding", nn.Linear(2, 3), {}, "of torch.nn.Embedding the file has none"),
    ):
        with pytest.raises(Refused, match=said):
            mapped(block, module.state_dict(), params, whole=True)


class CharModel(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.embedding, self.rnn, self.norm, self.head = nn.Embedding(classes, 12), nn.LSTM(12, 10), nn.LayerNorm(10), nn.Linear(10, classes)

    def forward(self, tokens):
        return self.head(self.norm(self.rnn(self.embedding(tokens))[0]))


@pytest.fixture
def whole(tmp_path):
    """An experiment, and a model of PyTorch with the same parts, of which one has another name."""
    text = running.small_text(tmp_path / "small.txt")
    nodes = {"text": ("text", {"file": str(text), "steps": 16, "order": "streams"}), "embedding": ("embedding", {"width": 12}),
             "lstm": ("lstm", {"units": 10}), "norm": ("layer_norm", {}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> lstm.x", "lstm.y -> norm.x", "norm.y -> head.x", "text.targets -> head.targets"]
    file = running.write_document(tmp_path / "whole.unroll", text, nodes=nodes, wires=wires)
    torch.manual_seed(6)
    model = CharModel(len(set(text.read_text())))
    torch.save({"model": {f"model.{name}": tensor for name, tensor in model.state_dict().items()}}, tmp_path / "theirs.pt")
    return file, model


def exported_model(run, folder):
    running.run("export", run, "--format", "python", "--out", folder, code=0)
    spec = importlib.util.spec_from_file_location("exported_of_foreign", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load(str(folder))


def test_a_whole_model_comes_over_by_one_command(whole, tmp_path):
    """Its logits are those of the model in PyTorch."""
    file, model = whole
    words = ("import", tmp_path / "theirs.pt", file, "--all", "--node", "lstm=model.rnn", "--out", tmp_path / "ours.safetensors")
    said = running.run(*words, code=0, UNROLL_PYTHON=sys.executable).out
    for line in ("embedding (embedding) from torch.nn.Embedding:", "norm.weight 10  <-  model.norm.weight", "head (head) from torch.nn.Linear:"):
        assert line in said
    assert "not taken" not in said and "initial values" not in said
    still = [f"--set=training.{name}" for name in ("optimizer=sgd", "learning_rate=1e-9", "final_learning_rate=1e-9", "momentum=0")]
    trained = running.run("train", file, "--init", tmp_path / "ours.safetensors", "--steps", "1", "--run", tmp_path / "run", *still, code=0)
    told = trained.err + trained.out
    assert "9 loaded, 0 not in the file, 0 not in the model" in told, told
    tokens = torch.randint(len(model.embedding.weight), (30, 4))
    with torch.no_grad():
        _, logits, _ = exported_model(tmp_path / "run", tmp_path / "exported")(tokens)
        torch.testing.assert_close(logits, model(tokens), rtol=1e-5, atol=1e-5)


def test_what_all_leaves_is_told(whole, tmp_path, capsys):
    file, _ = whole
    said = running.run("import", tmp_path / "theirs.pt", file, "--all", code=0, UNROLL_PYTHON=sys.executable).out
    assert "left at their initial values, since the file has nothing behind their names: lstm (lstm)" in said
    assert "not taken: model.rnn.weight_ih_l0, " in said
    torch.save({"a.scale": torch.zeros(2)}, tmp_path / "none.pt")
    assert command.main([str(tmp_path / "none.pt"), str(file), "--all"]) == 1
    assert "no weights of the file stand behind the name of a node" in capsys.readouterr().err
    torch.save({f"{name}.norm.weight": torch.ones(10) for name in ("a", "b")}, tmp_path / "two.pt")
    assert command.main([str(tmp_path / "two.pt"), str(file), "--all"]) == 1
    assert "norm may be 'a.norm' or 'b.norm'; name one as norm=PREFIX" in capsys.readouterr().err
    assert command.main([str(tmp_path / "two.pt"), str(file)]) == 1
    assert "which nodes take weights?" in capsys.readouterr().err


def test_copies_of_a_group_count_from_1_and_module_lists_from_0(tmp_path, capsys):
    text = running.small_text(tmp_path / "small.txt")
    file = running.write_group(tmp_path / "group.unroll", text)
    weights = {f"body.{copy}.lstm.{name}": tensor for copy in range(3) for name, tensor in nn.LSTM(12, 12).state_dict().items()}
    torch.save(weights | {"norm.weight": torch.ones(12), "norm.bias": torch.zeros(12)}, tmp_path / "w.pt")
    sizes = {f"body.{copy}.{part}": shape for copy in (1, 2, 3) for part, shape in (("lstm.weight_hh_l0", [48, 12]), ("norm.weight", [12]))}
    assert command.main([str(tmp_path / "w.pt"), str(file), "--all", "--sizes", json.dumps(sizes | {f"body.{c}.lstm.{n}": list(weights[f"body.0.lstm.{n}"].shape)
                         for c in (1, 2, 3) for n in ("weight_ih_l0", "bias_ih_l0", "bias_hh_l0")})]) == 0
    said = capsys.readouterr().out
    assert "body.1.lstm.weight_hh_l0 48x12  <-  body.0.lstm.weight_hh_l0" in said and "body.3.lstm.weight_hh_l0 48x12  <-  body.2.lstm.weight_hh_l0" in said
    assert "body.1.norm (layer_norm), body.2.norm (layer_norm), body.3.norm (layer_norm)" in said and "not taken: norm.weight, norm.bias" in said

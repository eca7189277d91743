# SPDX-License-Identifier: GPL-3.0-or-later
"""model.py: it verifies itself, gives our numbers, trains, samples, and stands alone."""

import ast
import json
import re
import shutil

import numpy
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from conftest import QUICK, Exported, fails_to_prove_itself, proves_itself, refuses_nothing_given
from running import document, gallery, run, small_text, write_document


def every_format_has_the_weights(exported, folder):
    proves_itself(exported)
    module = exported.module()
    ours = safetensors.torch.load_file(exported.weights)
    theirs = module.load().state_dict()
    assert {name: tuple(weight.shape) for name, weight in theirs.items()} == {name: tuple(weight.shape) for name, weight in ours.items()}
    assert all(torch.equal(theirs[name], ours[name]) for name in ours)
    assert sum(weight.numel() for weight in theirs.values()) == exported.told["parameters"]
    for form, load in (("safetensors", safetensors.numpy.load_file), ("npz", numpy.load)):
        run("export", exported.run, "--format", form, "--out", folder / form, code=0)
        read = load(folder / form)
        assert set(read) == set(ours) and all(numpy.array_equal(read[name], ours[name].numpy()) for name in ours)


@pytest.mark.parametrize("name", gallery("adding-pool", "char-ternary", "parity-mru", "recall-attention", "vectors-lru"))
def test_gallery(name, tmp_path):
    every_format_has_the_weights(Exported(tmp_path, name, *QUICK), tmp_path)


@pytest.mark.parametrize("every_other", [0, 1])
def test_every_recurrent_block(every_other, tmp_path, text):
    """One after another in two models: in one so deep, roundings of fp32 grow to the bound."""
    chain = [line["name"] for line in run("list", "--json", code=0).lines if line.get("category") in ("Recurrent", "Attention")]
    assert {"rnn", "gru", "lstm", "grumml", "lru", "lrumml", "mru", "sru", "srupp", "qrnn", "mingru", "min_lstm", "rg_lru", "s5", "s4d", "mamba", "janet", "slstm", "attention",
            "ind_rnn", "hgrn", "hgrn2", "retnet", "mlstm", "cfc", "delta_net", "gated_delta_net", "delta_product", "rwkv7"} <= set(chain)
    nodes = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 12}), "head": ("head", {})}
    # As wide as what they read.
    chain = chain[every_other::2]
    own = {"attention": {"num_heads": 2}, "delay": {}, "rg_lru": {"num_heads": 3}, "s5": {"state_size": 5}, "s4d": {"state_size": 3}, "mamba": {"state_size": 4}, "mamba2": {"state_size": 4, "head_size": 8},
           "retnet": {"units": 12, "num_heads": 3}, "rwkv7": {"head_size": 4}}
    nodes |= {block: (block, own.get(block, {"units": 12})) for block in chain}
    order = ["embedding", *chain, "head"]
    wires = ["text.tokens -> embedding.tokens", "text.targets -> head.targets"] + [f"{a}.y -> {b}.x" for a, b in zip(order, order[1:])]
    every_format_has_the_weights(Exported(tmp_path, write_document(tmp_path / "all.unroll", text, nodes=nodes, wires=wires), *QUICK), tmp_path)


def test_it_stands_alone(small_export, tmp_path):
    """Nothing but torch and the standard library is imported, and the folder can be moved."""
    tree = ast.parse((small_export.folder / "model.py").read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"argparse", "json", "math", "os", "sys", "torch", "torch.nn.functional", "torch.overrides"} or \
        imported == {"argparse", "json", "math", "os", "sys", "torch", "torch.nn.functional"}
    ended = Exported.copied(shutil.copytree(small_export.folder, tmp_path / "moved here")).start("--verify")
    assert ended.returncode == 0 and ended.stdout.count("ok") == 2, ended.stdout + ended.stderr


def test_it_reads_well(small_export):
    text = (small_export.folder / "model.py").read_text()
    assert max(map(len, text.splitlines())) <= 140
    assert "SPDX" not in text and "\t" not in text and "\n\n\n\n" not in text and text.endswith("\n")
    assert text.count("class LSTM(") == text.count("import torch\n") == 1
    assert "lstm, new_states['lstm'] = self.lstm(embedding, states.get('lstm'))" in text


def test_readme(small_export):
    text = (small_export.folder / "README.txt").read_text()
    assert "python model.py --verify" in text and "final/loss" in text and "torch 2.11" in text


@pytest.mark.parametrize("harm", ["weights", "golden", "code"])
def test_verify_notices_harm(small_export, tmp_path, harm):
    folder = shutil.copytree(small_export.folder, tmp_path / "copy")
    if harm == "code":
        source = (folder / "model.py").read_text()
        (folder / "model.py").write_text(source.replace("self.sigma(f) * c", "self.sigma(f) * c * 1.0001"))
    else:
        tensors = safetensors.torch.load_file(folder / f"{harm}.safetensors")
        name = "lstm.weight_hh_l0" if harm == "weights" else "fp64.1.logits"
        tensors[name].view(-1)[3] *= 1.001
        safetensors.torch.save_file(tensors, folder / f"{harm}.safetensors")
    assert fails_to_prove_itself(Exported.copied(folder))


@pytest.fixture(scope="module")
def rounded_export(tmp_path_factory, text):
    """Four ternary layers in a row: what the first rounds the other way, the others would amplify."""
    folder = tmp_path_factory.mktemp("rounded")
    nodes = {"text": ("text", {"file": str(text), "steps": 48}), "embedding": ("embedding", {"width": 60}), "head": ("head", {})}
    nodes |= {f"g{i}": ("grumml", {"units": 60, "fully_mml": i % 2 == 0, "scales": "shared"}) for i in range(4)}
    chain = ["embedding", "g0", "g1", "g2", "g3", "head"]
    wires = ["text.tokens -> embedding.tokens", "text.targets -> head.targets"] + [f"{a}.y -> {b}.x" for a, b in zip(chain, chain[1:])]
    return Exported(folder, write_document(folder / "rounded.unroll", text, nodes=nodes, wires=wires), "--steps", "30", *QUICK[2:])


def test_rounded_models_have_the_same_bounds(rounded_export):
    assert "bound 1e-05: ok" in proves_itself(rounded_export)


@pytest.mark.parametrize("harm", ["weight", "golden"])
def test_verify_notices_a_weight_on_the_other_side_of_a_rounding(rounded_export, tmp_path, harm):
    copy = Exported.copied(shutil.copytree(rounded_export.folder, tmp_path / "copy"))
    file = copy.folder / ("weights.safetensors" if harm == "weight" else "golden.safetensors")
    tensors = safetensors.torch.load_file(file)
    if harm == "weight":
        weight = tensors["g3.weight_fc"]
        scale = weight.abs().mean()
        nearest = ((weight / scale).abs() - 0.5).abs().argmin()
        weight.view(-1)[nearest] = weight.view(-1)[nearest].sign() * scale * (0.501 if weight.view(-1)[nearest].abs() < scale / 2 else 0.499)
    else:
        tensors["fp32.0.logits"] *= 1.0001
    safetensors.torch.save_file(tensors, file)
    assert fails_to_prove_itself(copy)


def test_only_values_in_the_middle_are_rounded_as_in_the_golden_run(rounded_export):
    module = rounded_export.module()
    x = torch.tensor([[0.49999, 1.5, 2.4, -0.50001]])
    table = torch.tensor([[0, 0, 1], [0, 2, 3], [0, 3, 0], [1, 1, 7]])
    with module.Rounding(table, 1e-4) as rounding:
        first, second = torch.round(x), x.round()
    assert first.tolist() == [[1, 2, 2, 0]] and second.tolist() == [[0, 7, 2, -1]]
    assert rounding.turned == 3 and rounding.roundings == 2


def test_only_nearly_equal_scores_are_chosen_as_in_the_golden_run(rounded_export):
    module = rounded_export.module()
    x = torch.tensor([[[1.0, 0.99999], [2.0, 1.0]], [[0.5, 0.50001], [3.0, 3.0]]])  # four choices of two scores
    ties = torch.tensor([[0, 0, 1], [0, 1, 1], [1, 2, 0], [1, 3, 1]])
    none = torch.zeros(0, 3, dtype=torch.int64)
    with module.Rounding(none, 1e-4, ties) as rounding:
        first, second, whole = x.argmax(dim=-1), torch.argmax(x, -1, keepdim=True), x.gt(1).long().argmax(-1)
    assert first.tolist() == [[1, 0], [1, 0]] and second.squeeze(-1).tolist() == [[0, 0], [0, 1]]
    assert whole.tolist() == [[0, 0], [0, 0]] and rounding.choices == 2 and rounding.turned == 3


def test_verify_notices_nan(small_export, tmp_path):
    copy = Exported.copied(shutil.copytree(small_export.folder, tmp_path / "copy"))
    tensors = safetensors.torch.load_file(copy.folder / "weights.safetensors")
    tensors["head.bias"][0] = float("nan")
    safetensors.torch.save_file(tensors, copy.folder / "weights.safetensors")
    ended = copy.start("--verify")
    assert ended.returncode == 1 and "FAILED" in ended.stdout


def test_a_missing_weight_is_refused(small_export, tmp_path):
    module = small_export.module()
    tensors = safetensors.torch.load_file(small_export.folder / "weights.safetensors")
    del tensors["head.bias"]
    safetensors.torch.save_file(tensors, tmp_path / "weights.safetensors")
    with pytest.raises(RuntimeError, match="head.bias"):
        module.load(tmp_path)


def test_its_reader_equals_the_package(small_export):
    module = small_export.module()
    for name in ("weights", "golden"):
        path = small_export.folder / f"{name}.safetensors"
        ours, theirs = module.read_safetensors(path), safetensors.torch.load_file(path)
        assert ours.keys() == theirs.keys()
        assert all(ours[key].dtype == theirs[key].dtype and torch.equal(ours[key], theirs[key]) for key in ours)


def test_golden_inputs_are_worth_it(small_export):
    golden = safetensors.torch.load_file(small_export.folder / "golden.safetensors")
    assert golden["0.tokens"].shape == (16, 3) and golden["1.tokens"].shape == (9, 3)
    assert (golden["0.targets"] == -100).any() and (golden["0.targets"] >= 0).any()
    assert golden["fp64.1.logits"].dtype == torch.float64 and golden["fp32.1.logits"].dtype == torch.float32
    assert golden["fp64.1.state.lstm.1"].abs().max() > 0
    assert len(golden["0.tokens"].unique()) > 5


def test_states_go_on(small_export):
    model = small_export.module().load(dtype=torch.float64)
    tokens = torch.randint(11, (20, 4))
    with torch.no_grad():
        _, whole, final = model(tokens)
        _, first, states = model(tokens[:7])
        _, second, states = model(tokens[7:], states=states)
    assert torch.allclose(whole, torch.cat([first, second]), atol=1e-12)
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(final["lstm"], states["lstm"]))


def test_same_first_loss_as_ours(small_export, text):
    """model.py with the initial weights and our first batch gives our first loss."""
    module = small_export.module()
    assert module.ALPHABET == tuple(sorted(set(text.read_text())))
    assert module.decode(module.encode("abc def")) == "abc def"


def test_it_trains(small_export):
    module = small_export.module()
    torch.manual_seed(0)
    model = module.Model()
    text = "abcdefgh ." * 400
    losses = list(module.train(model, module.text_batches(text, 60, 16, 4)))
    assert len(losses) == 60 and losses[-1] < 0.5 * losses[0]


HELD = ["head.weights_l1=0.01", "head.weights_l2=0.02", "head.weights_constraint=max_norm", "head.max_norm=0.3", "head.bias_l2=0.5",
        "head.bias_constraint=unit_norm"]
WITHIN = ["head.weights_orthogonal=0.5", "head.weights_constraint=min_max_norm", "head.min_norm=0.5", "head.max_norm=0.6", "head.norm_rate=0.5",
          "head.weights_norm=columns", "head.bias_constraint=min_max_norm", "head.bias_max_norm=0.7"]


@pytest.mark.parametrize("rules", [[], HELD, WITHIN], ids=["plain", "regularised", "within"])
def test_it_trains_as_the_run_did(tmp_path, rules):
    """The run's losses come again from model.py, the run's first weights and its own batches, two an update."""
    file = small_text(tmp_path / "text.txt")
    # 6401 characters of training: 4 streams of 100 windows of 16, and nothing is left over.
    file.write_text(file.read_text()[:7113])
    path = write_document(tmp_path / "small.unroll", file, training={"accumulation": 2})
    settings = [word for rule in rules for word in ("--set", rule)]
    exported = Exported(tmp_path, path, "--steps", "6", "--set", "training.evaluate_whole=false", "--set", "training.sample_every=0", *settings)
    run("train", path, "--steps", "1", "--set", "training.learning_rate=0", "--run", tmp_path / "start", "--quiet", code=0)
    module = exported.module()
    assert module.TRAINING["accumulation"] == 2
    tokens = module.encode(file.read_text())
    windows = [[tokens[1600 * row + 16 * i:1600 * row + 16 * i + 17] for row in range(4)] for i in range(12)]
    batches = [(torch.stack([w[:-1] for w in rows], 1), torch.stack([w[1:] for w in rows], 1)) for rows in windows]
    model = module.load(tmp_path / "start" / "checkpoints" / "step-1")
    losses = list(module.train(model, batches, carry=True))
    rows = [json.loads(line) for line in (exported.run / "metrics.jsonl").read_text().splitlines()]
    assert losses == pytest.approx([row["train/loss"] for row in rows], abs=1e-4)
    assert hasattr(module, "PENALTIES") == hasattr(module, "constrain") == bool(rules)
    if rules == HELD:
        assert model.head.weight.norm(dim=1).max() < 0.3001 and abs(model.head.bias.norm() - 1) < 1e-6


def test_it_trains_on_carried_states(small_export):
    module = small_export.module()
    model = module.load()
    stream = module.encode("abcdefgh ." * 200)[:1601].reshape(-1)
    tokens, targets = stream[:-1].reshape(4, 400).t(), stream[1:].reshape(4, 400).t()
    batches = [(tokens[i:i + 16], targets[i:i + 16]) for i in range(0, 400, 16)]
    losses = list(module.train(model, batches * 3, carry=True))
    assert losses[-1] < losses[0]


def test_training_from_the_command_line(small_export, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("abc def. " * 300)
    ended = small_export.start("--train", str(file), "--steps", "20")
    losses = [float(line.split()[1]) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0 and len(losses) == 20 and losses[-1] < losses[0]


def test_sampling_from_the_command_line(small_export):
    ended = small_export.start("--sample", "abc")
    likeliest = small_export.start("--sample", "abc", "--length", "30", "--temperature", "0")
    for rule in (["--top-k", "1"], ["--top-p", "0"]):
        assert small_export.start("--sample", "abc", "--length", "30", *rule, "--seed", "5").stdout == likeliest.stdout
    assert ended.returncode == 0 and ended.stdout.startswith("abc") and len(ended.stdout) == 3 + 200 + 1
    refuses_nothing_given(small_export, "--sample")


def test_schedule_and_groups_are_the_runs(small_export, tmp_path):
    module = small_export.module()
    rates = [json.loads(line)["optim/lr"] for line in (small_export.run / "metrics.jsonl").read_text().splitlines()]
    assert rates == pytest.approx([module.learning_rate(step) for step in range(40)], rel=1e-12)
    groups = {group["weight_decay"]: group["params"] for group in module.make_optimizer(module.load()).param_groups}
    assert {weight.dim() for weight in groups[0.1]} == {2} and {weight.dim() for weight in groups[0.0]} == {1}


def test_masks_and_wired_states(tmp_path, text):
    """A mask on every recurrent node; the second one starts from the state of the first."""
    nodes = {"copy": ("copy", {"symbols": 6, "length": 5, "delay": 4}), "embedding": ("embedding", {"width": 12}), "one": ("lstm", {"units": 9}),
             "two": ("lstm", {"units": 9}), "both": ("concat", {}), "head": ("head", {})}
    wires = ["copy.tokens -> embedding.tokens", "embedding.y -> one.x", "embedding.y -> two.x", "copy.mask -> one.mask",
             "copy.mask -> two.mask", "one.state -> two.state", "one.y -> both.a", "two.y -> both.b", "both.y -> head.x",
             "copy.targets -> head.targets"]
    path = write_document(tmp_path / "masks.unroll", text, nodes=nodes, wires=wires)
    exported = Exported(tmp_path, path, *QUICK)
    assert "1.mask" in safetensors.torch.load_file(exported.folder / "golden.safetensors")
    proves_itself(exported)


def test_masks(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "one": ("gru", {"units": 9}),
             "two": ("lstm", {"units": 8}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> one.x", "one.y -> two.x", "text.mask -> one.mask", "text.mask -> two.mask",
             "two.y -> head.x", "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "masks.unroll", text, nodes=nodes, wires=wires), *QUICK)
    golden = safetensors.torch.load_file(exported.folder / "golden.safetensors")
    assert golden["1.mask"].dtype == torch.bool and not golden["1.mask"].all() and golden["1.mask"][0].all()
    assert (golden["1.targets"][~golden["1.mask"]] == -100).all()
    proves_itself(exported)


def test_every_block_with_code(tmp_path, text):
    """One chain through all of them, parameters away from their defaults."""
    nodes = {"text": ("text", {"file": str(text), "steps": 12}), "embedding": ("embedding", {"width": 12, "init_std": 0.5}),
             "rnn": ("rnn", {"units": 12}), "lstm": ("lstm", {"units": 12, "forget_bias": 1.0, "num_layers": 2}), "gru": ("gru", {"units": 12, "recurrent_initializer": "orthogonal", "convention": "reset_before"}),
             "sru": ("sru", {"units": 12}), "srupp": ("srupp", {"units": 12, "projection_size": 6, "num_heads": 2, "window": 9}), "grumml": ("grumml", {"units": 12, "variant": "mmfreelm", "layer": 1, "layers": 3}), "lru": ("lru", {"units": 12, "state_size": 7}), "qrnn": ("qrnn", {"units": 12, "window": 2}), "mingru": ("mingru", {"units": 12}), "linear": ("linear", {"width": 12, "learning_rate_scale": 0.25}),
             "mru": ("mru", {"units": 12, "num_heads": 3, "matrix_size": 3, "maker": "householder", "scan": "sklansky"}),
             "attention": ("attention", {"num_heads": 3, "window": 9, "depth": 2}), "dense_mml": ("dense_mml", {"units": 12, "gradient": "keras"}),
             "lrumml": ("lrumml", {"units": 12, "state_size": 5, "use_bias": True}),
             "activation": ("activation", {}), "layer_norm": ("layer_norm", {}), "rms_norm": ("rms_norm", {}), "dropout": ("dropout", {}),
             "add": ("add", {}), "concat": ("concat", {}), "head": ("head", {"bias": False})}
    chain = ["embedding", "rnn", "lstm", "gru", "sru", "srupp", "grumml", "lru", "mru", "qrnn", "mingru", "attention", "linear", "dense_mml", "lrumml", "activation", "layer_norm", "rms_norm", "dropout"]
    wires = ["text.tokens -> embedding.tokens"] + [f"{a}.y -> {b}.x" for a, b in zip(chain, chain[1:])]
    wires += ["dropout.y -> add.a", "lstm.y -> add.b", "add.y -> concat.a", "gru.y -> concat.b", "concat.y -> head.x",
              "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "all.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    source = (exported.folder / "model.py").read_text()
    for alike in ("ternary_dense", "causal_attention", "sru_recurrence"):
        assert source.count(f"def {alike}(") == 1, "what two references have alike stands once"
    spread = " ".join(source.split())
    assert ("LSTM(input_size=12, units=12, forget_bias=1.0, chrono=0, activation='tanh', gate_activation='sigmoid', peepholes=False, num_layers=2, "
            "bidirectional=False, bias=True, learned_state=False, masked_output='zero')") in spread
    assert "Head(input_size=24, classes=11, readout='linear', bias=False)" in source
    assert "_initializer" not in source and "learning_rate_scale" not in source, "the weights come along trained"
    assert re.findall(r"""["'](linear[\w.]+)["']: \(None, 0\.25, ["']["'], 1\.0\)""", source) == ["linear.weight", "linear.bias"]


def test_what_whole_sequences_are_pooled_to(tmp_path, text):
    """Every kind of pool, over the real steps of sequences of several lengths, put back beside the steps."""
    nodes = {"bits": ("parity", {"shortest": 3, "longest": 12, "validation_shortest": 3, "validation_longest": 12}),
             "embedding": ("embedding", {"width": 12}), "gru": ("gru", {"units": 7}), "head": ("head", {})}
    wires = ["bits.tokens -> embedding.tokens", "embedding.y -> gru.x", "bits.mask -> gru.mask", "bits.targets -> head.targets"]
    chain = ["gru", "with_max", "with_mean", "with_last", "with_first", "head"]
    for kind in ("max", "mean", "last", "first"):
        nodes |= {kind: ("pool", {"kind": kind}), f"with_{kind}": ("append_vector", {})}
        wires += [f"gru.y -> {kind}.x", f"bits.mask -> {kind}.mask", f"{kind}.y -> with_{kind}.v"]
    wires += [f"{a}.y -> {b}.x" for a, b in zip(chain, chain[1:])]
    exported = Exported(tmp_path, write_document(tmp_path / "pooled.unroll", text, nodes=nodes, wires=wires), *QUICK)
    assert not safetensors.torch.load_file(exported.folder / "golden.safetensors")["1.mask"].all()
    proves_itself(exported)
    module = exported.module()
    model, tokens = module.load(dtype=torch.float64), torch.randint(2, (9, 2))
    mask = torch.arange(9).unsqueeze(1) < torch.tensor([9, 4])
    with torch.no_grad():
        _, padded, _ = model(tokens, mask=mask)
        _, alone, _ = model(tokens[:4, 1:])
    assert torch.allclose(padded[:4, 1:], alone, atol=1e-12), "padding is not looked at"


@pytest.mark.parametrize("loss", ["classes", "numbers"])
def test_one_prediction_a_sequence(tmp_path, text, loss):
    """Vectors through every kind of layer, in a group too; the targets are those of the last real steps."""
    if loss == "classes":
        nodes = {"data": ("parity", {"shortest": 3, "longest": 12, "validation_shortest": 3, "validation_longest": 12}),
                 "first": ("embedding", {"width": 12}), "head": ("head", {})}
    else:
        nodes = {"data": ("adding", {"length": 12}), "first": ("linear", {"width": 12}), "head": ("mse", {})}
    port = "tokens" if loss == "classes" else "features"
    nodes |= {"there": ("gru", {"units": 7}), "turned": ("reverse", {}), "back": ("qrnn", {"units": 7}), "again": ("reverse", {}),
              "both": ("concat", {}), "pool": ("pool", {"kind": "mean"}), "first_step": ("pool", {"kind": "first"}),
              "linear": ("linear", {"width": 14}), "activation": ("activation", {}), "dropout": ("dropout", {}), "add": ("add", {}),
              "layer_norm": ("layer_norm", {}), "rms_norm": ("rms_norm", {}), "dense_mml": ("dense_mml", {"units": 6}),
              "gate": ("gate", {}), "highway": ("highway", {}), "scale": ("scale", {"learned": True}), "slice": ("slice", {"width": 3})}
    masked = ["there", "turned", "back", "again", "pool", "first_step"]
    wires = [f"data.{port} -> first.{'tokens' if loss == 'classes' else 'x'}", "data.targets -> head.targets", "first.y -> there.x",
             "first.y -> turned.x", "turned.y -> back.x", "back.y -> again.x", "there.y -> both.a", "again.y -> both.b", "both.y -> pool.x",
             "both.y -> first_step.x", "pool.y -> linear.x", "linear.y -> activation.x", "activation.y -> dropout.x", "dropout.y -> add.a",
             "first_step.y -> add.b", "add.y -> layer_norm.x", "layer_norm.y -> rms_norm.x", "rms_norm.y -> gate.x", "add.y -> gate.c",
             "gate.y -> highway.g", "add.y -> highway.a", "rms_norm.y -> highway.b", "highway.y -> dense_mml.x", "dense_mml.y -> scale.x",
             "scale.y -> slice.x", "slice.y -> head.x"] + [f"data.mask -> {name}.mask" for name in masked]
    exported = Exported(tmp_path, write_document(tmp_path / "labels.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    golden = safetensors.torch.load_file(exported.folder / "golden.safetensors")
    told = golden["fp64.1.logits" if loss == "classes" else "fp64.1.prediction"]
    assert told.shape == (3, 2 if loss == "classes" else 1), "one a sequence"


def test_golden_chunks_end_where_positions_do(tmp_path, text):
    """The second chunk goes on from the first, so both together are no longer than the table; one step more is refused."""
    nodes = {"text": ("text", {"file": str(text), "steps": 7, "order": "windows"}), "embedding": ("embedding", {"width": 12}),
             "attention": ("attention", {"positions": "learned", "max_positions": 7, "num_heads": 3}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> attention.x", "attention.y -> head.x", "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "positions.unroll", text, nodes=nodes, wires=wires), *QUICK)
    proves_itself(exported)
    module = exported.module()
    with pytest.raises(ValueError, match="step 8 has no position: max_positions is 7"):
        module.load()(torch.zeros(8, 1, dtype=torch.long))


def test_the_data_is_not_needed(tmp_path, text):
    copy = tmp_path / "text.txt"
    copy.write_text(text.read_text())
    path = write_document(tmp_path / "small.unroll", copy)
    run("train", path, *QUICK, "--run", tmp_path / "run", code=0)
    copy.unlink()
    run("export", tmp_path / "run", "--format", "python", "--out", tmp_path / "out", code=0)
    assert "ALPHABET" in (tmp_path / "out" / "model.py").read_text()


def test_titles_cannot_break_the_code(tmp_path, text):
    experiment = document(text)
    experiment["title"], experiment["summary"] = 'A """quote""" \\ and\nmore', '"' * 7 + "\\"
    (tmp_path / "odd.unroll").write_text(json.dumps(experiment))
    proves_itself(Exported(tmp_path, tmp_path / "odd.unroll", *QUICK))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A run on a table of numbers: command line, run folder and model.py; the losses beside torch.nn.LSTM and the mean squared error."""

import csv
import json
import math

import numpy
import pytest
import safetensors.torch
import torch
from conftest import Exported
from running import document, losses, run
from test_python import QUICK, proves_itself

STEPS, BATCH, HORIZON = 10, 4, 2
ROWS = 500
VALIDATION = 100  # rows of it: a reading takes up to 512 steps


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Dates, two waves and their product; some cells are empty."""
    path = tmp_path_factory.mktemp("table") / "waves.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["date", "a", "b", "both"])
        for row in range(ROWS):
            a, b = round(20 + 3 * math.sin(row / 3), 4), round(math.cos(row / 7), 4)
            writer.writerow([f"2024-{row % 12 + 1:02d}-01", "" if row % 50 == 17 else a, b, round(a * b, 4)])
    return path


def experiment(path, table, training=None, **params):
    nodes = {"series": ("series", {"file": str(table), "input_columns": "a, b", "target_columns": "both", "horizon": HORIZON, "steps": STEPS, **params}),
             "lstm": ("lstm", {"units": 9}), "mse": ("mse", {})}
    wires = ["series.features -> lstm.x", "series.targets -> mse.targets", "lstm.y -> mse.x"]
    path.write_text(json.dumps(document(table, nodes=nodes, wires=wires, training={"batch": BATCH, **(training or {})})))
    return path


@pytest.fixture(scope="module")
def exported(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("numbers")
    return Exported(folder, experiment(folder / "numbers.unroll", table))


def numbers_of(table):
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return numpy.array([[float(row[name] or "nan") for name in ("a", "b", "both")] for row in rows])


def test_it_verifies_itself(exported):
    assert "prediction" in proves_itself(exported)
    golden = safetensors.torch.load_file(exported.folder / "golden.safetensors")
    assert golden["0.features"].shape == (STEPS, 3, 2) and golden["0.targets"].shape == (STEPS, 3, 1)
    assert golden["0.targets"].isnan().any() and golden["fp64.0.prediction"].shape == (STEPS, 3, 1)
    source = (exported.folder / "model.py").read_text()
    assert max(map(len, source.splitlines())) <= 140
    assert "prediction, new_states" in source and "logits" not in source and "ALPHABET" not in source


def test_scales_are_those_of_the_training_part(exported, table):
    module, training = exported.module(), numbers_of(table)[:400]
    assert [name for name, _, _ in module.INPUTS] == ["a", "b"] and module.HORIZON == HORIZON
    for (_, shift, scale), column in zip(module.INPUTS + module.TARGETS, training.T):
        assert shift == pytest.approx(numpy.nanmean(column), rel=1e-12) and scale == pytest.approx(numpy.nanstd(column), rel=1e-12)
    columns = module.read_columns(table, module.INPUTS)
    assert columns.shape == (ROWS, 2) and columns.isnan().sum() == 10
    assert torch.allclose(module.restore(module.normalise(columns, module.INPUTS), module.INPUTS).nan_to_num(), columns.nan_to_num(), atol=1e-5)


PLAIN = {"optimizer": "sgd", "learning_rate": 0.1, "final_learning_rate": 0.1, "schedule": "constant", "warmup": 0, "weight_decay": 0.0, "clip": 0.0,
         "steps": 20, "evaluate_every": 0, "evaluate_whole": False, "evaluate_batches": 1}


def windows(table):
    """The rows 0..399 as 4 streams of 10 windows, normalised by numpy: (features, targets), [10, 4, columns]. Holes of the inputs repeat the row before."""
    numbers = numbers_of(table)
    scaled = (numbers - numpy.nanmean(numbers[:402], axis=0)) / numpy.nanstd(numbers[:402], axis=0)
    for row in range(1, ROWS):
        scaled[row] = numpy.where(numpy.isnan(scaled[row]), scaled[row - 1], scaled[row])
    scaled = torch.tensor(scaled, dtype=torch.float32)
    starts = torch.arange(BATCH) * 100
    for i in range(10):
        rows = starts + i * STEPS + torch.arange(STEPS).unsqueeze(1)
        yield scaled[rows][..., :2], scaled[rows + HORIZON][..., 2:]


def losses_of_torch(weights, batches):
    """torch.nn.LSTM, a linear layer and torch's mean squared error, plain gradient descent, states carried."""
    lstm, linear, state, told = torch.nn.LSTM(2, 9), torch.nn.Linear(9, 1), None, []
    for layer, name in ((lstm, "lstm."), (linear, "mse.")):
        layer.load_state_dict({key.removeprefix(name): tensor for key, tensor in weights.items() if key.startswith(name)})
    descent = torch.optim.SGD([*lstm.parameters(), *linear.parameters()], lr=PLAIN["learning_rate"])
    for features, targets in batches:
        y, state = lstm(features, state)
        state = tuple(part.detach() for part in state)
        loss = torch.nn.functional.mse_loss(linear(y), targets)
        descent.zero_grad()
        loss.backward()
        descent.step()
        told.append(loss.item())
    return told


def test_first_losses_are_those_of_torch(tmp_path, table):
    """The run's, model.py's and torch's own layers', from the run's first weights and on its own windows."""
    # 402 rows to train on: 400 have a target.
    path = experiment(tmp_path / "plain.unroll", table, PLAIN, order="streams", validation_fraction=0.195)
    exported = Exported(tmp_path, path)
    run("train", path, "--steps", "1", "--set", "training.learning_rate=0", "--run", tmp_path / "start", "--quiet", code=0)
    start = tmp_path / "start" / "checkpoints" / "step-1"
    batches = list(windows(table))
    ours = list(losses(exported.run).values())[:10]
    module = exported.module()
    assert list(module.train(module.load(start), batches, carry=True)) == pytest.approx(ours, abs=1e-5)
    assert losses_of_torch(safetensors.torch.load_file(start / "weights.safetensors"), batches) == pytest.approx(ours, abs=1e-5)
    assert ours[-1] < ours[0]


def test_command_line_of_the_export(exported, table):
    ended = exported.start("--train", str(table), "--steps", "40")
    assert ended.returncode == 0, ended.stderr
    told = [float(line.split()[1]) for line in ended.stdout.splitlines()]
    assert len(told) == 40 and all(map(math.isfinite, told))


def test_eval_tells_what_to_beat(exported, table):
    figures = run("eval", exported.run, "--json", code=0).lines[0]
    assert "ppl" not in figures and "acc" not in figures
    both = numbers_of(table)[:, 2]
    step = (both[400:] - both[400 - HORIZON:-HORIZON]) / both[:400].std()
    assert figures["baseline"] == pytest.approx((step ** 2).mean(), rel=1e-5) and figures["targets"] == 100
    told = run("eval", exported.run, code=0).out
    assert f"{figures['loss']:.6f} squared error" in told and "repeating the last value" in told and "perplexity" not in told


def test_other_files_are_read_as_the_runs(exported, table, tmp_path):
    """A shifted copy gives another loss: its numbers keep the scales of the training run."""
    same = run("eval", exported.run, "--json", "--data", table, "--split", "val", code=0).lines[0]["loss"]
    assert same == run("eval", exported.run, "--json", code=0).lines[0]["loss"]
    other = tmp_path / "other.csv"
    lines = table.read_text().splitlines()
    other.write_text("\n".join([lines[0]] + [",".join([d, a, b, str(float(c) + 100)]) for d, a, b, c in (line.split(",") for line in lines[1:])]))
    assert run("eval", exported.run, "--json", "--data", other, code=0).lines[0]["loss"] > 2 * same
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("a,b\n" + "1,2\n" * 100)
    assert 'there is no column "both"; there are a, b' in run("eval", exported.run, "--data", fewer, code=1).err


def test_there_is_no_text_to_sample(exported):
    ended = run("sample", exported.run, "--prompt", "abc", code=1)
    assert "predicts numbers, so there is no text to sample" in ended.err and ended.out == ""


def test_inspect_reads_the_start_of_validation(exported, tmp_path):
    run("inspect", exported.run, "--node", "lstm", "--out", tmp_path / "a.npz", code=0)
    assert numpy.load(tmp_path / "a.npz")["lstm.h"].shape == (VALIDATION, 9)
    run("inspect", exported.run, "--node", "mse", "--signal", "prediction", "--out", tmp_path / "b.npz", code=0)
    told = numpy.load(tmp_path / "b.npz")["mse.prediction"]
    assert told.shape == (VALIDATION, 1) and numpy.isfinite(told).all()
    assert "the data are numbers" in run("inspect", exported.run, "--node", "lstm", "--text", "abc", "--out", tmp_path / "c.npz", code=1).err


def test_a_wrong_cell_is_named_with_line_and_column(tmp_path, table):
    lines = table.read_text().splitlines()
    lines[16] = lines[16].rsplit(",", 1)[0] + ",abc"
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines))
    ended = run("check", experiment(tmp_path / "bad.unroll", bad), code=1)
    assert 'line 17, column 4: "abc" is not a number' in ended.err + ended.out


def test_seeing_ahead_is_refused(tmp_path, table):
    path = experiment(tmp_path / "ahead.unroll", table)
    wrong = json.loads(path.read_text())
    wrong["graph"]["nodes"][1].update(block="sru", params={"units": 8, "bidirectional": True})
    path.write_text(json.dumps(wrong))
    ended = run("check", path, code=1)
    assert "the loss predicts the next one" in ended.err + ended.out

# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that model.py is joined from: core/export/python/*.py and the references of the blocks. No build is needed."""

import importlib
import importlib.util
import math
import os
import pathlib
import sys

import pyflakes.api
import pyflakes.reporter
import pytest
import torch

os.environ.setdefault("KERAS_BACKEND", "torch")

ROOT = pathlib.Path(__file__).resolve().parents[3]
PARTS = sorted((ROOT / "core" / "export" / "python").glob("*.py"))
LOADING = sorted((ROOT / "core" / "export" / "python" / "loading").glob("*.py"))
OPTIMIZERS = sorted((ROOT / "core" / "train" / "optimizers").glob("*/optimizer.py"))
REFERENCES = sorted([*(ROOT / "nodes").glob("*/reference.py"), *(ROOT / "nodes" / "shared").glob("*.py")])


def part(name):
    sys.path.insert(0, str(ROOT / "core" / "export"))
    try:
        return importlib.import_module(f"python.{name}")
    finally:
        sys.path.pop(0)


def optimizer(path):
    """As if it were one of the parts: model.py has it beside them."""
    part("stand_ins")
    spec = importlib.util.spec_from_file_location(f"python.{path.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Complaints(pyflakes.reporter.Reporter):
    def __init__(self):
        self.lines = []

    def flake(self, message):
        self.lines.append(message)

    def syntaxError(self, filename, msg, lineno, offset, text):
        self.lines.append(f"{filename}:{lineno}: {msg}")

    unexpectedError = syntaxError


def complaints(text, name):
    found = Complaints()
    pyflakes.api.check(text, name, found)
    return found.lines


@pytest.mark.parametrize("path", [*PARTS, *LOADING, *OPTIMIZERS], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_parts_are_clean(path):
    text = path.read_text()
    assert list(map(str, complaints(text, str(path)))) == []
    assert max(map(len, text.splitlines())) <= 140 and "\t" not in text and text.endswith("\n") and not text.endswith("\n\n")
    assert text.startswith('# SPDX-License-Identifier: GPL-3.0-or-later\n"""')


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: str(path.parent.name + "/" + path.stem))
def test_references_are_clean(path):
    """Imports that nothing uses are allowed: what is put in the place of an import from nodes/shared may need them."""
    assert [str(line) for line in complaints(path.read_text(), str(path)) if "imported but unused" not in str(line)] == []


def test_an_export_is_clean(small_export):
    path = small_export.folder / "model.py"
    assert [str(line) for line in complaints(path.read_text(), str(path))] == []


@pytest.mark.parametrize("path", LOADING, ids=lambda path: path.stem)
def test_what_loads_an_export_names_its_place_once(path):
    """core/export/export_format.cpp puts the path there, and takes away what stands before the empty line."""
    _, head, body = path.read_text().split('"""', 2)
    assert '"exported" stands for its path' in head and body.startswith("\n\n") and body.count('"exported"') == 1


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_every_part_can_be_imported(path):
    part(path.stem)


def test_the_learning_rate_rises_and_falls():
    training, stand_ins = part("training"), part("stand_ins")
    rates, given = [training.learning_rate(step) for step in range(60)], stand_ins.TRAINING
    assert rates[given["warmup"] - 1] == max(rates[:given["warmup"]]) == given["learning_rate"] == pytest.approx(max(rates))
    assert rates[0] == given["learning_rate"] / given["warmup"] and rates[-1] == pytest.approx(given["final_learning_rate"])


def test_the_learning_rate_begins_and_ends_where_it_is_told(monkeypatch):
    """As lr_lambda of mru-lm's train.py."""
    training, stand_ins = part("training"), part("stand_ins")
    given = dict(stand_ins.TRAINING, warmup=10, start_learning_rate=0.002, decay_steps=50)
    monkeypatch.setattr(training, "TRAINING", given)
    rates = [training.learning_rate(step) for step in range(80)]
    assert rates[0] == 0.002 and rates[5] == pytest.approx(0.006) and rates[10] == max(rates) == pytest.approx(given["learning_rate"])
    assert rates[35] == pytest.approx((0.01 + 0.001) / 2) and rates[60:] == pytest.approx([0.001] * 20)


def test_training_learns_and_holds_the_weights():
    torch.manual_seed(1)
    stand_ins, text = part("stand_ins"), part("text")
    model, given = stand_ins.Model(), stand_ins.TRAINING
    batches = text.text_batches("ab " * 40, given["steps"], given["length"], given["batch"])
    losses = list(part("training").train(model, batches))
    assert len(losses) == given["steps"] and losses[-1] < 0.8 * losses[0]
    assert model.head.weight.norm(dim=1).max() <= stand_ins.CONSTRAINTS["head.weight"][3] + 1e-6


@pytest.mark.parametrize("path", OPTIMIZERS, ids=lambda path: path.parent.name)
def test_every_optimizer_learns(path, monkeypatch):
    torch.manual_seed(1)
    training, stand_ins, text = part("training"), part("stand_ins"), part("text")
    monkeypatch.setattr(training, "update_rule", optimizer(path).update_rule)
    batches = text.text_batches("ab " * 40, stand_ins.TRAINING["steps"], stand_ins.TRAINING["length"], stand_ins.TRAINING["batch"])
    losses = list(training.train(stand_ins.Model(), batches))
    assert losses[-1] < losses[0] and {group["weight_decay"] for group in training.make_optimizer(stand_ins.Model()).param_groups} == {0.0, 0.1}


def holder(weight):
    """A model of one weight."""
    model = torch.nn.Module()
    model.weight = weight
    return model


def test_penalties_are_gradients_too():
    model, (l1, l2, orthogonal, _) = part("stand_ins").Model(), part("stand_ins").PENALTIES["embedding.weight"]
    weight = model.embedding.weight
    total = part("penalties").add_penalties(model)
    leaf = weight.detach().clone().requires_grad_()
    pairs = [(leaf[i] @ leaf[j] / leaf[i].norm() / leaf[j].norm()).abs() for i in range(3) for j in range(i)]
    wanted = l1 * leaf.abs().sum() + l2 * leaf.square().sum() + orthogonal * sum(pairs) / len(pairs)
    wanted.backward()
    assert total == pytest.approx(wanted.item())
    assert torch.allclose(weight.grad, leaf.grad, atol=1e-6) and model.head.weight.grad is None


@pytest.mark.parametrize("ours, theirs", [(0, "columns"), (1, "rows")], ids=["rows", "columns"])
def test_orthogonality_is_keras_s(ours, theirs, monkeypatch):
    """Keras's kernels are [in, out]: its rows are our columns."""
    keras = pytest.importorskip("keras")
    weight = torch.nn.Parameter(torch.randn(5, 4, generator=torch.Generator().manual_seed(3)))
    monkeypatch.setattr(part("penalties"), "PENALTIES", {"weight": (0.0, 0.0, 0.3, ours)})
    total = part("penalties").add_penalties(holder(weight))
    kernel = weight.detach().t().clone().requires_grad_()
    wanted = keras.regularizers.OrthogonalRegularizer(0.3, mode=theirs)(kernel)
    wanted.backward()
    assert total == pytest.approx(wanted.item(), rel=1e-5) and torch.allclose(weight.grad, kernel.grad.t(), atol=1e-6)


@pytest.mark.parametrize("rate", (1.0, 0.25))
@pytest.mark.parametrize("dim", (-1, 0))
def test_norms_within_bounds_are_keras_s(dim, rate, monkeypatch):
    keras = pytest.importorskip("keras")
    weight = torch.nn.Parameter(torch.randn(6, 4, generator=torch.Generator().manual_seed(4)))
    weight.data[2].zero_()
    kernel = weight.detach().t().clone()
    monkeypatch.setattr(part("constraints"), "CONSTRAINTS", {"weight": ("min_max_norm", dim, 1.5, 2.0, rate)})
    part("constraints").constrain(holder(weight))
    wanted = keras.constraints.MinMaxNorm(1.5, 2.0, rate=rate, axis=0 if dim == -1 else 1)(kernel)
    assert torch.allclose(weight, wanted.t(), atol=1e-5)


def test_a_batch_without_a_target_changes_nothing():
    model = part("stand_ins").Model()
    before = [weight.clone() for weight in model.parameters()]
    nothing = (torch.zeros(4, 2, dtype=torch.int64), torch.full((4, 2), -100))
    assert list(part("training").train(model, [nothing])) == [None]
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters()))


def test_texts_come_back():
    text = part("text")
    assert text.decode(text.encode("ab ba")) == "ab ba"
    with pytest.raises(KeyError):
        text.encode("z")
    assert len(text.sample(part("stand_ins").Model(), "ab", length=5)) == 7
    with pytest.raises(ValueError, match="'z'"):
        part("encode_characters").encode("az")
    assert part("encode_bytes").encode("ü").tolist() == [0xC3, 0xBC]


@pytest.mark.parametrize("rule, wanted", [
    ({}, [1, 4, 1, 2]), ({"temperature": 0.5}, [1, 16, 1, 4]), ({"temperature": 0}, [0, 1, 0, 0]), ({"top_k": 2}, [0, 2, 0, 1]),
    ({"top_k": 3}, [1, 4, 0, 2]), ({"top_k": 9}, [1, 4, 1, 2]), ({"top_p": 0.7}, [0, 2, 0, 1]), ({"top_p": 0.0}, [0, 1, 0, 0]),
    ({"top_p": 0.8}, [1, 4, 0, 2]), ({"top_k": 2, "top_p": 0.6}, [0, 1, 0, 0]), ({"temperature": 0, "top_k": 3}, [0, 1, 0, 0])])
def test_a_rule_leaves_these_chances(rule, wanted):
    """Those that core/train/trainer_test.cpp asks of unroll-cli."""
    logits = torch.tensor([1, 4, 1, 2]).double().log()
    made = part("text").chances(logits, **{"temperature": 1.0, **rule})
    assert torch.allclose(made, torch.tensor(wanted).double() / sum(wanted), rtol=0, atol=1e-15)


def test_a_sample_ends_with_its_stop_text():
    torch.manual_seed(2)
    model, text = part("stand_ins").Model(), part("text")
    whole = text.sample(model, "a", length=60, temperature=1.0)
    stop = whole[20:22]
    assert text.sample(model, "a", length=60, temperature=1.0, stop=stop) == whole[: whole.index(stop, 1) + 2]


def test_a_table_comes_back(tmp_path):
    series, stand_ins = part("series"), part("stand_ins")
    (tmp_path / "table.csv").write_text("y,x\n1,2\n,3\n5,4\n7,5\n")
    read = series.read_columns(tmp_path / "table.csv", stand_ins.INPUTS + stand_ins.TARGETS)
    assert read[:, 0].tolist() == [2, 3, 4, 5] and math.isnan(read[1, 1]) and read[3, 1] == 7
    assert torch.allclose(series.restore(series.normalise(read[:, :1], stand_ins.INPUTS), stand_ins.INPUTS), read[:, :1])
    features, targets = next(iter(series.series_batches(tmp_path / "table.csv", 1, 2, 3)))
    assert features.shape == targets.shape == (2, 3, 1)


def test_a_series_is_read_with_commas_or_blanks(tmp_path):
    read = part("label_series").read_series
    (tmp_path / "series").write_text("1\n2,\n\n3\n")
    assert read(tmp_path / "series").tolist() == [[1], [2], [3]]
    (tmp_path / "series").write_text("1 2\n")
    with pytest.raises(ValueError, match="expected 1 numbers on each line: x"):
        read(tmp_path / "series")


def test_labels_are_sorted_by_chance():
    told = part("label_text").label(part("stand_ins").Model(), "ab")
    chances = [chance for _, chance in told]
    assert {name for name, _ in told} == {"nay", "yea", "perhaps"} and chances == sorted(chances, reverse=True) and sum(chances) == pytest.approx(1)


def test_steps_and_states():
    steps = list(part("each_step").each_step(torch.arange(6).reshape(3, 2), None))
    assert [step.tolist() for step, _ in steps] == [[[0, 1]], [[2, 3]], [[4, 5]]] and all(mask is None for _, mask in steps)
    assert part("within").within({"a.b": 1, "c.b": 2}, "a.") == {"b": 1}
    one_each = part("one_each").one_each
    assert one_each(torch.tensor([[-100, 3], [2, -100]])).tolist() == [2, 3]
    told = one_each(torch.tensor([[math.nan, math.nan], [0.5, math.nan]]))
    assert told[0] == 0.5 and math.isnan(told[1])


def test_states_that_begin_at_learned_numbers():
    """What is carried is what they have moved; zeros stand for the beginning, which only sequences that begin there teach."""
    states = part("begun")
    start = tuple(torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert states.begun(None, start) is start
    state = tuple(torch.randn(3, 2, dtype=torch.float64) for _ in range(2))
    carried = tuple(each.detach() for each in states.moved(state, start))
    for got, want in zip(states.begun(carried, start), state):
        assert torch.allclose(got, want, rtol=1e-14, atol=1e-14)
    for each in carried:
        each[1] = 0
    made = states.begun(carried, start)
    for part_made, first in zip(made, start):
        assert torch.equal(part_made[1], first[1])
    sum(each.sum() for each in made).backward()
    for first in start:
        assert first.grad.tolist() == [[0, 0], [1, 1], [0, 0]]

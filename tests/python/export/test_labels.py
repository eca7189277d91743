# SPDX-License-Identifier: GPL-3.0-or-later
"""One label a sequence: command line, table of confusion, and model.py, which tells the labels that eval counts."""

import csv
import json
import math

import pytest
import torch
from conftest import Exported, refuses_nothing_given
from running import document, run
from test_python import proves_itself

WORDS = ["good", "fine", "great", "bad", "poor", "awful"]
LABELS = ["nay", "yea"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A hundred lines with commas, quotes and letters beyond ASCII, sorted by their label."""
    path = tmp_path_factory.mktemp("texts") / "reviews.csv"
    rows = [(f'It was {WORDS[i % 6]}, "very" {WORDS[i % 3 + (3 if i % 6 > 2 else 0)]} café {i % 7}', LABELS[i % 6 < 3]) for i in range(102)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *sorted(rows, key=lambda row: row[1])])
    return path


def experiment(path, block, file, **params):
    port, first = ("tokens", {"embedding": ("embedding", {"width": 8})}) if block == "labelled_text" else ("features", {})
    nodes = {"data": (block, {"file": str(file), **params}), **first, "lstm": ("lstm", {"units": 12, "bidirectional": True}),
             "pool": ("pool", {"kind": "max"}), "linear": ("linear", {"width": 8}), "activation": ("activation", {}), "head": ("head", {})}
    wires = [f"data.{port} -> {'embedding.tokens' if first else 'lstm.x'}", *(["embedding.y -> lstm.x"] if first else []), "data.mask -> lstm.mask",
             "lstm.y -> pool.x", "data.mask -> pool.mask", "pool.y -> linear.x", "linear.y -> activation.x", "activation.y -> head.x",
             "data.targets -> head.targets"]
    path.write_text(json.dumps(document(file, nodes=nodes, wires=wires, training={"steps": 40, "batch": 8, "learning_rate": 0.01, "final_learning_rate": 0.01})))
    return path


@pytest.fixture(scope="module")
def exported(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("labels")
    return Exported(folder, experiment(folder / "labels.unroll", "labelled_text", texts))


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(line for line in file if not line.startswith("#")))


def test_eval_prints_which_label_was_told_for_which(exported):
    figures = run("eval", exported.run, "--json", code=0).lines[0]
    assert figures["labels"] == LABELS and figures["targets"] == 20 == sum(map(sum, figures["confusion"]))
    assert figures["acc"] == pytest.approx((figures["confusion"][0][0] + figures["confusion"][1][1]) / 20)
    assert figures["baseline_acc"] == 0.5 and figures["baseline"] == pytest.approx(math.log(2), abs=1e-3)
    assert "bpc" not in figures and "ppl" not in figures
    assert figures["bits"] == pytest.approx(figures["loss"] / math.log(2))
    said = run("eval", exported.run, code=0).out
    assert "true \\ predicted  nay" in said and "nats/sequence" in said and "always" in said
    assert [list(map(int, row[3:])) for row in read(exported.run / "confusion.csv")[1:]] == figures["confusion"]


def test_the_export_tells_what_eval_counts(exported, texts):
    proves_itself(exported)
    module = exported.module()
    assert module.LABELS == LABELS or list(module.LABELS) == LABELS
    model, right, loss = module.load(), [[0, 0], [0, 0]], 0
    for text, label in read(texts)[1:]:
        told = module.label(model, text)
        assert sum(chance for _, chance in told) == pytest.approx(1, abs=1e-5) and told[0][1] >= told[1][1]
        right[LABELS.index(label)][LABELS.index(told[0][0])] += 1
        loss -= math.log(dict(told)[label]) / 102
    figures = run("eval", exported.run, "--split", "all", "--json", code=0).lines[0]
    assert figures["confusion"] == right and figures["loss"] == pytest.approx(loss, rel=1e-4, abs=1e-6)
    table = read(exported.folder / "confusion.csv")
    assert table[0] == ["step", "split", "label", "predicted nay", "predicted yea"] and table[1:] == read(exported.run / "confusion.csv")[1:]
    assert "confusion.csv" in (exported.folder / "README.txt").read_text(encoding="utf-8")


def test_the_export_labels_a_text_by_hand(exported):
    ended = exported.start("--label", "It was awful, café")
    assert ended.returncode == 0, ended.stderr
    names, chances = zip(*(line.rsplit(" ", 1) for line in ended.stdout.splitlines()))
    assert sorted(names) == LABELS and sum(map(float, chances)) == pytest.approx(1, abs=1e-3)
    said = run("sample", exported.run, "--prompt", "It was awful, café", code=0).out
    refused = run("sample", exported.run, "--prompt", "It was awful", "--temperature", "0", code=1).err
    assert "tells the label" in refused and "--temperature" in refused
    assert said.split()[0] == names[0] and float(said.split()[1].strip(",")) == pytest.approx(float(chances[0]), abs=0.006)
    refused = exported.start("--label", "Zürich")
    assert refused.returncode == 1 and "the model has not learned" in refused.stderr and "Traceback" not in refused.stderr
    refuses_nothing_given(exported, "--label")


def test_a_series_and_a_class(tmp_path):
    """As JSON Lines, a series a line, of unequal lengths; what eval counts, model.py tells in the columns' own units."""
    draw, rows = torch.Generator().manual_seed(1), []
    for i in range(60):
        values = torch.randn(5 + i % 4, generator=draw).mul(3).add(100 + 4 * (i % 3 == 0)).tolist()
        rows.append({"kind": "high" if i % 3 == 0 else "low", "values": [round(value, 3) for value in values]})
    file = tmp_path / "series.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    exported = Exported(tmp_path, experiment(tmp_path / "series.unroll", "labelled_series", file))
    proves_itself(exported)
    module, right = exported.module(), [[0, 0], [0, 0]]
    for row in rows:
        told = module.label(module.load(), torch.tensor(row["values"], dtype=torch.float64).unsqueeze(1))
        right[["high", "low"].index(row["kind"])][["high", "low"].index(told[0][0])] += 1
    assert run("eval", exported.run, "--split", "all", "--json", code=0).lines[0]["confusion"] == right
    steps = tmp_path / "one.csv"
    steps.write_text("".join(f"{value}\n" for value in rows[0]["values"]), encoding="utf-8")
    ended = exported.start("--label", steps)
    told = module.label(module.load(), torch.tensor(rows[0]["values"], dtype=torch.float64).unsqueeze(1))
    assert ended.stdout.splitlines() == [f"{name} {chance:.4f}" for name, chance in told], ended.stderr
    steps.write_text("1, 2\n", encoding="utf-8")
    refused = exported.start("--label", steps)
    assert refused.returncode == 1 and "expected 1 numbers on each line: values" in refused.stderr and "Traceback" not in refused.stderr
    refuses_nothing_given(exported, "--label")


def test_other_data_are_scored_whole_and_with_the_labels_of_the_run(exported, tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text("yea\tIt was good\n", encoding="utf-8")
    figures = run("eval", exported.run, "--data", other, "--set", "data.label_column=1", "--json", code=0).lines[0]
    assert figures["targets"] == 1 and figures["labels"] == LABELS and sum(figures["confusion"][1]) == 1
    other.write_text("text,label\nIt was good,yea\nIt was bad,perhaps\n", encoding="utf-8")
    refused = run("eval", exported.run, "--data", other, code=1)
    assert "line 3: unknown label perhaps; the model was trained with nay, yea" in refused.err

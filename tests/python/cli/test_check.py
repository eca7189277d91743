# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import re

import pytest
from running import ROOT, document, gallery, run, write_document, write_group


def diagnostics(path, *more):
    ended = run("check", path, "--json", *more)
    total = ended.of("total")[0]
    assert ended.code == (0 if total["runnable"] else 1)
    return [line for line in ended.of("diagnostic") if line["severity"] == "error"]


@pytest.mark.parametrize("name", gallery("char-gpt", "gru-by-hand", "vectors-lru"))
def test_gallery_can_run(name):
    """tests/property checks every file; here is what the program says of them."""
    ended = run("check", name, "--json", code=0)
    assert ended.of("total")[0]["runnable"] and ended.of("total")[0]["parameters"] > 0
    outermost = [node for node in ended.of("node") if "." not in node["node"]]  # a group counts what is within
    assert sum(node["parameters"] for node in outermost) == ended.of("total")[0]["parameters"]


def test_text_names_every_node(small):
    out = run("check", small, code=0).out
    for word in ("text", "embedding", "lstm", "head", "in total", "No errors: it can be trained."):
        assert word in out


def test_times_that_normalisation_made_negative(tmp_path):
    """A column of a table at CfC's dt: a warning that goes with unscaled_columns."""
    table = tmp_path / "t.csv"
    table.write_text("dt,value\n" + "".join(f"{0.5 + i % 3},{i % 7}\n" for i in range(200)))

    def warnings(**series):
        nodes = {"series": ("series", {"file": str(table), "steps": 8, "target_columns": "value", **series}),
                 "gap": ("slice", {"start": 0, "width": 1}), "cfc": ("cfc", {"units": 4, "backbone_units": 4, "time_spans": True}), "mse": ("mse", {})}
        wires = ["series.features -> cfc.x", "series.features -> gap.x", "gap.y -> cfc.dt", "cfc.y -> mse.x", "series.targets -> mse.targets"]
        path = write_document(tmp_path / "times.unroll", table, nodes=nodes, wires=wires)
        return [line for line in run("check", path, "--json", code=0).of("diagnostic") if line["severity"] == "warning"]

    found = warnings()
    assert [(line["node"], line["where"], line["code"]) for line in found] == [("cfc", "dt", "negative-input")]
    assert "dt of series is negative" in found[0]["sentence"] and "at least 0.5" in found[0]["sentence"]
    assert warnings(unscaled_columns="dt") == [] and warnings(normalisation="none") == []


def test_width_zero(small):
    found = diagnostics(small, "--set", "lstm.units=16")
    assert not found
    ended = run("check", small, "--set", "lstm.units=0", code=1)
    assert "units must be at least 1; it is 0" in ended.err and ended.out == ""


def test_width_zero_in_the_file(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text)}), "embedding": ("embedding", {}), "lstm": ("lstm", {"units": 0}), "head": ("head", {})}
    path = write_document(tmp_path / "zero.unroll", text, nodes=nodes)
    found = diagnostics(path)
    assert found[0]["node"] == "lstm" and found[0]["where"] == "units" and "0" in found[0]["sentence"]
    same_in_train(path)


def without_free_memory(words):
    """What the machine has free differs from one moment to the next."""
    return re.sub(r"[\d.]+ \w+ are available", "", words)


def same_in_train(path):
    """train refuses what check calls invalid, in the same words, and leaves no run behind."""
    wanted = diagnostics(path)
    ended = run("train", path, "--json", "--run", path.parent / "refused", folder=path.parent, code=1)
    said = without_free_memory(ended.err)
    assert all(without_free_memory(each["sentence"]) in said for each in wanted), said
    assert not (path.parent / "refused").exists()
    assert ended.of("metrics") == []


def test_no_loss(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text)}), "embedding": ("embedding", {})}
    path = write_document(tmp_path / "loss.unroll", text, nodes=nodes, wires=["text.tokens -> embedding.tokens"])
    assert any("loss" in each["sentence"] for each in diagnostics(path))
    same_in_train(path)


def test_no_data(tmp_path, text):
    path = write_document(tmp_path / "data.unroll", text, nodes={"lstm": ("lstm", {})}, wires=[])
    assert diagnostics(path)
    same_in_train(path)


def test_wrong_type_on_a_wire(tmp_path, text):
    wires = ["text.tokens -> lstm.x", "lstm.y -> head.x", "text.targets -> head.targets"]
    path = write_document(tmp_path / "type.unroll", text, wires=wires)
    found = diagnostics(path)
    assert {"node": "lstm", "where": "x", "sentence": "lstm.x expects a sequence; text.tokens gives tokens: insert Embedding",
            "fix": "Insert Embedding"}.items() <= found[0].items()
    same_in_train(path)


def test_unknown_block(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text)}), "odd": ("hypercube", {"sides": 4})}
    path = write_document(tmp_path / "odd.unroll", text, nodes=nodes, wires=[])
    assert any("hypercube" in each["sentence"] for each in diagnostics(path))
    same_in_train(path)


def test_batch_larger_than_the_data(tmp_path, text):
    path = write_document(tmp_path / "batch.unroll", text, training={"batch": 1_000_000})
    found = diagnostics(path)
    assert found and any("1,000,000" in each["sentence"] or "1000000" in each["sentence"] for each in found)
    same_in_train(path)


def test_more_memory_than_there_is(tmp_path, text):
    nodes = document(text)["graph"]["nodes"]
    nodes = {node["name"]: (node["block"], node["params"]) for node in nodes}
    nodes["lstm"] = ("lstm", {"units": 65536})
    path = write_document(tmp_path / "huge.unroll", text, nodes=nodes)
    assert [each["code"] for each in diagnostics(path)] == ["memory"]
    same_in_train(path)


def test_missing_data(small, tmp_path):
    gone = tmp_path / "gone.txt"
    ended = run("check", small, "--data", gone, code=1)
    assert str(gone) in ended.err
    ended = run("train", small, "--data", gone, "--run", tmp_path / "run", code=1)
    assert str(gone) in ended.err and ended.out == ""


def test_ngrams_of_data_that_is_no_text_have_a_reason():
    """In words and as JSON, so that a script does not take silence for success."""
    why = "they predict the next unit of a text, which adding does not ask for"
    assert f"n-gram models of numbers: n/a: {why}" in run("check", "adding-gru", "--ngrams", code=0).out
    assert run("check", "adding-gru", "--ngrams", "--json", code=0).of("ngram") == [{"kind": "ngram", "node": "numbers", "why_none": why}]


def test_ngrams_are_counted_with_those_of_lower_orders(small):
    """A model of an order keeps the n-grams of all orders up to it, and the column says so."""
    orders = run("check", small, "--ngrams", "--json", code=0).of("ngram")
    counts = [line["grams"] for line in orders]
    assert len(counts) > 2 and all(lower < higher for lower, higher in zip(counts, counts[1:], strict=False))
    head, *rows = run("check", small, "--ngrams", code=0).out.split("n-gram models of the training part")[1].splitlines()[1:]
    assert "n-grams up to this order" in head
    assert [f"{count:,}" in row for count, row in zip(counts, rows, strict=False)] == [True] * len(counts)


@pytest.mark.parametrize("content", [b"", b"\x00"])
def test_data_that_is_no_text(small, tmp_path, content):
    file = tmp_path / "odd.txt"
    file.write_bytes(content)
    ended = run("check", small, "--data", file, code=1)
    assert "odd.txt" in ended.err


def test_data_that_is_a_folder_without_texts(small, tmp_path):
    (tmp_path / "nothing").mkdir()
    assert str(tmp_path / "nothing") in run("check", small, "--data", tmp_path / "nothing", code=1).err


def test_experiments_that_are_no_ordinary_files(tmp_path):
    for path, words in (("/dev/zero", "is longer than 67108864 bytes"), (tmp_path, "is a folder")):
        ended = run("check", path, code=1)
        assert words in ended.err and str(path) in ended.err


def test_file_that_is_not_there():
    ended = run("check", "no-such-thing", code=1)
    assert "no-such-thing" in ended.err and "char-lstm" in ended.err


@pytest.mark.parametrize("text, words", [
    ("", "malformed.unroll"), ("{", "malformed.unroll"), ("[]", "malformed.unroll"), ('{"unroll": 1,', "malformed.unroll"),
    ('{"unroll": 99, "graph": {}}', "99"), ('{"unroll": 1, "seed": NaN}', "malformed.unroll"),
    ('{"unroll": 1, "unroll": 1}', "unroll"), ("[" * 100_000, "malformed.unroll"), ("\xff\xfe", "malformed.unroll"),
])
def test_malformed_files_say_where(tmp_path, text, words):
    path = tmp_path / "malformed.unroll"
    path.write_bytes(text.encode("latin-1"))
    ended = run("check", path, folder=tmp_path, code=1)
    assert words in ended.err and ended.out == ""


def test_a_malformed_file_leaves_no_run(tmp_path):
    path = tmp_path / "malformed.unroll"
    path.write_text("{")
    ended = run("train", path, folder=tmp_path, code=1)
    assert "malformed.unroll" in ended.err and ended.out == "" and not (tmp_path / "runs").exists()


def test_every_truncation_is_refused(tmp_path):
    """A sample of the prefixes through the program; the reader's own tests try every one."""
    whole = (ROOT / "resources" / "experiments" / "char-lstm.unroll").read_bytes().rstrip()
    path = tmp_path / "cut.unroll"
    for length in range(0, len(whole) - 1, len(whole) // 4):
        path.write_bytes(whole[:length])
        assert "cut.unroll" in run("check", path, code=1).err


def test_standard_input(text):
    import subprocess

    from running import program
    ended = subprocess.run([program(), "check", "-", "--json"], input=json.dumps(document(text)), env=os.environ, text=True,
                           capture_output=True, check=False)
    assert ended.returncode == 0 and json.loads(ended.stdout.splitlines()[-1])["runnable"]
    with open("/dev/zero", "rb") as endless:
        ended = subprocess.run([program(), "check", "-"], stdin=endless, capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and "standard input: is longer than" in ended.stderr


@pytest.mark.parametrize("assignment, words", [
    ("lstm.unitz=3", "unitz"), ("lstn.units=3", "lstn"), ("lstm.units=many", "whole number"), ("lstm.units", "NODE.PARAM=VALUE"),
    ("units=3", "NODE.PARAM=VALUE"), ("training.stepz=3", "stepz"), ("training.optimizer=magic", "adamw"), ("lstm.cell.units=3", "group"),
    ("training.learning_rate=fast", "number"), ("lstm.units=1.5", "whole number"),
])
def test_assignments_that_do_not_fit(small, assignment, words):
    ended = run("check", small, "--set", assignment, code=1)
    assert words in ended.err and assignment in ended.err


def test_several_assignments(small):
    ended = run("check", small, "--json", "--set", "lstm.units=7", "--set", "embedding.width=5", code=0)
    nodes = {node["node"]: node for node in ended.of("node")}
    assert nodes["lstm"]["parameters"] == 4 * 7 * (5 + 7 + 2)
    assert "[T, B, 7]" in nodes["lstm"]["outputs"]["y"]


def test_group_parameters_by_path(tmp_path, text):
    path = write_group(tmp_path / "group.unroll", text)
    nodes = {node["node"]: node for node in run("check", path, "--json", "--set", "body.norm.epsilon=1e-3", code=0).of("node")}
    assert nodes["body"]["parameters"] == 3 * (nodes["body.lstm"]["parameters"] + nodes["body.norm"]["parameters"])


def test_copies_of_a_group_may_differ(tmp_path, text):
    path = write_group(tmp_path / "group.unroll", text)
    last = ("--set", "body.norm.gain=true last 1 else false")
    nodes = run("check", path, "--json", *last, code=0).of("node")
    assert {tuple(node["copies"]): node["parameters"] for node in nodes if node["node"] == "body.norm"} == {(1, 2): 12, (3,): 24}
    shown = run("check", path, *last, code=0).out
    assert "copies 1, 2" in shown and "copy 3" in shown
    ended = run("check", path, "--set", "body.norm.gain=true,false", code=1)
    assert "gain has 2 values for the 3 copies of body (true, false)" in ended.out + ended.err
    assert "it is 'maybe'" in run("check", path, "--set", "body.norm.gain=true,maybe,true", code=1).err


def test_the_state_is_all_numbers_that_are_kept(small, tmp_path, text):
    """Of an LSTM h and c, of a group those of its copies: what a race compares."""
    ended = run("check", small, "--json", code=0)
    assert {node["node"]: node["state"] for node in ended.of("node")} == {"text": 0, "embedding": 0, "lstm": 22, "head": 0}
    assert ended.of("total")[0]["state"] == 22 and ended.of("node")[2]["outputs"]["state"] == "state of 22"
    lane = run("race", small, "--vary", "lstm=lstm", "--match", "none", "--dry-run", "--json", "--out", tmp_path / "race", code=0).lines[0]["lanes"][0]
    assert lane["state"] == 22
    ended = run("check", write_group(tmp_path / "group.unroll", text), "--json", code=0)
    assert {node["node"]: node["state"] for node in ended.of("node")} | {"body": 72, "body.norm": 0, "body.lstm": 24} == {node["node"]: node["state"] for node in ended.of("node")}
    assert ended.of("total")[0]["state"] == 72
    shown = run("check", small, code=0).out.splitlines()
    assert shown[0].split() == ["node", "block", "parameters", "FLOPs/token", "backward", "state", "outputs"]
    assert next(line for line in shown if line.startswith("in total")).split()[-1] == "22"


def test_a_mistake_in_a_group_names_the_group(tmp_path, text):
    path = write_group(tmp_path / "group.unroll", text)
    experiment = json.loads(path.read_text())
    experiment["graph"]["nodes"][2]["group"]["nodes"][1]["params"]["units"] = 0
    path.write_text(json.dumps(experiment))
    found = diagnostics(path)
    assert [(each["node"], each["where"]) for each in found] == [("body.lstm", "units")]
    assert "body.lstm.units: units must be at least 1; it is 0" in run("check", path, code=1).err
    assert "body.lstm" in run("train", path, "--run", tmp_path / "run", code=1).err


def test_a_state_that_gives_the_text_away(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text)}), "embedding": ("embedding", {}), "enc": ("gru", {}), "dec": ("gru", {}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> enc.x", "embedding.y -> dec.x", "enc.state -> dec.state",
             "dec.y -> head.x", "text.targets -> head.targets"]
    path = write_document(tmp_path / "ahead.unroll", text, nodes=nodes, wires=wires)
    found = diagnostics(path)
    assert [(each["node"], each["where"], each["code"], each["fix"]) for each in found] == [("dec", "state", "not-causal", "Remove the wire")]
    same_in_train(path)


def test_counting_is_read_forwards(tmp_path):
    """What it asks for is the next sign: read from both ends, an LSTM was 128 times better than can be."""
    nodes = {"counting": ("counting", {}), "embedding": ("embedding", {"width": 8}), "lstm": ("lstm", {"units": 8, "bidirectional": True}), "head": ("head", {})}
    wires = ["counting.tokens -> embedding.tokens", "embedding.y -> lstm.x", "lstm.y -> head.x", "counting.targets -> head.targets", "counting.mask -> lstm.mask"]
    found = diagnostics(write_document(tmp_path / "both.unroll", None, nodes, wires))
    assert [line["code"] for line in found] == ["not-causal"]
    assert "bidirectional = true lets lstm see later steps" in found[0]["sentence"]


def test_costs_over_steps(tmp_path):
    """As JSON, in words and as files; the node by its path, in any copy of its group."""
    figure = run("check", "char-mru", "--over-steps", "layer.mru", "--by", "scan", "--json", code=0).lines[0]
    panels = {panel["id"]: {series["name"]: series for series in panel["series"]} for panel in figure["panels"]}
    assert list(panels) == ["operations", "depth", "flops"] and figure["panels"][0]["x"]["log"] and figure["panels"][0]["y"]["log"]
    operations, depth = panels["operations"]["brent_kung"], panels["depth"]["brent_kung"]
    assert operations["x"] == [2**k for k in range(4, 13)]
    assert operations["y"] == [2 * 2**k - 2 - k for k in range(4, 13)] and depth["y"] == [2 * k - 1 for k in range(4, 13)]
    assert "brent_kung" in run("check", "char-mru", "--over-steps", "layer.2.mru", "--by", "scan", code=0).out
    assert run("check", "char-gpt", "--over-steps", "layer.attention", code=0).out.splitlines()[0].split() == ["T", "FLOPs"]
    for name in ("scans.svg", "scans.png", "scans.csv", "scans.json"):
        run("check", "char-mru", "--over-steps", "layer.mru", "--by", "scan", "--out", tmp_path / name, code=0)
        assert (tmp_path / name).stat().st_size > 1000
    attention = run("check", "char-gpt", "--over-steps", "layer.attention", "--json", code=0).lines[0]
    assert [panel["id"] for panel in attention["panels"]] == ["flops"]
    assert "there is no node layer.9.mru" in run("check", "char-mru", "--over-steps", "layer.9.mru", code=1).err
    assert "no parameter nothing" in run("check", "char-mru", "--over-steps", "layer.mru", "--by", "nothing", code=1).err
    assert ".svg" in run("check", "char-mru", "--over-steps", "layer.mru", "--out", tmp_path / "scans.gif", code=2).err

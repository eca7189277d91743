# SPDX-License-Identifier: GPL-3.0-or-later
"""inspect --against ...: any lens on two sides."""

import json
import re

import numpy
import pytest
import running
from running import run

SIGNAL = ["--lens", "state", "--node", "lstm", "--signal", "h"]
READ = ["--length", "24"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, text):
    """Two runs of one experiment, of other seeds, and one of other data."""
    folder = tmp_path_factory.mktemp("runs")
    other_text = running.small_text(folder / "other.txt", seed=9)
    for name, seed, data in (("one", 1, text), ("two", 2, text), ("elsewhere", 1, other_text)):
        document = running.write_document(folder / f"{name}.unroll", data, seed=seed)
        run("train", document, "--run", folder / name, "--quiet", code=0)
    return folder


@pytest.fixture(scope="module")
def repeated(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("repeated")
    run("train", running.write_group(folder / "group.unroll", text), "--run", folder / "run", "--quiet", code=0)
    return folder / "run"


def figure(*arguments):
    return run("inspect", *arguments, *READ, "--json", code=0).lines[0]


def cells(side, panel=0):
    return numpy.asarray([[numpy.nan if v is None else v for v in row] for row in side["panels"][panel]["cells"]["values"]])


def numbers(side):
    """All that is drawn, sorted."""
    rows = [row for panel in side["panels"] for row in panel.get("cells", {}).get("values", [])]
    rows += [series["y"] for panel in side["panels"] for series in panel.get("series", [])]
    return sorted(value for row in rows for value in row if value is not None)


def refused(*arguments):
    outcome = run("inspect", *arguments)
    assert outcome.code != 0 and outcome.out == ""
    return outcome.err


def test_two_runs_are_beside_each_other_or_subtracted(runs):
    one, two = (figure(runs / name, *SIGNAL) for name in ("one", "two"))
    beside = figure(runs / "one", *SIGNAL, "--against", runs / "two")
    assert [panel["id"] for panel in beside["panels"]] == ["values_first", "values_second"]
    assert numpy.array_equal(cells(beside, 0), cells(one)) and numpy.array_equal(cells(beside, 1), cells(two))
    assert beside["compared"] == {"as": "beside", "first": "one", "second": "two", "second_training_step": 40}
    apart = figure(runs / "one", *SIGNAL, "--against", runs / "two", "--as", "difference")
    assert numpy.allclose(cells(apart), cells(two) - cells(one), rtol=0, atol=1e-6)
    assert apart["panels"][0]["cells"]["scale"] == "signed"
    most = re.search(r"two less one .* at most ([+−-][\d.e-]+)", " ".join(apart["findings"])).group(1)
    assert abs(float(most)) == pytest.approx(numpy.abs(cells(two) - cells(one)).max(), rel=1e-3)


def test_a_checkpoint_is_the_run_as_it_was(runs):
    then = figure(runs / "one", *SIGNAL, "--checkpoint", "30")
    apart = figure(runs / "one", *SIGNAL, "--against-checkpoint", "30", "--as", "difference")
    now = figure(runs / "one", *SIGNAL)
    assert numpy.allclose(cells(apart), cells(then) - cells(now), rtol=0, atol=1e-6)
    assert (apart["compared"]["first"], apart["compared"]["second"]) == ("step 40", "step 30")


def test_copies_of_a_group_are_sides(repeated):
    words = ["--lens", "state", "--node", "body.1.lstm", "--signal", "h", "--against-node"]
    beside = figure(repeated, *words, "body.3.lstm")
    alone = figure(repeated, "--lens", "state", "--node", "body.3.lstm", "--signal", "h")
    assert numpy.array_equal(cells(beside, 1), cells(alone))
    assert beside["compared"]["second"] == "body.3.lstm h"
    wrong = refused(repeated, *words, "body.4.lstm")
    assert "there is no node" in wrong and "--against-node" in wrong


def test_weights_of_copies_are_paired_by_their_names(repeated):
    def panel(side, name):
        return next(each for each in side["panels"] if each["id"] == name)

    words = ["--lens", "weights", "--set", "node=body.1.lstm"]
    one, other = (figure(repeated, "--lens", "weights", "--set", f"node=body.{copy}.lstm") for copy in (1, 3))
    sizes = [panel(side, "norms")["series"][0]["y"] for side in (one, other)]
    assert sizes[0] != sizes[1]
    beside = panel(figure(repeated, *words, "--against-node", "body.3.lstm"), "norms")
    assert all(label.startswith("lstm.") for label in beside["x"]["labels"])
    assert [series["name"] for series in beside["series"]] == ["body.1.lstm", "body.3.lstm"]
    assert [series["y"] for series in beside["series"]] == sizes
    apart = figure(repeated, *words, "--against-node", "body.3.lstm", "--as", "difference")
    assert numpy.allclose(panel(apart, "norms")["series"][0]["y"], numpy.subtract(sizes[1], sizes[0]), rtol=0, atol=1e-12)
    whole = figure(repeated, "--lens", "weights", "--set", "node=body.1", "--against-node", "body.2")
    assert all(label.startswith("body.") for label in panel(whole, "norms")["x"]["labels"]), "whole copies too"


def test_an_edit_is_a_side(runs):
    words = [runs / "one", *SIGNAL, "--against-edit", "lstm.h[3] = 0.5 from 9", "--as", "difference"]
    apart, plain = figure(*words), figure(runs / "one", *SIGNAL)
    assert (cells(apart)[:, :8] == 0).all(), "before the edit nothing differs, to the bit"
    assert numpy.allclose(cells(apart)[3, 8:] + cells(plain)[3, 8:], 0.5, atol=1e-6)
    assert (numpy.delete(cells(apart), 3, axis=0)[:, 9:] != 0).any(), "others follow"
    touch = figure(runs / "one", "--lens", "touch", "--set", "edit=lstm.h[3] = 0.5 from 9")
    answers = figure(runs / "one", "--lens", "answers", "--against-edit", "lstm.h[3] = 0.5 from 9")
    def curves(side, panel):
        return {s["name"]: s["y"] for s in next(p for p in side["panels"] if p["id"] == panel)["series"]}

    touched, both = curves(touch, "loss_by_step"), curves(answers, "loss")
    for name, known in (("untouched", "untouched"), ("with lstm.h[3] = 0.5 from 9", "touched")):
        pairs = [(a, b) for a, b in zip(both[name], touched[known], strict=True) if a is not None and b is not None]
        assert len(pairs) == 24 and numpy.allclose(*zip(*pairs), atol=1e-6)


def test_every_lens_that_runs_the_network_has_a_side_under_edits(runs):
    """Or says why not. What is shown beside the untouched side is not the same."""
    extra = {"alike": ["--set", "from=3", "--set", "to=6", "--set", "units=1,2"], "gates": ["--node", "lstm", "--signal", "f"],
             "memory": ["--set", "tokens=2048"], "touch": ["--set", "edit=lstm.h[3] = 0 from 8"], "tracks": ["--set", "steps=512"]}
    seen = set()
    for lens in run("inspect", runs / "one", "--lens", "list", "--json", code=0).of("lens"):
        name = lens["name"]
        if name in ("attention", "forecast"):  # of other networks
            continue
        signal = ["--node", "lstm", "--signal", "h"] if lens["takes_signal"] and "--node" not in extra.get(name, []) else []
        words = [runs / "one", "--lens", name, *signal, *extra.get(name, []), "--against-edit", "lstm.i[1] = 0"]
        if name == "weights":
            assert "Weights is the same under edits: " in refused(*words)
            continue
        both, plain = figure(*words), figure(*words[:-2])
        assert both["compared"]["second"] == "with lstm.i[1] = 0" and isinstance(both["findings"], list)
        assert len(numbers(both)) > len(numbers(plain)) and numbers(both) != sorted(2 * numbers(plain)), f"{name}: both sides are the same"
        seen.add(name)
    assert {"alike", "importance", "memory", "spectrum", "touch", "tracks", "wires"} <= seen


def test_units_are_matched_by_correlation(runs):
    matched = figure(runs / "one", *SIGNAL, "--against", runs / "two", "--match", "units")
    pairs = numpy.asarray(next(a for a in matched["arrays"] if a["name"] == "pairs_first")["values"]).reshape(-1, 3)
    one, two = (cells(figure(runs / name, *SIGNAL)) for name in ("one", "two"))
    assert sorted(pairs[:, 0]) == sorted(pairs[:, 1]) == list(range(len(one)))
    for first, second, r in pairs:
        assert abs(numpy.corrcoef(one[int(first)], two[int(second)])[0, 1] - r) < 1e-5
    assert any("by chance" in finding for finding in matched["findings"])


def test_other_readings_are_no_difference(runs):
    words = [runs / "one", *SIGNAL, "--against", runs / "elsewhere"]
    assert "have different readings" in refused(*words, "--as", "difference", *READ)
    beside = figure(*words)
    assert len(beside["panels"]) == 2 and any("different readings" in finding for finding in beside["findings"])
    same = figure(*words, "--as", "difference", "--text", "abc def abc")
    assert any("different data" in finding for finding in same["findings"])


def test_every_lens_can_be_beside_itself(runs):
    for lens in run("inspect", runs / "one", "--lens", "list", "--json", code=0).of("lens"):
        extra = {"alike": ["--set", "from=3", "--set", "to=6", "--set", "units=1,2"], "gates": ["--node", "lstm", "--signal", "f"]}.get(lens["name"], [])
        signal = ["--node", "lstm", "--signal", "h"] if lens["takes_signal"] and "--node" not in extra else []
        words = [runs / "one", "--lens", lens["name"], *signal, *extra, "--against", runs / "two", *READ, "--json"]
        outcome = run("inspect", *words)
        if lens["name"] in ("attention", "forecast"):  # of other networks
            assert outcome.code != 0
            continue
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["compared"]["second"] == "two"


def test_files_hold_the_same_numbers(runs, tmp_path):
    words = [runs / "one", *SIGNAL, "--against", runs / "two", "--as", "difference"]
    shown = cells(figure(*words))
    run("inspect", *words, *READ, "--out", tmp_path / "a.npz", code=0)
    assert numpy.array_equal(numpy.load(tmp_path / "a.npz")["values.lstm.h"], shown.astype(numpy.float32))
    for ending in ("csv", "svg", "png"):
        run("inspect", *words, *READ, "--out", tmp_path / f"a.{ending}", code=0)
        assert (tmp_path / f"a.{ending}").stat().st_size > 1000


def test_what_makes_no_sense_is_refused(runs):
    one = runs / "one"
    assert "is of a comparison" in refused(one, *SIGNAL, "--as", "difference")
    assert "is of a comparison" in refused(one, *SIGNAL, "--match", "units")
    assert "both sides are the same" in refused(one, *SIGNAL, "--against", one)
    assert "both sides are the same" in refused(one, *SIGNAL, "--against-checkpoint", "40")
    assert "there is no checkpoint '17'" in refused(one, *SIGNAL, "--against-checkpoint", "17")
    assert "no units that can be matched" in refused(one, "--lens", "answers", "--against", runs / "two", "--match", "units")
    assert "the same under edits" in refused(one, "--lens", "spectrum", "--node", "lstm", "--signal", "h", "--set", "of=weights", "--against-edit", "lstm.h = 0")
    wrong_unit = refused(one, *SIGNAL, "--against-edit", "lstm.h[99] = 0")
    assert "there is no unit 99" in wrong_unit and wrong_unit.startswith("error: --against-edit:")
    assert "--against-edit" in refused(one, *SIGNAL, "--against-edit", "lstm.h[3 = 0")
    assert "shows the whole network" in refused(one, "--lens", "answers", "--against-node", "lstm")
    assert "--against" in refused(one, *SIGNAL, "--against", runs / "nowhere")
    assert "beside" in refused(one, *SIGNAL, "--against", runs / "two", "--as", "sum")
    assert "--against" in refused(one, *SIGNAL, "--against", runs / "two", "--at-update", "3")

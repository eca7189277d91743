# SPDX-License-Identifier: GPL-3.0-or-later
"""inspect --lens: every lens as every kind of file, and the same numbers in all of them."""

import csv
import json
import math
import shutil
import subprocess
import xml.etree.ElementTree

import numpy
import PIL.Image
import pytest
from running import program, run

ENDINGS = ("npz", "csv", "json", "png", "svg")
SIGNAL = ["--node", "lstm", "--signal", "h"]
READ = ["--length", "24"]
# What a lens needs beyond its defaults to have something to show of a small LSTM.
SETTINGS = {"alike": ["--set", "from=3", "--set", "to=6", "--set", "units=0"], "gates": ["--node", "lstm", "--signal", "f"]}
# Which network shows what an LSTM of text has not.
OTHERS = {"attention": ("recall-attention", ["--node", "layer.2.attention", "--signal", "weights"]), "forecast": ("waves-lstm", [])}


@pytest.fixture(scope="module")
def lenses(trained):
    return {line["name"]: line for line in run("inspect", trained, "--lens", "list", "--json", code=0).of("lens")}


def words_for(trained, lens):
    extra = SETTINGS.get(lens["name"], [])
    signal = SIGNAL if lens["takes_signal"] and "--node" not in extra else []
    return ["inspect", trained, "--lens", lens["name"], *signal, *extra, *READ]


def number(value):
    return math.nan if value is None else value


def same(file, document):
    """Numbers as they are in an array or a table, and in JSON, where what is not finite is null."""
    file, document = numpy.asarray(file, dtype=float).ravel(), numpy.asarray([number(v) for v in document], dtype=float)
    assert file.shape == document.shape
    file = numpy.where(numpy.isfinite(file), file, numpy.nan)
    assert numpy.array_equal(file, document, equal_nan=True)


class Names:
    """The names that core/figure/array_names.h gives."""

    def __init__(self):
        self.taken = set()

    def take(self, panel, name, otherwise):
        wanted = (panel + "." if panel else "") + (name or otherwise)
        text = ""
        for character in wanted:
            if len((text + character).encode()) > 200:
                break
            text += "_" if character < " " or character in "/\x7f" or (character == "." and text.endswith(".")) else character
        taken, count = text, 2
        while taken in self.taken:
            taken, count = f"{text}_{count}", count + 1
        self.taken.add(taken)
        return taken


def check_npz(arrays, figure):
    names, seen = Names(), {"missing", "training_step"}

    def take(panel, name, otherwise, **values):
        base = names.take(panel, name, otherwise)
        for suffix, numbers in values.items():
            if numbers:
                same(arrays[base + suffix.replace("_", ".")], numbers)
                seen.add(base + suffix.replace("_", "."))
        return base

    for count in seen:
        names.take("", count, "")
        assert arrays[count].shape == ()
    assert arrays["missing"] == figure["missing"] and arrays["training_step"] == figure["training_step"]
    for panel in figure.get("panels", []):
        if "cells" in panel:
            cells = panel["cells"]
            base = names.take(panel["id"], cells["name"], "cells")
            assert arrays[base].shape == (cells["rows"], cells["columns"]) and arrays[base].dtype == numpy.float32
            same(arrays[base], [value for row in cells["values"] for value in row])
            seen.add(base)
            if "units" in cells:
                same(arrays[base + ".units"], cells["units"])
                seen.add(base + ".units")
        for series in panel.get("series", []):
            base = names.take(panel["id"], series["name"], "series")
            for part in ("x", "y", "low", "high", "shade", "units"):
                if part in series:
                    same(arrays[f"{base}.{part}"], series[part])
                    seen.add(f"{base}.{part}")
        if "circles" in panel:
            take(panel["id"], "circles", "", **{"": [c[k] for c in panel["circles"] for k in ("x", "y", "radius")]})
        if "rules" in panel:
            take(panel["id"], "rules", "", **{"": [v for r in panel["rules"] for v in ("x" in r, r.get("x", r.get("y")))]})
    for array in figure.get("arrays", []):
        base = take("", array["name"], "array", **{"": array["values"]})
        seen.add(base)
        assert arrays[base].shape == tuple(array["shape"])
    assert set(arrays) == seen


def check_csv(path, figure):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows.pop()["part"].startswith("# unroll:")
    of = lambda part: [row for row in rows if row["part"] == part]
    numbers = lambda part, column: [float(row[column]) for row in of(part) if row[column]]
    panels = figure.get("panels", [])
    assert [row["note"] for row in of("shows")] == [figure["shows"]]
    assert [row["note"] for row in of("finding")] == figure.get("findings", [])
    assert numbers("missing", "value") == [figure["missing"]]
    same(numbers("cell", "value"), [v for p in panels if "cells" in p for line in p["cells"]["values"] for v in line])
    for part in ("x", "y", "low", "high", "shade"):
        same(numbers("series", part), [v for p in panels for s in p.get("series", []) for v in s.get(part, [])])
    same(numbers("array", "value"), [v for a in figure.get("arrays", []) for v in a["values"]])
    assert [row["note"] for row in of("table")] == [cell for t in figure.get("tables", []) for r in t["rows"] for cell in r["cells"]]
    labels = [row["note"] for row in of("label")]
    assert labels == [label for p in panels for axis in "xy" for label in p[axis].get("labels", [])]


def check_pictures(folder):
    picture = PIL.Image.open(folder / "a.png")
    assert picture.format == "PNG" and picture.mode == "RGB" and picture.width in (1520, 2360)
    root = xml.etree.ElementTree.parse(folder / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (float(root.get("width").removesuffix("px")), float(root.get("height").removesuffix("px"))) == (picture.width / 2, picture.height / 2)


def check_files(words, lens, folder, step):
    told = run(*words, "--json", code=0)
    folder.mkdir()
    for ending in ENDINGS:
        assert run(*words, "--out", folder / f"a.{ending}", code=0).out == ""
    figure = json.loads((folder / "a.json").read_text())
    assert figure.pop("mark").startswith("unroll:signals:sha256=")
    assert figure == told.lines[0], lens["name"]
    assert figure["lens"] == lens["name"] and figure["title"] == lens["title"] and figure["shows"].endswith("."), lens["name"]
    assert figure["training_step"] == step
    with numpy.load(folder / "a.npz") as arrays:
        check_npz(dict(arrays), figure)
    check_csv(folder / "a.csv", figure)
    check_pictures(folder)
    assert figure["shows"] in run(*words, code=0).out
    return figure


def test_every_lens_in_every_kind_of_file(trained, lenses, tmp_path):
    for name, lens in lenses.items():
        words = words_for(trained, lens)
        if name in OTHERS:  # nothing to show of an LSTM of text: a reason, and no file
            ended = run(*words, "--out", tmp_path / "none.json", code=1)
            assert ended.err.startswith("error: ") and not (tmp_path / "none.json").exists(), name
            continue
        check_files(words, lens, tmp_path / name, 40)


@pytest.mark.parametrize("name", OTHERS)
def test_lenses_of_other_networks(lenses, tmp_path, name):
    experiment, signal = OTHERS[name]
    run("train", experiment, "--steps", "1", "--run", tmp_path / "run", "--quiet", "--device", "cpu", code=0)
    figure = check_files(["inspect", tmp_path / "run", "--lens", name, *signal], lenses[name], tmp_path / "files", 1)
    assert figure["panels"]


def test_the_state_is_the_signal_itself(trained, tmp_path):
    """Without a lens it is the state; its cells are the arrays of the same reading, a row a unit."""
    asked = ["inspect", trained, *SIGNAL, "--text", "abc def", "--out"]
    for name in ("a.npz", "a.json", "a.csv"):
        run(*asked, tmp_path / name, code=0)
    run("inspect", trained, "--lens", "state", *SIGNAL, "--text", "abc def", "--out", tmp_path / "b.json", code=0)
    figure = json.loads((tmp_path / "a.json").read_text())
    assert figure == json.loads((tmp_path / "b.json").read_text()) and (figure["node"], figure["signal"]) == ("lstm", "h")
    cells = next(panel["cells"] for panel in figure["panels"] if "cells" in panel)
    signal = numpy.load(tmp_path / "a.npz")["lstm.h"]
    assert numpy.array_equal(numpy.array(cells["values"], dtype=numpy.float32), signal.T)
    assert len(figure["panels"][0]["x"]["labels"]) == 7


NARROW = {"char-s5": ["embedding.width=12", "layer.mix.width=12", "layer.s5.state_size=6"],
          "char-hgrn": ["embedding.width=6", "layer.hgrn.units=6", "layer.down.width=6"]}


@pytest.mark.parametrize("block, node", [("s5", "layer.2.s5"), ("hgrn", "layer.2.hgrn")])
def test_complex_signals_are_pairs_whatever_the_block(tmp_path, block, node):
    """raw is [steps, units, 2], and the picture is its size and its phase; the signals alone have the same numbers in turn."""
    settings = [word for setting in NARROW[f"char-{block}"] for word in ("--set", setting)]
    run("train", f"char-{block}", "--steps", "1", "--run", tmp_path / "run", *settings, "--set", "training.evaluate_whole=false", "--set",
        "training.evaluate_batches=1", "--set", "training.sample_every=0", "--quiet", "--device", "cpu", code=0)
    asked = ["inspect", tmp_path / "run", "--node", node, "--signal", "h", "--text", "abc def"]
    run(*asked, "--lens", "state", "--out", tmp_path / "state.npz", code=0)
    told = run(*asked, "--out", tmp_path / "signal.npz", code=0).err
    arrays, alone = numpy.load(tmp_path / "state.npz"), numpy.load(tmp_path / "signal.npz")[f"{node}.h"]
    raw = arrays["raw"]
    assert raw.shape == (7, 6, 2) and alone.shape == (7, 12) and "6 complex units" in told
    assert numpy.array_equal(raw.reshape(7, 12).astype(numpy.float32), alone)
    values, phase = arrays[f"values.{node}.h"].T, arrays[f"phase.{node}.h.phase"].T
    numpy.testing.assert_allclose(values, numpy.hypot(raw[..., 0], raw[..., 1]), rtol=1e-5)
    numpy.testing.assert_allclose(phase, numpy.arctan2(raw[..., 1], raw[..., 0]), rtol=1e-5, atol=1e-6)
    assert numpy.abs(raw[..., 1]).max() > 1e-3, "they do have an imaginary part"


def test_matrices_are_drawn_a_head_each(trained, tmp_path):
    """The maps of a step are the raw numbers of that step, on one scale, with their axes named."""
    model, out = tmp_path / "run", tmp_path / "heads"
    run("train", "char-gla", "--steps", "1", "--run", model, "--quiet", "--device", "cpu", code=0)
    asked = ["inspect", model, "--lens", "state", "--node", "layer.1.gla", "--signal", "S", "--text", "abcd", "--set", "draw=matrices"]
    for step, index in (("2", 2), ("-1", 3)):
        for ending in ("json", "npz", "png"):
            run(*asked, "--set", f"step={step}", "--out", out.with_suffix("." + ending), "--force", code=0)
        panels = json.loads(out.with_suffix(".json").read_text())["panels"]
        raw = numpy.load(out.with_suffix(".npz"))["raw"]
        assert raw.ndim == 4 and len(panels) == raw.shape[1]
        for head, panel in enumerate(panels):
            assert (panel["title"], panel["x"]["title"], panel["y"]["title"]) == (f"head {head}", "value", "key")
            assert numpy.allclose(numpy.reshape(panel["cells"]["values"], raw.shape[2:]), raw[index, head], atol=1e-7)
            assert panel["cells"]["reach"] == panels[0]["cells"]["reach"] >= numpy.abs(raw[index]).max() * (1 - 1e-6)
    ended = run("inspect", trained, "--lens", "state", *SIGNAL, "--set", "draw=matrices", "--out", tmp_path / "none.json", code=1)
    assert "has no matrices" in ended.err and not (tmp_path / "none.json").exists()


def test_list(trained):
    lines = run("inspect", trained, "--lens", "list", "--json", code=0).lines
    assert all(line["kind"] == "lens" and line["title"] and line["summary"].endswith(".") for line in lines)
    stats = next(line for line in lines if line["name"] == "unit_stats")
    order = stats["settings"][0]
    assert order["name"] == "order" and order["default"] == "index" and set(order["choices"]) == {"index", "mean", "deviation"} and order["help"]
    out = run("inspect", trained, "--lens", "list", code=0).out
    assert all(f"{line['title']} ({line['name']})" in out and line["summary"] in out for line in lines)
    assert "index | mean | deviation" in out


def test_settings(trained, tmp_path):
    means = {}
    for order in ("index", "mean"):
        told = run("inspect", trained, "--lens", "unit_stats", *SIGNAL, "--set", f"order={order}", "--json", code=0).lines[0]
        assert told["settings"] == {"order": order}
        means[order] = told["panels"][0]["series"][0]["y"]
    assert sorted(means["index"], reverse=True) == means["mean"] != means["index"]
    for words, said in ((["ordr=mean"], "unit_stats has no setting named ordr; did you mean order?"), (["order=size"], "order"),
                        (["order"], "expected NAME=VALUE"), (["=3"], "expected NAME=VALUE")):
        ended = run("inspect", trained, "--lens", "unit_stats", *SIGNAL, "--set", *words, "--out", tmp_path / "a.csv", code=1)
        assert said in ended.err and f"--set {words[0]}" in ended.err, ended.err
    assert not (tmp_path / "a.csv").exists()


def test_which_signal(trained):
    for words, said in (([], "--node: state takes a signal of one node; choose it with --node: embedding, lstm, head"),
                        (["--node", "lstm"], "lstm: state takes one signal; choose it with --signal: "),
                        (["--node", "lstn"], "did you mean lstm?"), (["--node", "lstm", "--signal", "q"], "named q"),
                        (["--signal", "qq"], "no node has a signal named qq")):
        ended = run("inspect", trained, "--lens", "state", *words, code=1)
        assert said in ended.err and ended.out == "", ended.err
    alone = run("inspect", trained, "--lens", "state", "--signal", "c", "--json", code=0).lines[0]  # of one node alone
    assert (alone["node"], alone["signal"]) == ("lstm", "c")
    named, unnamed = (run("inspect", trained, "--lens", "spectrum", "--node", "lstm", *words, code=0).out for words in (["--signal", "h"], []))
    assert named == unnamed and "Half-lives from gate f" in unnamed


def test_wrong_words(trained, tmp_path):
    ended = run("inspect", trained, "--lens", "unitstats", code=2)
    assert "unit_stats" in ended.err and ended.out == ""
    assert "did you mean dark" in run("inspect", trained, *SIGNAL, "--theme", "darc", code=2).err
    for words, needed in ((["--theme", "dark"], "--out"), (["--force"], "--out"), (["--seed", "4"], "--sample")):
        assert f"{words[0]} requires {needed}" in run("inspect", trained, *SIGNAL, *words, code=2).err
    ended = run("inspect", trained, *SIGNAL, "--out", tmp_path / "a.gif", code=2)
    assert ".npz, .csv, .json, .png or .svg" in ended.err


def test_foreign_files_stay(trained, tmp_path):
    asked = ["inspect", trained, "--lens", "state", *SIGNAL, *READ, "--out"]
    for ending in ENDINGS:
        out = tmp_path / f"a.{ending}"
        out.write_text("mine")
        assert f"a.{ending}" in run(*asked, out, code=1).err and out.read_text() == "mine"
        run(*asked, out, "--force", code=0)
        before = out.read_bytes()
        run(*asked, out, code=0)  # ours is replaced
        assert out.read_bytes() == before, ending
        out.write_bytes(before[:-20] + b"!" + before[-19:])
        run(*asked, out, code=1)
    assert run("inspect", trained, "--lens", "state", *SIGNAL, "--out", trained / "a.csv", code=1).err and not (trained / "a.csv").exists()


def test_themes(trained, tmp_path):
    for theme, corner in (("light", (255, 255, 255)), ("dark", (24, 28, 34))):
        run("inspect", trained, *SIGNAL, "--theme", theme, "--out", tmp_path / f"{theme}.png", code=0)
        assert PIL.Image.open(tmp_path / f"{theme}.png").getpixel((0, 0)) == corner


def test_what_is_read(trained, text, tmp_path):
    def labels(*words):
        return run("inspect", trained, *SIGNAL, *words, "--json", code=0).lines[0]["panels"][0]["x"]["labels"]

    assert len(labels()) == 96 and len(labels("--length", "5")) == 5
    assert labels("--text", "abc") == ["a", "b", "c"]
    assert len(labels("--sample", "ab", "--length", "30", "--seed", "4")) == 30
    assert labels("--at", "7", "--length", "4")[0] in (text.read_text()[7], *labels("--at", "7", "--length", "1"))
    arrays = tmp_path / "a.npz"
    run("inspect", trained, "--node", "lstm", "--at", "7", "--length", "4", "--out", arrays, code=0)
    assert numpy.load(arrays)["lstm.h"].shape == (4, 11)


def test_an_edit_can_be_named(trained, tmp_path):
    """It is kept in the run's folder, and stands for itself wherever edits are taken."""
    run_folder = tmp_path / "run"
    shutil.copytree(trained, run_folder)
    words = ["inspect", run_folder, "--lens", "touch", *READ, "--set"]
    edit = "lstm.h[3] = 0.5 from 9"
    plain = run(*words, f"edit={edit}", "--keep-edit", "quiet", "--json", code=0)
    assert json.loads((run_folder / "edits.json").read_text()) == {"quiet": edit}
    assert run(*words, "edit=@quiet", "--json", code=0).lines[0] == plain.lines[0]
    beside = ["inspect", run_folder, "--lens", "answers", *READ, "--json", "--against-edit"]
    assert run(*beside, "@quiet", code=0).lines[0] == run(*beside, edit, code=0).lines[0]
    assert "did you mean quiet?" in run(*words, "edit=@quiett", code=1).err
    assert "letters, digits" in run(*words, f"edit={edit}", "--keep-edit", "my one", code=1).err
    gone = subprocess.Popen([program(), *map(str, words), f"edit={edit}", "--keep-edit", "alone"], stdout=subprocess.PIPE)
    gone.stdout.close()
    gone.wait()
    assert json.loads((run_folder / "edits.json").read_text())["alone"] == edit, "kept though nobody reads what is shown"
    assert "no edit to be kept" in run(*words, "edit=", "--keep-edit", "none", code=1).err
    wrong = run(*words, "edit=lstm.h[3 = 0", "--keep-edit", "wrong", code=1)
    assert "at character 10" in wrong.err and "wrong" not in json.loads((run_folder / "edits.json").read_text()), "what fails gets no name"


def test_rows_by_what_they_track(trained):
    """The units of the first feature's best unit are on top; all are there, and the numbers are theirs."""
    words = ["inspect", trained, *SIGNAL, *READ, "--json"]
    plain = run(*words, code=0).lines[0]["panels"][0]["cells"]
    told = run(*words, "--set", "order=tracks", code=0).lines[0]
    ranked, arrays = told["panels"][0]["cells"], told["arrays"]
    assert sorted(ranked["units"]) == plain["units"] and "track one feature" in told["shows"]
    for unit, row in zip(ranked["units"], ranked["values"]):
        assert row == plain["values"][unit]
    assert any(array["name"] == "raw" for array in arrays)


def test_weights_are_spread_over_training(small, tmp_path):
    """Heat maps of the counts that were kept: an update a column, in the file as in the window's figure."""
    run("train", small, "--run", tmp_path / "run", "--quiet", "--lenses-every", "10", code=0)
    words = ["inspect", tmp_path / "run", "--lens", "weights", "--set", "node=lstm"]
    shown = run(*words, "--json", code=0).lines[0]
    spread = next(panel for panel in shown["panels"] if panel["id"] == "weights_spread_lstm")
    assert spread["x"]["labels"] == ["10", "20", "30", "40"]
    shares = numpy.asarray(spread["cells"]["values"])
    assert shares.shape == (20, 4) and numpy.allclose(shares.sum(axis=0), 1, atol=1e-6)
    counts = sum(numpy.asarray(array["values"]) for array in shown["arrays"] if array["name"].startswith("histogram_lstm."))
    assert numpy.allclose(shares[::-1, 3], counts.reshape(20, 2).sum(axis=1) / counts.sum(), atol=1e-6), "the last is what it is now"
    for of in ("gradients", "updates"):
        panels = run(*words, "--set", f"of={of}", "--json", code=0).lines[0]["panels"]
        sizes = next(panel for panel in panels if panel["id"] == f"{of}_spread_lstm")
        assert numpy.allclose(numpy.asarray(sizes["cells"]["values"]).sum(axis=0), 1, atol=1e-6)
    run(*words, "--out", tmp_path / "a.npz", code=0)
    with numpy.load(tmp_path / "a.npz") as arrays:
        same(arrays["weights_spread_lstm.weights_spread_lstm"], shares.ravel())

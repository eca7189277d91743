# SPDX-License-Identifier: GPL-3.0-or-later
"""eval, sample and inspect on a finished run."""

import base64
import io
import json
import re
import shutil

import numpy
import PIL.Image
import pytest
import safetensors
import safetensors.numpy
from running import run, small_text, write_document, write_group


def final_row(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()][-1]


def test_eval_says_what_training_measured(trained):
    figures = run("eval", trained, "--json", "--threads", "1", "--device", "cpu", code=0).lines[0]
    row = final_row(trained)
    assert figures["loss"] == row["final/loss"] and figures["acc"] == row["final/acc"] and figures["step"] == 40
    assert figures["bpc"] == figures["bits"] == pytest.approx(figures["loss"] / numpy.log(2)) and figures["targets"] > 1000
    assert f"{figures['loss']:.6f} nats" in run("eval", trained, "--threads", "1", "--device", "cpu", code=0).out


def test_the_floor_of_the_bundled_corpus_has_its_expectation_beside_it(tmp_path):
    narrow = [word for node in ("embedding.width", "lstm.units", "lstm_2.units") for word in ("--set", f"{node}=8")]
    told = run("train", "fable", "--steps", "1", "--run", tmp_path / "run", *narrow, "--set", "training.evaluate_whole=false", "--set",
               "training.evaluate_batches=1", "--set", "training.sample_every=0", code=0).err
    assert "entropy of these data 0.5399 nats (0.5174 of their source), on the validation slice" in told
    figures = run("eval", tmp_path / "run", "--json", code=0).lines[0]
    assert figures["entropy_floor"] == pytest.approx(figures["entropy_expected"], rel=0.02)
    assert figures["entropy_floor"] != figures["entropy_expected"]


def test_eval_has_the_ngrams_of_the_training_part_beside_it(tmp_path, text):
    document = write_document(tmp_path / "split.unroll", text)
    run("train", document, "--steps", "1", "--run", tmp_path / "run", "--set", "text.test_fraction=0.2", "--quiet", code=0)
    for split in ("val", "test"):
        figures = run("eval", tmp_path / "run", "--split", split, "--json", code=0).lines[0]
        assert 0 < figures["baseline"] < figures["loss"] and "gram, Kneser-Ney" in figures["baseline_guess"] and "no_baseline" not in figures
    longer = run("eval", tmp_path / "run", "--split", "test", "--set", "text.steps=12", "--json", code=0).lines[0]
    assert longer["baseline"] == pytest.approx(figures["baseline"], rel=0.1)
    other = run("eval", tmp_path / "run", "--split", "test", "--data", text, "--json", code=0).lines[0]
    assert "baseline" not in other and "not read as it was for training" in other["no_baseline"]


def test_eval_of_a_step(trained):
    figures = run("eval", trained, "--json", "--checkpoint", "20", code=0).lines[0]
    assert figures["step"] == 20 and figures["loss"] != final_row(trained)["final/loss"]
    assert run("eval", trained, "--json", "--checkpoint", "best", code=0).lines[0]["step"] in (10, 20, 30, 40)
    ended = run("eval", trained, "--checkpoint", "7", code=1)
    assert "newest, best" in ended.err and "40" in ended.err


def test_eval_under_other_settings(tmp_path):
    """Longer sequences than any of training: here every figure follows from the length."""
    run("train", "parity-mru", "--steps", "1", "--run", tmp_path / "run", "--quiet", "--set", "training.evaluate_whole=false", "--set",
        "training.evaluate_batches=1", code=0)
    lengths = ["--set", "parity.validation_shortest=3", "--set", "parity.validation_longest=3"]
    once = run("eval", tmp_path / "run", "--json", *lengths, "--set", "parity.evaluation_sequences=20", code=0).lines[0]
    assert once["targets"] == 20
    every = run("eval", tmp_path / "run", "--json", *lengths, "--set", "parity.evaluation_sequences=20", "--set", "parity.ask=every", code=0).lines[0]
    assert every["targets"] == 60
    assert "no parameter named pace" in run("eval", tmp_path / "run", "--set", "parity.pace=3", code=1).err
    assert "mru" in run("eval", tmp_path / "run", "--set", "mru.units=16", code=1).err


def test_bits_per_character_are_only_of_characters(tmp_path, text):
    """Of words and of a task there are bits per target, in eval alone."""
    short = ["--steps", "1", "--quiet", "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1"]
    document = write_document(tmp_path / "words.unroll", text)
    run("train", document, "--run", tmp_path / "words", *short, "--set", "text.unit=words", code=0)
    run("train", "parity-mru", "--run", tmp_path / "task", *short, code=0)
    for name in ("words", "task"):
        assert not [key for key in final_row(tmp_path / name) if key.endswith("bpc")] and "val/ppl" in final_row(tmp_path / name)
        figures = run("eval", tmp_path / name, "--json", code=0).lines[0]
        assert "bpc" not in figures and figures["bits"] == pytest.approx(figures["loss"] / numpy.log(2))
        assert "bits per target" in run("eval", tmp_path / name, code=0).out


def test_a_run_on_words_reads_other_texts(tmp_path, text):
    """By its own vocabulary, whatever the order and the number of the words are there; a prompt needs no data."""
    document = write_document(tmp_path / "words.unroll", text)
    short = ["--steps", "1", "--quiet", "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1"]
    run("train", document, "--run", tmp_path / "run", *short, "--set", "text.unit=words", code=0)
    known = text.read_text().split()[0]
    (tmp_path / "other.txt").write_text(f"zebra {known} {known} yak\n" * 40)
    ended = run("eval", tmp_path / "run", "--json", "--data", tmp_path / "other.txt", code=0)
    assert "80 of 200 words (40.00 %) are <unk>, which stands for all words that the vocabulary of " in ended.err
    assert ended.lines[0]["targets"] == 199
    seen = run("inspect", tmp_path / "run", "--data", tmp_path / "other.txt", "--node", "lstm", "--signal", "h", code=0)
    assert "80 of 200 words" in seen.err
    told = run("sample", tmp_path / "run", "--prompt", f"{known} zebra", "--tokens", "2", code=0)
    assert "prompt: 1 of 2 words read as <unk>" in told.err and "'zebra'" in told.err and told.out.startswith(f"{known} <unk>")
    assert "prompt: " not in run("sample", tmp_path / "run", "--prompt", known, "--tokens", "2", code=0).err


def test_eval_of_outputs_that_are_not_finite_is_an_error(trained, tmp_path):
    shutil.copytree(trained, tmp_path / "run")
    for path in (tmp_path / "run" / "checkpoints").glob("step-*/weights.safetensors"):
        weights = safetensors.numpy.load_file(path)
        with safetensors.safe_open(path, "numpy") as file:
            metadata = file.metadata()
        weights["head.weight"] = numpy.full_like(weights["head.weight"], numpy.nan)
        safetensors.numpy.save_file(weights, path, metadata)
    for more in ([], ["--json"]):
        ended = run("eval", tmp_path / "run", *more, code=3)
        assert "the model's outputs are not finite: " in ended.err and "nan nats" not in ended.out + ended.err
    figures = ended.lines[0]
    assert figures["loss"] == "NaN" and not {"acc", "ppl", "bits", "bpc"} & set(figures)
    assert "the model's outputs are not finite: " in run("sample", tmp_path / "run", "--tokens", "3", code=1).err


def test_eval_on_other_data(trained, tmp_path, text):
    same = run("eval", trained, "--json", "--data", text, "--split", "val", code=0).lines[0]["loss"]
    assert same == run("eval", trained, "--json", code=0).lines[0]["loss"]
    other = small_text(tmp_path / "other.txt", seed=2)
    assert run("eval", trained, "--json", "--data", other, code=0).lines[0]["loss"] != same
    strange = tmp_path / "strange.txt"
    strange.write_text("abcdefgh .\nX" * 500)
    ended = run("eval", trained, "--data", strange, code=1)
    assert "'X'" in ended.err and "alphabet of 11" in ended.err and str(strange) in ended.err
    swapped = tmp_path / "swapped.txt"
    swapped.write_text(other.read_text().replace("h", "z"))
    ended = run("eval", trained, "--data", swapped, code=1)
    assert "alphabet" in ended.err and "'z'" in ended.err
    fewer = tmp_path / "fewer.txt"
    fewer.write_text(other.read_text().replace("h", "a"))
    assert run("eval", trained, "--json", "--data", fewer, code=0).lines[0]["loss"] > same
    assert run("sample", trained, "--data", fewer, "--prompt", "h", "--tokens", "3", code=0).out.startswith("h")


def test_eval_on_a_text_that_is_too_short_to_train_on(trained, tmp_path):
    short = tmp_path / "short.txt"
    short.write_text("abc def. gh " * 5)  # one window, not the four of a batch
    figures = run("eval", trained, "--json", "--data", short, code=0).lines[0]
    assert figures["targets"] == 59  # all of it: every character but the first


def test_a_run_of_a_larger_machine(trained, tmp_path):
    """Its batch fits neither the memory nor the data here; looking at it needs neither."""
    shutil.copytree(trained, tmp_path / "run")
    path = tmp_path / "run" / "experiment.unroll"
    experiment = json.loads(path.read_text())
    experiment["training"]["batch"] = 10 ** 9
    path.write_text(json.dumps(experiment))
    assert run("sample", tmp_path / "run", "--tokens", "5", code=0).out == run("sample", trained, "--tokens", "5", code=0).out
    run("inspect", tmp_path / "run", "--node", "lstm", "--out", tmp_path / "a.npz", code=0)
    assert "training would need" in run("check", path, code=1).err


def test_no_test_split(trained):
    assert "the data has no test part: set test_fraction or test_file" in run("eval", trained, "--split", "test", code=1).err


def test_no_run(tmp_path):
    for words in (["eval", tmp_path], ["sample", tmp_path / "none"], ["inspect", tmp_path, "--node", "lstm", "--out", "a.npz"],
                  ["export", tmp_path, "--format", "python", "--out", tmp_path / "out"]):
        ended = run(*words, code=1)
        assert str(tmp_path) in ended.err and ended.out == ""


def test_run_without_checkpoint(trained, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(trained, copy)
    shutil.rmtree(copy / "checkpoints")
    assert "no checkpoint" in run("eval", copy, code=1).err


def test_run_elsewhere(trained, tmp_path):
    """A run can be moved: it finds data that was named from the root."""
    shutil.copytree(trained, tmp_path / "moved run")
    assert run("eval", tmp_path / "moved run", "--json", code=0).lines == run("eval", trained, "--json", code=0).lines


def test_sample(trained):
    first = run("sample", trained, "--prompt", "abc", "--tokens", "50", code=0).out
    assert first.startswith("abc") and len(first) == 3 + 50 + 1 and set(first) <= set("abcdefgh .\n")
    assert run("sample", trained, "--prompt", "abc", "--tokens", "50", code=0).out == first
    assert run("sample", trained, "--prompt", "abc", "--tokens", "50", "--seed", "9", code=0).out != first
    assert run("sample", trained, "--prompt", "a", "--tokens", "30", "--temperature", "0", "--seed", "1", code=0).out == \
        run("sample", trained, "--prompt", "a", "--tokens", "30", "--temperature", "0", "--seed", "2", code=0).out
    told = run("sample", trained, "--prompt", "abc", "--tokens", "50", "--json", code=0).lines[0]
    assert told["text"] + "\n" == first and told["step"] == 40
    assert len(run("sample", trained, "--tokens", "5", code=0).out) == 1 + 5 + 1


def test_sample_by_a_rule(trained):
    asked = ["sample", trained, "--prompt", "abc", "--tokens", "60"]
    likeliest = run(*asked, "--temperature", "0", code=0).out
    for one in (["--top-k", "1"], ["--top-p", "0"], ["--top-k", "5", "--top-p", "0.01"]):
        assert run(*asked, *one, "--seed", "7", code=0).out == likeliest
    whole = run(*asked, "--seed", "7", code=0).out
    assert run(*asked, "--seed", "7", "--top-k", "0", "--top-p", "1", code=0).out == whole
    stop = whole[30:32]
    assert run(*asked, "--seed", "7", "--stop", stop, code=0).out == whole[: whole.index(stop, 3) + 2] + "\n"
    assert "stop" in run(*asked, "--stop", "\u00e4", code=1).err
    assert "top-p must be a number from 0 to 1; it is '1.5'" in run(*asked, "--top-p", "1.5", code=2).err


def test_what_needs_no_data_works_where_it_is_gone(trained, tmp_path):
    """The run remembers its alphabet; only the split itself and its beginning are lost with the text."""
    shutil.copytree(trained, tmp_path / "run")
    for path in [tmp_path / "run" / "experiment.unroll", tmp_path / "run" / "environment.json"]:
        path.write_text(path.read_text().replace("small.txt", "gone.txt"))
    asked = ["--prompt", "abc", "--tokens", "50"]
    assert run("sample", tmp_path / "run", *asked, code=0).out == run("sample", trained, *asked, code=0).out
    assert "\u00e4" in run("sample", tmp_path / "run", "--prompt", "ab\u00e4", code=1).err
    look = ["--node", "lstm", "--signal", "c", "--out"]
    for folder in [tmp_path / "run", trained]:
        run("inspect", folder, "--text", "abc def", *look, tmp_path / f"{folder.name}.npz", code=0)
    assert (tmp_path / "run.npz").read_bytes() == (tmp_path / f"{trained.name}.npz").read_bytes()
    for words in (["eval"], ["inspect", *look, tmp_path / "none.npz"]):
        assert "gone.txt" in run(words[0], tmp_path / "run", *words[1:], code=1).err
    assert "gone.txt" not in run("sample", tmp_path / "run", "--data", tmp_path / "other.txt", code=1).err


def test_sample_of_a_strange_character(trained):
    ended = run("sample", trained, "--prompt", "abä", code=1)
    assert "ä" in ended.err and "prompt" in ended.err and ended.out == ""


def test_sample_at_a_tiny_temperature(trained):
    likeliest = run("sample", trained, "--prompt", "abc", "--tokens", "20", "--temperature", "0", code=0).out
    assert run("sample", trained, "--prompt", "abc", "--tokens", "20", "--temperature", "1e-310", code=0).out == likeliest


def test_inspect_arrays(trained, tmp_path):
    out = tmp_path / "signals.npz"
    told = run("inspect", trained, "--text", "abc def", "--node", "lstm", "--out", out, "--json", code=0)
    arrays = numpy.load(out)
    assert set(arrays) == {"lstm." + name for name in "chifgo"} == {f"{line['node']}.{line['signal']}" for line in told.lines}
    assert all(arrays[name].shape == (7, 11) and arrays[name].dtype == numpy.float32 for name in arrays)
    i, f, g, o, c, h = (arrays[f"lstm.{name}"].astype(numpy.float64) for name in "ifgoch")
    before = numpy.vstack([numpy.zeros(11), c[:-1]])
    assert numpy.allclose(c, f * before + i * g, atol=1e-6) and numpy.allclose(h, o * numpy.tanh(c), atol=1e-6)


def test_inspect_one_signal(trained, tmp_path):
    run("inspect", trained, "--node", "lstm", "--signal", "c", "--out", tmp_path / "c.npz", code=0)
    assert set(numpy.load(tmp_path / "c.npz")) == {"lstm.c"}


def heat_map(path):
    """Pixels of the cells of an SVG, [height, width, 3]."""
    images = re.findall(r'xlink:href="data:image/png;base64,([^"]+)"', path.read_text())
    assert len(images) == 1
    return numpy.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(images[0]))).convert("RGB"))


def test_inspect_picture(trained, tmp_path):
    """The picture shows the values: time to the right, units down, darker for gates that are open."""
    asked = ["inspect", trained, "--text", "abc def", "--node", "lstm", "--signal", "f", "--out"]
    for name in ("f.npz", "f.png", "f.svg"):
        run(*asked, tmp_path / name, code=0)
    picture = PIL.Image.open(tmp_path / "f.png")
    assert picture.format == "PNG" and picture.mode == "RGB" and picture.width == 1520
    gates, pixels = numpy.load(tmp_path / "f.npz")["lstm.f"], heat_map(tmp_path / "f.svg").astype(float)
    rows = ((numpy.arange(11) + 0.5) * pixels.shape[0] / 11).astype(int)
    columns = ((numpy.arange(7) + 0.5) * pixels.shape[1] / 7).astype(int)
    cells = pixels[rows][:, columns].sum(axis=2)
    assert cells.shape == (11, 7) and numpy.corrcoef(cells.ravel(), gates.T.ravel())[0, 1] < -0.95


def test_inspect_mistakes(trained, tmp_path):
    out = tmp_path / "a.npz"
    for words, said in ((["--node", "lstn"], "did you mean lstm?"), (["--node", "lstm", "--signal", "q"], "named q; did you mean c or h or i?"),
                        (["--node", "text"], "named text; there are embedding, lstm, head")):
        ended = run("inspect", trained, *words, "--out", out)
        assert ended.code == 1 and said in ended.err, ended.err
    assert run("inspect", trained, "--node", "lstm", "--out", tmp_path / "a.gif").code == 2
    assert "--signal" in run("inspect", trained, "--node", "lstm", "--out", tmp_path / "a.png", code=1).err
    assert "ä" in run("inspect", trained, "--node", "lstm", "--text", "ä", "--out", out, code=1).err
    assert "/proc/x.npz" in run("inspect", trained, "--node", "lstm", "--out", "/proc/x.npz", code=1).err
    assert not out.exists()


def test_nodes_in_groups(tmp_path, text):
    path = write_group(tmp_path / "group.unroll", text)
    run("train", path, "--steps", "3", "--run", tmp_path / "run", code=0)
    run("inspect", tmp_path / "run", "--node", "body.2.lstm", "--signal", "h", "--out", tmp_path / "h.npz", code=0)
    assert numpy.load(tmp_path / "h.npz")["body.2.lstm.h"].shape[1] == 12
    assert "body.3.lstm" in run("inspect", tmp_path / "run", "--node", "body.4.lstm", "--out", tmp_path / "h.npz", code=1).err


def test_bytes_have_no_text_of_their_own(tmp_path, text):
    nodes = {"text": ("text", {"file": str(text), "unit": "bytes", "steps": 8}), "embedding": ("embedding", {"width": 4}),
             "lstm": ("lstm", {"units": 5}), "head": ("head", {})}
    path = write_document(tmp_path / "bytes.unroll", text, nodes=nodes)
    run("train", path, "--steps", "2", "--set", "training.sample_every=0", "--run", tmp_path / "run", code=0)
    assert json.loads((tmp_path / "run" / "environment.json").read_text())["classes"] == 256
    assert run("sample", tmp_path / "run", "--prompt", "ä", "--tokens", "3", code=0).out.startswith("ä")

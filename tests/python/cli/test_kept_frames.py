# SPDX-License-Identifier: GPL-3.0-or-later
"""What lenses showed while a run trained: kept, listed, written."""

import json
import math
import shutil

import numpy
import PIL.Image
import pytest
import safetensors
import safetensors.numpy
from running import run, write_document

KEPT = ["--keep-lenses", "state:lstm.h,state:lstm.c", "--keep-lenses", "weights"]
STATE = ["--lens", "state", "--signal", "h"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory, text):
    """A finished run that kept what three lenses showed, and what was said of it."""
    folder = tmp_path_factory.mktemp("kept")
    said = run("train", write_document(folder / "small.unroll", text), "--run", folder / "run", *KEPT, "--json", code=0)
    return folder / "run", said


def listed(folder):
    return {(line["lens"], line["node"], line["signal"]): line for line in run("inspect", folder, "--kept", "list", "--json", code=0).of("kept")}


def figure(*words):
    return run("inspect", *words, "--json", code=0).lines[0]


def values(shown):
    return numpy.array(shown["panels"][0]["cells"]["values"], dtype=float)


def test_what_is_kept_is_listed(kept):
    folder, said = kept
    lines = listed(folder)
    assert set(lines) == {("state", "lstm", "h"), ("state", "lstm", "c"), ("weights", "", "")}
    for line in lines.values():
        assert line["updates"] == sorted(set(line["updates"])) and line["updates"][-1] == 40 and line["settings"] == {} and line["bytes"] > 0
    count = sum(len(line["updates"]) for line in lines.values())
    assert said.of("end")[0]["kept_frames"] == count == len(list(folder.glob("frames/*/*.safetensors")))
    assert run("list", "runs", "--in", folder.parent, "--json", code=0).of("run")[0]["kept_frames"] == count
    out = run("inspect", folder, "--kept", "list", code=0).out
    assert "state lstm.h" in out and "weights" in out


def test_the_last_frame_is_what_the_checkpoint_shows(kept, tmp_path):
    folder, _ = kept
    words = ["--node", "lstm", *STATE]
    then = figure(folder, *words, "--at-update", 40)
    now = figure(folder, *words)
    assert {key: now[key] for key in ("lens", "title", "node", "signal", "training_step", "missing", "shows")} == \
        {key: then[key] for key in ("lens", "title", "node", "signal", "training_step", "missing", "shows")}
    assert then["panels"][0]["x"] == now["panels"][0]["x"] and then["panels"][0]["cells"]["units"] == now["panels"][0]["cells"]["units"]
    assert numpy.all(numpy.abs(values(then) - values(now)) <= numpy.abs(values(now)) / 2048 + 1e-9)
    assert numpy.any(values(then) != values(now))  # half precision
    for ending in ("npz", "csv", "json", "png", "svg"):
        assert run("inspect", folder, *words, "--at-update", 40, "--out", tmp_path / f"a.{ending}", code=0).out == ""
    assert json.loads((tmp_path / "a.json").read_text())["panels"] == then["panels"]
    assert numpy.load(tmp_path / "a.npz")["raw"].shape == (96, 11)
    assert PIL.Image.open(tmp_path / "a.png").width in (1520, 2360)


def test_the_nearest_is_taken_and_told(kept):
    folder, _ = kept
    updates = listed(folder)["state", "lstm", "h"]["updates"]
    exact = run("inspect", folder, *STATE, "--at-update", updates[0], "--json", code=0)
    assert exact.lines[0]["training_step"] == updates[0] and exact.err == ""
    far = run("inspect", folder, *STATE, "--at-update", 100_000, "--json", code=0)
    assert far.lines[0]["training_step"] == 40 and "update 100,000 is not kept; the nearest is 40" in far.err
    if len(updates) > 1:
        assert not numpy.array_equal(values(exact.lines[0]), values(far.lines[0]))


def test_neither_model_nor_data_are_needed(kept, tmp_path):
    folder, _ = kept
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    shutil.rmtree(copy / "checkpoints")
    assert figure(copy, *STATE, "--at-update", 40)["training_step"] == 40
    assert figure(copy, "--lens", "weights", "--at-update", 40)["lens"] == "weights"


def test_files_are_safetensors_that_others_read(kept):
    folder, _ = kept
    said = {}
    for file in folder.glob("frames/state-*/*000040.safetensors"):
        with safetensors.safe_open(file, "numpy") as opened:
            said[json.loads(opened.metadata()["series"])["signal"]] = file, opened.metadata()
    assert set(said) == {"h", "c"} and all(each["step"] == "40" for _, each in said.values())
    tensors = safetensors.numpy.load_file(said["h"][0])
    assert tensors["half"].dtype == numpy.float16
    words = json.loads(tensors["text"].tobytes())
    pool, offset, count, exponent = words["panels"][0]["cells"]["values"]
    assert pool == 0 and count == 96 * 11
    cells = tensors["half"][offset:offset + count].astype(float) * math.ldexp(1, exponent)
    assert numpy.all(numpy.abs(cells) <= 1.001)


def test_a_strip_stands_on_one_scale(kept, tmp_path):
    folder, _ = kept
    updates = listed(folder)["state", "lstm", "h"]["updates"]
    strip = figure(folder, *STATE, "--kept", "strip")
    cells, rules = strip["panels"][0]["cells"], strip["panels"][0]["rules"]
    count = len(rules)
    assert 1 <= count <= 8 and rules[-1]["label"] == "40" and cells["columns"] == 96 * count and cells["rows"] == 11
    last = figure(folder, *STATE, "--at-update", updates[-1])
    assert numpy.array_equal(values(strip)[:, -96:], values(last)) and f"at {count} update" in strip["shows"]
    run("inspect", folder, *STATE, "--kept", "strip", "--out", tmp_path / "a.png", code=0)
    assert "excludes" in run("inspect", folder, *STATE, "--kept", "strip", "--at-update", 3, code=2).err


def test_refusals(kept, trained):
    folder, _ = kept
    for words, said in ((["--lens", "spectrum", "--node", "lstm", "--at-update", "3"], "no frames are kept of spectrum lstm; kept are: state lstm.c; state lstm.h; weights"),
                        (["--lens", "state", "--at-update", "3"], "choose with --node, --signal and --set: state lstm.c; state lstm.h"),
                        ([*STATE, "--set", "order=mean", "--at-update", "3"], "no frames are kept of state h order=mean"),
                        (["--lens", "weights", "--set", "ofs=1", "--at-update", "3"], "weights has no setting named ofs"),
                        (["--lens", "memory", "--set", "step=4", "--at-update", "3"], "step cannot be changed for a kept frame")):
        ended = run("inspect", folder, *words, code=1)
        assert said in ended.err and ended.out == "", ended.err
    assert "no frames of lenses are kept: train with --keep-lenses" in run("inspect", trained, *STATE, "--at-update", 3, code=1).err
    assert run("inspect", trained, "--kept", "list", code=0).out == "no frames of lenses are kept\n"
    assert "there is no run here" in run("inspect", folder / "none", "--kept", "list", code=1).err
    for other in (["--text", "abc"], ["--at", "3"], ["--sample", "a"], ["--length", "4"], ["--checkpoint", "best"]):
        assert "excludes" in run("inspect", folder, *STATE, "--at-update", 3, *other, code=2).err
    run("inspect", folder, "--kept", "all", code=2)


def test_what_cannot_be_kept_is_refused_before_training(small, tmp_path):
    for wish, said in (("sttae:lstm.h", "there is no lens named sttae; did you mean state?"),
                       ("state", "state is of one signal; name it as state:NODE.SIGNAL, one of: "),
                       ("state:lstn.h", "there is no node with signals named lstn; did you mean lstm?"),
                       ("state:lstm.q", "lstm has no signal named q"),
                       ("weights:lstm.h", "weights is of the whole network")):
        ended = run("train", small, "--run", tmp_path / "run", "--keep-lenses", wish, code=1)
        assert said in ended.err and f"--keep-lenses {wish}" in ended.err, ended.err
        assert not (tmp_path / "run").exists()


def test_losses_are_the_same_and_a_resumed_run_goes_on(small, tmp_path):
    plain = run("train", small, "--run", tmp_path / "plain", "--json", code=0)
    kept = run("train", small, "--run", tmp_path / "kept", *KEPT, "--json", code=0)
    assert plain.losses == kept.losses
    assert "kept_frames" not in plain.of("end")[0] and not (tmp_path / "plain" / "frames").exists()
    before = listed(tmp_path / "kept")["state", "lstm", "h"]["updates"]
    run("train", "--resume", tmp_path / "kept", "--set", "training.steps=60", *KEPT, "--quiet", code=0)
    after = listed(tmp_path / "kept")["state", "lstm", "h"]["updates"]
    assert after[-1] == 60 and set(before) <= set(after)

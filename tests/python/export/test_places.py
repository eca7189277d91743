# SPDX-License-Identifier: GPL-3.0-or-later
"""Where exports, signals and pictures are written: over nothing that somebody else made, and into no run."""
import shutil

import numpy
import pytest
from running import run
from safetensors.numpy import load_file, save_file

FILES = {"model.py", "weights.safetensors", "golden.safetensors", "README.txt"}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def exported(small_export, tmp_path):
    """A copy of an export as Python, to be spoilt."""
    shutil.copytree(small_export.folder, tmp_path / "out", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "out"


def export(small_export, out, *more, form="python", code=0):
    return run("export", small_export.run, "--format", form, "--out", out, *more, code=code)


def test_an_export_takes_the_place_of_an_older_one(small_export, exported):
    (exported / "__pycache__").mkdir()
    for checkpoint in ("20", "newest"):
        export(small_export, exported, "--checkpoint", checkpoint)
    assert set(contents(exported) if not (exported / "__pycache__").rmdir() else ()) == FILES
    assert contents(exported) == contents(small_export.folder) or (small_export.folder / "__pycache__").exists()


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("change", ["mine", "edited", "cut", "added"])
def test_what_is_not_ours_as_it_was_stays(small_export, exported, name, change):
    file = exported / name
    ours = file.read_bytes()
    file.write_bytes({"mine": b"mine", "edited": ours[:200] + b"#" + ours[201:], "cut": ours[:-20], "added": ours + b"\n"}[change])
    before = contents(exported)
    ended = export(small_export, exported, code=1)
    assert name in ended.err and "--force" in ended.err and contents(exported) == before
    assert not any(other in ended.err for other in FILES - {name})
    export(small_export, exported, "--force")
    assert file.read_bytes() == ours or name != "model.py"
    export(small_export, exported)


def test_a_folder_with_other_things_in_it(small_export, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "data").mkdir()
    ended = export(small_export, tmp_path, code=1)
    assert "data, notes.txt" in ended.err
    assert {path.name for path in tmp_path.iterdir()} == {"data", "notes.txt"}
    export(small_export, tmp_path, "--force")
    assert (tmp_path / "notes.txt").read_text() == "mine" and (tmp_path / "model.py").exists()


def test_one_file_over_one_of_another(small_export, tmp_path):
    mine = {"npz": lambda path: numpy.savez(path, a=numpy.zeros(3)), "safetensors": lambda path: save_file({"a": numpy.zeros(3)}, path)}
    for form, write in mine.items():
        out = tmp_path / f"weights.{form}"
        write(out)
        before = out.read_bytes()
        ended = export(small_export, out, form=form, code=1)
        assert out.name in ended.err and out.read_bytes() == before
        export(small_export, out, "--force", form=form)
        ours = out.read_bytes()
        assert ours != before
        export(small_export, out, "--checkpoint", "20", form=form)
        export(small_export, out, form=form)
        assert out.read_bytes() == ours
        out.write_bytes(ours[:-1])
        export(small_export, out, form=form, code=1)


def test_weights_that_somebody_else_saved_again_are_theirs(small_export, tmp_path):
    from safetensors import safe_open
    out = tmp_path / "weights.safetensors"
    export(small_export, out, form="safetensors")
    with safe_open(out, "numpy") as file:
        metadata = file.metadata()
    tensors = load_file(out)
    tensors["head.bias"] = tensors["head.bias"] + 1
    save_file(tensors, out, metadata)
    before = out.read_bytes()
    export(small_export, out, form="safetensors", code=1)
    assert out.read_bytes() == before


def test_files_of_another_kind_stay(small_export, tmp_path):
    """Weights and signals are both arrays of ours."""
    out = tmp_path / "a.npz"
    inspect = ["inspect", small_export.run, "--node", "lstm", "--signal", "h", "--out"]
    export(small_export, out, form="npz")
    run(*inspect, out, code=1)
    run(*inspect, out, "--force", code=0)
    run(*inspect, out, code=0)
    export(small_export, out, form="npz", code=1)
    assert numpy.load(out)["lstm.h"].shape[1] == 11


def test_pictures(small_export, tmp_path):
    out = tmp_path / "h.png"
    words = ["inspect", small_export.run, "--node", "lstm", "--signal", "h", "--out", out]
    out.write_bytes(b"\x89PNG mine")
    assert "h.png" in run(*words, code=1).err and out.read_bytes() == b"\x89PNG mine"
    run(*words, "--force", code=0)
    run(*words, "--text", "abc", code=0)
    out.write_bytes(out.read_bytes().replace(b"IHDR", b"IHDR", 1)[:-12])
    run(*words, code=1)


@pytest.mark.parametrize("inside", ["", "model", "checkpoints/x", "metrics.csv"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_nothing_is_mixed_into_a_run(small_export, tmp_path, inside, force):
    shutil.copytree(small_export.run, tmp_path / "run")
    names = sorted(tmp_path.rglob("*"))
    place = tmp_path / "run" / inside
    for form in ("python", "npz", "safetensors"):
        ended = export(small_export, place, *force, form=form, code=1)
        assert "folder of the run" in ended.err and "--force" not in ended.err
    run("inspect", small_export.run, "--node", "lstm", "--out", tmp_path / "run" / "a.npz", *force, code=1)
    run("train", small_export.run / "experiment.unroll", "--run", tmp_path / "run" / "inner", code=1)
    assert sorted(tmp_path.rglob("*")) == names
    assert (tmp_path / "run" / "metrics.csv").read_bytes() == (small_export.run / "metrics.csv").read_bytes()


def test_a_link_to_something_of_mine(small_export, tmp_path):
    (tmp_path / "mine.npz").write_bytes(b"mine")
    (tmp_path / "link.npz").symlink_to(tmp_path / "mine.npz")
    export(small_export, tmp_path / "link.npz", form="npz", code=1)
    assert (tmp_path / "mine.npz").read_bytes() == b"mine"

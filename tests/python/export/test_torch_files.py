# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch itself reads: a state_dict (.pt), and one step as a program of torch.export (.pt2)."""
import pathlib
import re
import sys
import time
import zipfile

import pytest
import safetensors.torch
import torch
from conftest import QUICK, Exported
from running import PATIENCE, gallery, run, start, write_document, write_group


def state_dict(exported, folder):
    run("export", exported.run, "--format", "pt", "--out", folder / "weights.pt", code=0)
    return torch.load(folder / "weights.pt", weights_only=True)


def test_the_model_takes_the_state_dict(small_export, tmp_path):
    weights = state_dict(small_export, tmp_path)
    ours = safetensors.torch.load_file(small_export.weights)
    assert weights.keys() == ours.keys() and all(torch.equal(weights[name], ours[name]) for name in ours)
    assert all(weight.is_contiguous() and weight.dtype == torch.float32 for weight in weights.values())
    model = small_export.module().Model()
    model.load_state_dict(weights)
    assert torch.load(tmp_path / "weights.pt", weights_only=True, mmap=True)["head.bias"].shape == ours["head.bias"].shape


def test_nothing_but_tensors_is_in_it(small_export, tmp_path):
    """An archive of stored entries, its pickle without anything that could run."""
    state_dict(small_export, tmp_path)
    with zipfile.ZipFile(tmp_path / "weights.pt") as archive:
        assert archive.testzip() is None and archive.comment.startswith(b"unroll:weights:")
        pickled = archive.read("archive/data.pkl")
    assert pickled.startswith(b"\x80\x02") and {line for line in pickled.split(b"\n") if line.endswith((b"_v2", b"Storage", b"Dict"))}
    assert {word for word in (b"eval", b"exec", b"system", b"builtins") if word in pickled} == set()


def test_names_that_python_reserves(tmp_path, text):
    """The names of model.py, which the report tells of."""
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "forward": ("gru", {"units": 9}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> forward.x", "forward.y -> head.x", "text.targets -> head.targets"]
    exported = Exported(tmp_path, write_document(tmp_path / "named.unroll", text, nodes=nodes, wires=wires), *QUICK)
    exported.module().Model().load_state_dict(state_dict(exported, tmp_path))


@pytest.mark.parametrize("kind", ["small", "groups"])
def test_one_step_as_a_program(kind, small_export, tmp_path, text):
    steps_alike(small_export if kind == "small" else Exported(tmp_path, write_group(tmp_path / "group.unroll", text), *QUICK), tmp_path)


def steps_alike(exported, tmp_path):
    """The program of one step, walked over 20 steps of 3 sequences, against model.py at once."""
    module = exported.module()
    sys.modules[module.__name__] = module  # torch.export looks the classes up
    names = module.save_step(str(tmp_path / "step.pt2"))
    step, model = torch.export.load(tmp_path / "step.pt2").module(), module.load()
    like = module.example(20)
    read = torch.randint(2, (20, 3)) if like.dtype == torch.int64 else torch.randn(20, 3, like.shape[2])
    with torch.no_grad():
        _, whole, states = model(read)
        parts, told = [torch.zeros_like(states[node][part]) for node, part in names], []
        for t in range(20):
            logits, *parts = step(read[t], *parts)
            told.append(logits)
    torch.testing.assert_close(torch.stack(told), whole, rtol=1e-4, atol=1e-5)
    for part, (node, place) in zip(parts, names):
        torch.testing.assert_close(part, states[node][place], rtol=1e-4, atol=1e-5)


def test_the_command_line_writes_the_program(small_export, tmp_path):
    """The same program as save_step's, named as ours so that it may be written again, and what is printed names its states."""
    out = tmp_path / "new" / "step.pt2"
    ended = run("export", small_export.run, "--format", "pt2", "--out", out, code=0, UNROLL_PYTHON=sys.executable)
    assert ended.out.split() == [str(out)] and "note: the step takes the input and the states " in ended.err
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None and archive.comment.startswith(b"unroll:weights:")
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}  # of our writer
    module = small_export.module()
    program, model, read = torch.export.load(out), module.load(), torch.randint(2, (1, 3))
    with torch.no_grad():
        _, whole, states = model(read)
        order = [word.rsplit(" ", 1) for word in re.search(r"the states (.*), which begin", ended.err).group(1).split(", ")]
        parts = [states[node][int(part)] for node, part in order]
        logits, *after = program.module()(read[0], *(torch.zeros_like(part) for part in parts))
    torch.testing.assert_close(logits, whole[0], rtol=1e-4, atol=1e-5)
    for got, want in zip(after, parts, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    run("export", small_export.run, "--format", "pt2", "--out", out, code=0, UNROLL_PYTHON=sys.executable)
    out.write_bytes(out.read_bytes() + b"x")
    assert "step.pt2" in run("export", small_export.run, "--format", "pt2", "--out", out, code=1, UNROLL_PYTHON=sys.executable).err


def test_the_python_of_an_export_ends_with_the_command(small_export, tmp_path):
    """Killed, so that it can stop nothing itself; in the place of torch stands what never ends by itself. So too where another program
    started the Python."""
    (tmp_path / "torch.py").write_text("import os, pathlib, time\n"
                                       "pathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n"
                                       "time.sleep(3600)\n")
    between = tmp_path / "python"
    between.write_text(f'#!/bin/sh\n"{sys.executable}" "$@"\nexit $?\n')
    between.chmod(0o755)
    told = tmp_path / "pid"
    for python in (sys.executable, between):
        told.unlink(missing_ok=True)
        command = start("export", small_export.run, "--format", "pt2", "--out", tmp_path / "step.pt2", UNROLL_PYTHON=str(python), PYTHONPATH=str(tmp_path))
        until(lambda: told.exists() and told.read_text(), command)
        child = int(told.read_text())
        assert runs(child)
        command.kill()
        command.wait()
        until(lambda: not runs(child))


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(holds, command=None):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end and (command is None or command.poll() is None)
        time.sleep(0.05)


@pytest.mark.parametrize("name", ("fable", "char-mru", "char-grumml", "waves-lstm"))
def test_the_program_is_the_step_of_the_model(name, tmp_path):
    """Step by step, each from the states that it gave itself: within 2e-6."""
    exported = Exported(tmp_path, name, *QUICK)
    ended = run("export", exported.run, "--format", "pt2", "--out", tmp_path / "step.pt2", code=0, UNROLL_PYTHON=sys.executable)
    order = [word.rsplit(" ", 1) for word in re.search(r"the states (.*), which begin", ended.err).group(1).split(", ")]
    module = exported.module()
    step, model, like = torch.export.load(tmp_path / "step.pt2").module(), module.load(), module.example(1)
    torch.manual_seed(1)
    read = torch.randint(2, (12, 3)) if like.dtype == torch.int64 else torch.randn(12, 3, like.shape[2])
    with torch.no_grad():
        states = {node: tuple(torch.zeros_like(part) for part in parts) for node, parts in model(read[:1])[2].items()}
        parts = [states[node][int(part)] for node, part in order]
        for t in range(12):
            logits, *parts = step(read[t], *parts)
            _, want, states = model(read[t:t + 1], states=states)
            torch.testing.assert_close(logits, want[0], rtol=0, atol=2e-6)
            for part, (node, place) in zip(parts, order, strict=True):
                torch.testing.assert_close(part, states[node][int(place)], rtol=0, atol=2e-6)


def test_what_keeps_the_program_from_being_written(small_export, tmp_path):
    words = ("export", small_export.run, "--format", "pt2", "--out", tmp_path / "step.pt2")
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1\n")
    bare.chmod(0o755)
    assert "it has no torch; name a Python with torch 2.11: UNROLL_PYTHON=" in run(*words, code=1, UNROLL_PYTHON=str(bare)).err
    assert "cannot be started: No such file or directory; name a Python" in run(*words, code=1, UNROLL_PYTHON="/nowhere/python").err
    bare.write_text("#!/bin/sh\nkill -9 $$\n")
    assert "it was ended by signal 9" in run(*words, code=1, UNROLL_PYTHON=str(bare)).err
    assert not (tmp_path / "step.pt2").exists()


LATER = {"adding-both-ways": "turned: Reverse", "adding-pool": "mean: Pool over time", "labels-both-ways": "gru: GRU", "labels-lstm": "Pool over time"}


@pytest.mark.parametrize("name", gallery("adding-both-ways", "char-gpt", "waves-lstm"))
def test_one_step_of_the_gallery(name, tmp_path):
    """What reads later steps has none, and says so: a program of its step would be wrong without a word."""
    exported = Exported(tmp_path, name, *QUICK)
    if name not in LATER:
        return steps_alike(exported, tmp_path)
    assert "save_step" not in (exported.folder / "model.py").read_text()
    refused = run("export", exported.run, "--format", "pt2", "--out", tmp_path / "step.pt2", code=1).err
    assert f"{LATER[name]} reads later steps too" in refused and not (tmp_path / "step.pt2").exists()
    said = (exported.folder / "README.txt").read_text()
    assert "It cannot be run step by step: " in said and f"{LATER[name]} reads later steps too, so it has no single step." in said


def test_one_step_from_learned_numbers(tmp_path, text):
    """Zeros stand for the Learned vector that the state begins at."""
    nodes = {"text": ("text", {"file": str(text), "steps": 16}), "embedding": ("embedding", {"width": 12}), "gru": ("gru", {"units": 9}),
             "start": ("learned_vector", {"width": 9, "initializer": "normal"}), "head": ("head", {})}
    wires = ["text.tokens -> embedding.tokens", "embedding.y -> gru.x", "embedding.y -> start.x", "start.y -> gru.state", "gru.y -> head.x",
             "text.targets -> head.targets"]
    steps_alike(Exported(tmp_path, write_document(tmp_path / "start.unroll", text, nodes=nodes, wires=wires), *QUICK), tmp_path)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of the command line that say nothing, or nearly what was meant; files that come through pipes wherever a file is named."""
import os
import shutil

import pytest
from running import run, write_document


@pytest.mark.parametrize("words", [[" "], ["train", " "], ["check", "\t"], ["train", "x", "--run", " "], ["train", "x", "--run= "],
                                   ["train", "x", "--device", " "], ["help", " "]])
def test_spaces_alone_are_an_empty_argument(words):
    ended = run(*words, code=2)
    assert "empty" in ended.err and ended.out == ""


@pytest.mark.parametrize("words, said", [(["list", "experiment"], "did you mean experiments?"), (["list", "nosuch"], "'nosuch' is not one of blocks, experiments, datasets"),
                                         (["export", "r", "--format", "gguf", "--out", "o"], "'gguf' is not one of python, safetensors, npz, pt, pt2, onnx"),
                                         (["eval", "r", "--split", "validate"], "did you mean val?"), (["bench", "trian"], "did you mean train?"),
                                         (["train", "x", "--device", "gpu"], "device must be auto, cpu, cuda or cuda:1; it is 'gpu'"),
                                         (["sample", "r", "--tokens", "99999999999999999999"], "a whole number from 0 to 9223372036854775807")])
def test_a_word_that_is_none_of_the_choices(words, said):
    assert said in run(*words, code=2).err


def test_near_words():
    assert "did you mean training?" in run("help", "traning", code=1).err
    assert "it is 'gpu'" in run("check", "char-lstm", "--set", "training.device=gpu", code=1).err


def test_nothing_says_may_come_often():
    for verb in ("train", "check", "eval"):
        told = run(verb, "--help", code=0).out
        assert "repeatable" in told and "may come often" not in told


def test_a_run_that_is_not_there_is_named(trained, small, tmp_path):
    shutil.copytree(trained, tmp_path / "runs" / "letters")
    assert "did you mean runs/letters?" in run("eval", "leters", folder=tmp_path, code=1).err
    assert "nosuch: there is no run here" in run("train", "--resume", "nosuch", folder=tmp_path, code=1).err
    assert "nosuch" in run("train", small, "--resume", "nosuch", folder=tmp_path, code=1).err
    inside = next((tmp_path / "runs" / "letters" / "checkpoints").glob("step-*"))
    for place in (inside, inside.parent, tmp_path / "runs" / "letters" / "experiment.unroll"):
        assert "it lies in the run" in run("train", "--resume", place, code=1).err


def test_two_runs_are_named_for_one(trained, tmp_path):
    for name in ("a", "b"):
        shutil.copytree(trained, tmp_path / name)
    ended = run("train", "--run", tmp_path / "a", "--resume", tmp_path / "b", "--steps", "50", code=2)
    assert "--resume names" in ended.err and "--run names" in ended.err
    run("train", "--run", tmp_path / "a", "--resume", f"{tmp_path}/./a/", "--steps", "41", code=0)


def from_pipe(content, *words, **how):
    """With this behind standard input."""
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    try:
        return run(*words, before=lambda: os.dup2(reading, 0), **how)
    finally:
        os.close(reading)


@pytest.mark.parametrize("word", ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize("parameter", ["file", "validation_file", "test_file"])
def test_a_pipe_is_data_wherever_a_file_is_named(small, tmp_path, text, parameter, word):
    content, folder = text.read_bytes()[:20_000], tmp_path / "run"
    from_pipe(content, "train", small, "--steps", "2", "--quiet", "--set", f"text.{parameter}={word}", "--run", folder, code=0)
    assert (folder / "piped.data").read_bytes() == content
    run("train", folder, "--resume", "--steps", "3", "--quiet", code=0)


def test_a_pipe_is_data_of_check_and_eval(small, trained, text):
    content = text.read_bytes()[:20_000]
    assert "No errors: it can be trained." in from_pipe(content, "check", small, "--set", "text.validation_file=-", code=0).out
    assert "loss" in from_pipe(content, "eval", trained, "--set", "text.validation_file=-", code=0).out


def test_an_experiment_from_a_pipe_makes_a_run_with_a_name(small, tmp_path):
    from_pipe(small.read_bytes(), "train", "/dev/stdin", "--steps", "1", "--quiet", folder=tmp_path, code=0)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["experiment"]


def test_a_runs_own_experiment_finds_its_data(tmp_path, text):
    """Its relative paths are from the folder of the file it came from, wherever the run lies."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(text, home / "rel.txt")
    file = write_document(home / "e.unroll", "rel.txt")
    run("train", file, "--steps", "2", "--quiet", "--run", tmp_path / "elsewhere" / "run", code=0)
    copy = tmp_path / "elsewhere" / "run" / "experiment.unroll"
    assert "No errors: it can be trained." in run("check", copy, code=0).out
    run("train", copy, "--steps", "2", "--quiet", "--run", tmp_path / "again", code=0)


def test_a_large_table_is_refused_at_once(tmp_path):
    large = tmp_path / "large.csv"
    with open(large, "wb") as file:
        file.write(b"a,b\n")
        file.truncate(3_000_000_000)  # without taking the room on the disk
    for words in (["check", "waves-lstm"], ["train", "waves-lstm", "--run", tmp_path / "run"]):
        ended = run(*words, "--data", large, code=1)
        assert "has 3.0 GB" in ended.err and "memory" in ended.err
    assert not (tmp_path / "run").exists()


def test_too_little_memory_is_a_sentence_with_numbers(small, tmp_path):
    import resource
    little = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    ended = run("train", small, "--set", "lstm.units=8000", "--steps", "2", "--run", tmp_path / "run", before=little, code=1)
    assert "memory" in ended.err and "enforce fail" not in ended.err and "DefaultCPUAllocator" not in ended.err

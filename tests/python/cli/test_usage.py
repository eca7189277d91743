# SPDX-License-Identifier: GPL-3.0-or-later
import json
import sys

import pytest
from running import GALLERY, run


@pytest.mark.parametrize("words", [[], ["fly"], ["train", "--stepz", "3"], ["list", "weather"], ["sample"], ["train", "x", "--steps", "many"],
                                   ["train", "x", "--steps", "0"], ["train"], ["train", "--resume"], ["train", "x", "--resume"],
                                   ["train", "x", "--threads", "1025"], ["train", "x", "--steps", "2000000000000"], ["eval", "r", "--threads", "1025"], ["export", "r", "--out", "o"], ["export", "r", "--format", "gguf", "--out", "o"], ["export", "r", "--format", "tflite", "--out", "o"], ["eval", "r", "--split", "best"]])
def test_wrong_usage_is_two(words):
    ended = run(*words)
    assert ended.code == 2
    assert ended.out == "" and ended.err


@pytest.mark.parametrize("option, value, said", [("--steps", "2000000000000", "steps must be at most"), ("--steps", "0", "steps must be at least 1; it is 0"),
                                                 ("--steps", "many", "steps must be a whole number"), ("--threads", "-1", "threads must be at least 0")])
def test_options_of_training_are_refused_in_the_words_of_the_settings(option, value, said):
    """At the start: a run whose file could not be read again would have been lost."""
    assert said in run("train", "x", f"{option}={value}", code=2).err


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["train", "--help"], ["list", "--help"]])
def test_help_is_data(words):
    ended = run(*words, code=0)
    assert ended.out and ended.err == ""


def test_a_full_standard_output_is_a_failure():
    for words in (["list"], ["--help"], ["list", "--json"], ["doctor"]):
        with open("/dev/full", "w") as full:
            ended = run(*words, stdout=full, code=1)
        assert "standard output" in ended.err


def test_every_verb_is_named():
    out = run("--help", code=0).out
    for verb in "list help check train eval sample inspect export study race bench doctor import session sync prepare".split():
        assert f"\n  {verb} " in out


def test_list():
    lines = run("list", "--json", code=0).lines
    names = {kind: [line["name"] for line in lines if line["kind"] == kind] for kind in ("block", "dataset", "experiment")}
    assert {"lstm", "gru", "rnn", "sru", "srupp", "grumml", "lru", "lrumml", "mru", "attention", "dense_mml", "embedding", "head", "group"} <= set(names["block"])
    assert {"text", "copy"} <= set(names["dataset"])
    assert names["experiment"] == GALLERY
    assert all(line["summary"] for line in lines)
    text = run("list", "blocks", code=0).out
    assert "lstm" in text and "Experiments" not in text and "\x1b" not in text


def test_help_of_a_block_and_of_a_dataset():
    listed = {line["name"]: line["kind"] for line in run("list", "--json", code=0).lines}
    for name, kind in {"gru": "block", "text": "dataset"}.items():
        told = json.loads(run("help", name, "--json", code=0).out)
        assert listed[name] == kind and told["id"] == name and told["summary"] and told["params"]


def test_help_text():
    out = run("help", "lstm", code=0).out
    for word in ("units", "forget_bias", "Inputs", "state", "optional"):
        assert word in out
    ended = run("help", "lsmt", code=1)
    assert "lsmt" in ended.err and "lstm" in ended.err and ended.out == ""


def test_help_explains_choices_and_weights():
    out = run("help", "lstm", code=0).out
    assert "orthogonal" in out and "Orthonormal rows or columns" in out
    assert "[4 units, in]" in out and "uniform within ±1/√units" in out and "no weight decay" in out
    told = json.loads(run("help", "lstm", "--json", code=0).out)
    initializer = next(param for param in told["params"] if param["name"] == "weights_initializer")
    assert initializer["default"] == "torch" and all(text.endswith(".") for text in initializer["choices"].values())
    assert [weight["name"] for weight in told["weights"]] == ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
    assert told["weights"][0]["shape"] == "[4 units, in]" and told["weights"][0]["source"] == "torch.nn.LSTM"


def test_help_of_the_training_settings():
    out = run("help", "training", code=0).out
    assert "learning_rate" in out and "adamw" in out and "Cosine decay" in out
    told = json.loads(run("help", "training", "--json", code=0).out)
    assert set(next(param for param in told["params"] if param["name"] == "schedule")["choices"]) == {"constant", "cosine"}


def test_doctor():
    found = {line["name"]: line for line in run("doctor", "--json", code=0).lines}
    assert found["torch"]["detail"].startswith("2.11")
    assert "core" in found["processor"]["detail"] and found["memory"]["detail"]
    for line in found.values():
        assert line["found"] or line["mend"] or line["name"] == "--device auto"
    assert {"GPU", "nvcc", "CUDA backend", "studio", "python"} <= set(found)
    assert "torch" in run("doctor", code=0).out


def test_doctor_names_the_ways_over_a_gpu_without_one():
    """Which kernels run is chosen by variables: they are named, and held to their values, on any machine."""
    def ways(**variables):
        found = {line["name"]: line for line in run("doctor", "--json", code=0, **variables).lines}
        return found["GPU kernels"]

    told = ways(UNROLL_SCAN_WAY="auto", UNROLL_STEPS_WAY="auto")
    assert told["found"] and all(name in told["detail"] for name in ("UNROLL_SCAN_WAY", "UNROLL_STEPS_WAY", "by size"))
    assert "scans in chunks (UNROLL_SCAN_WAY)" in ways(UNROLL_SCAN_WAY="chunks")["detail"]
    wrong = ways(UNROLL_STEPS_WAY="resident")
    assert not wrong["found"] and 'UNROLL_STEPS_WAY is "resident"' in wrong["detail"] and wrong["mend"]


def test_doctor_asks_for_a_display():
    found = {line["name"]: line for line in run("doctor", "--json", code=0, DISPLAY="", WAYLAND_DISPLAY="").lines}
    assert "no display" in found["studio"]["detail"] or not found["studio"]["found"]


def test_doctor_without_the_gallery(tmp_path):
    found = {line["name"]: line for line in run("doctor", "--json", code=0, UNROLL_RESOURCES=str(tmp_path)).lines}
    assert not found["experiments"]["found"] and "UNROLL_RESOURCES" in found["experiments"]["mend"]


@pytest.mark.parametrize("given, rounds", [({}, "6000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "passive"}, "0")])
def test_waiting_threads_sleep_soon_unless_the_user_says_otherwise(given, rounds, monkeypatch):
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    if sys.platform != "linux":
        pytest.skip("libgomp's variable is set on Linux alone")
    told = run("--version", code=0, OMP_DISPLAY_ENV="verbose", **given).err
    assert f"GOMP_SPINCOUNT = '{rounds}'" in told


@pytest.mark.parametrize("words, said", [(["sample", "r", "--tokens", "4", "--tokens", "5"], "--tokens: given 2 times; give it once"),
                                         (["train", "x", "--run", "a", "--run=b", "--run", "c"], "--run: given 3 times; give it once"),
                                         (["sample", "r", "--tokens"], "--tokens expects a value; none is given"),
                                         (["train", "x", "--tag"], "--tag expects a value; none is given")])
def test_options_given_too_often_or_without_a_value(words, said):
    assert f"error: {said}\n" in run(*words, code=2).err


def test_set_takes_one_value_and_says_so():
    assert "each --set takes one value, and may be given again" in run("check", "parity-rnn", "--set", "rnn.units=4", "training.clip=0", code=2).err
    assert "each --set" not in run("check", "parity-rnn", "second", code=2).err
    for line in run("train", "--help", code=0).out.splitlines():
        assert not line.strip().startswith(("--set", "--tag")) or "..." not in line, line

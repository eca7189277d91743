# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said and done about GPUs, with drivers of our own making: no GPU is needed, and one that is there is not asked."""

import os
import shutil
import subprocess

import pytest
from running import program, run

DRIVER = """
int cuInit(unsigned flags) { return START; }
int cuDriverGetVersion(int* version) { *version = VERSION; return 0; }
int cuDeviceGetCount(int* count) { *count = GPUS; return 0; }
int cuDeviceGet(int* device, int index) { *device = index; return 0; }
int cuDeviceGetName(char* name, int length, int device)
{
    const char* const told = device < 2 ? "NVIDIA L4" : "NVIDIA H100 80GB HBM3";
    int i = 0;
    for (; told[i] && i < length - 1; ++i) name[i] = told[i];
    name[i] = 0;
    return NAMED ? 0 : 1;
}
int cuDeviceTotalMem_v2(unsigned long* bytes, int device) { *bytes = (device + 1) * 1073741824UL * MEMORY; return 0; }
"""


@pytest.fixture
def machine(tmp_path):
    """machine(version=..., gpus=..., named=..., half=...): the environment and the program of a machine with such a driver; `half` is what lies beside the
    program as its CUDA backend, None for nothing."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")

    def make(start=0, version=13000, gpus=1, memory=8, named=1, half="this is no library"):
        source = tmp_path / "driver.c"
        source.write_text(DRIVER)
        subprocess.run([compiler, "-shared", "-fPIC", f"-DSTART={start}", f"-DVERSION={version}", f"-DGPUS={gpus}",
                        f"-DMEMORY={memory}UL", f"-DNAMED={named}", source,
                        "-o", tmp_path / "libcuda.so.1"], check=True)
        copy = tmp_path / "unroll-cli"
        shutil.copy(program(), copy)
        (tmp_path / "libunroll_cuda.so").unlink(missing_ok=True)
        if half is not None:
            (tmp_path / "libunroll_cuda.so").write_text(half)
        libraries = ":".join(filter(None, [str(tmp_path), os.environ.get("LD_LIBRARY_PATH")]))
        return {"UNROLL_CLI": str(copy), "LD_LIBRARY_PATH": libraries}
    return make


def run_there(there, monkeypatch, *words, **how):
    monkeypatch.setenv("UNROLL_CLI", there["UNROLL_CLI"])
    return run(*words, LD_LIBRARY_PATH=there["LD_LIBRARY_PATH"], **how)


def test_a_cuda_half_that_does_not_load(machine, monkeypatch, small, trained, tmp_path):
    there = machine()
    short = ["train", small, "--steps", "2", "--run"]
    ended = run_there(there, monkeypatch, *short, tmp_path / "cpu", "--device", "cpu", code=0)
    assert "CUDA" not in ended.err
    ended = run_there(there, monkeypatch, *short, tmp_path / "auto", "--device", "auto", code=0)
    assert "the GPU is not used: the CUDA backend could not be loaded" in ended.err and "on cpu" in ended.err
    assert "could not be loaded" in (tmp_path / "auto" / "log.txt").read_text()
    ended = run_there(there, monkeypatch, *short, tmp_path / "cuda", "--device", "cuda", code=1)
    assert "device cuda: the CUDA backend could not be loaded" in ended.err and not (tmp_path / "cuda").exists()
    ended = run_there(there, monkeypatch, "eval", trained, "--json", code=0)
    assert ended.lines[0]["loss"] > 0 and "could not be loaded" in ended.err, "auto without a word said is the default"
    assert run_there(there, monkeypatch, "eval", trained, "--device", "cpu", "--json", code=0).err == ""


def test_the_estimate_is_held_against_the_memory_of_the_device(machine, monkeypatch, tmp_path):
    there = machine(gpus=2, memory=100)
    large = ["check", "copy-lstm", "--set", "copy.length=100000", "--set", "training.batch=1000"]
    for device, words in [("auto", "cuda:0 has 100.0 GiB"), ("cuda:1", "cuda:1 has 200.0 GiB"), ("cpu", "GiB are available"),
                          ("cuda:2", "GiB are available")]:
        ended = run_there(there, monkeypatch, *large, "--set", f"training.device={device}", code=1)
        assert words in ended.out + ended.err, device
    # Training falls back where the CUDA half does not load, and asks the machine then.
    ended = run_there(there, monkeypatch, "train", *large[1:], "--run", tmp_path / "run", code=1)
    assert "GiB are available" in ended.err


@pytest.mark.parametrize("driver, words", [
    ({"gpus": 1}, "NVIDIA L4, 1.1 GB"), ({"gpus": 3, "memory": 0}, "NVIDIA H100 80GB HBM3; 2 times NVIDIA L4"), ({"named": 0}, "NVIDIA GPU, 1.1 GB")])
def test_doctor_names_the_gpus(machine, monkeypatch, driver, words):
    there = machine(**{"memory": 1, **driver}, half=None)
    found = {line["name"]: line for line in run_there(there, monkeypatch, "doctor", "--json", code=0).lines}
    assert found["GPU"]["found"] and found["GPU"]["detail"] == words
    assert found["GPU kernels"]["detail"].startswith("scans by columns or in chunks, by size")


def test_doctor_names_the_ways_over_a_gpu(machine, monkeypatch):
    there = machine(memory=1, gpus=1, half=None)
    for way, good, words in (("columns", True, "scans by columns (UNROLL_SCAN_WAY)"),
                             ("rows", False, 'UNROLL_SCAN_WAY is "rows", expected "auto", "columns" or "chunks"')):
        monkeypatch.setenv("UNROLL_SCAN_WAY", way)
        found = {line["name"]: line for line in run_there(there, monkeypatch, "doctor", "--json", code=0).lines}
        assert found["GPU kernels"]["found"] is good and words in found["GPU kernels"]["detail"]


@pytest.mark.parametrize("driver, words", [
    ({"version": 12080}, "the NVIDIA driver is for CUDA 12.8; driver 580 or newer is needed"),
    ({"gpus": 0}, "sees no GPU"), ({"start": 100}, "does not start (error 100)"), ({"half": None}, "is not built"),
    ({"gpus": 2, "half": None}, "is not built")])
def test_why_a_gpu_cannot_be_used(machine, monkeypatch, small, tmp_path, driver, words):
    there = machine(**driver)
    ended = run_there(there, monkeypatch, "train", small, "--device", "cuda:0", "--run", tmp_path / "a", code=1)
    assert words in ended.err and "choose cpu or auto" in ended.err
    ended = run_there(there, monkeypatch, "train", small, "--device", "auto", "--steps", "1", "--run", tmp_path / "b", code=0)
    assert "on cpu" in ended.err
    assert words in run_there(there, monkeypatch, "doctor", code=0).out or "half" in driver

# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package as a user gets it: the wheel, installed."""

import json
import pathlib
import re
import subprocess
import sys
import zipfile

import running

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
README = (ROOT / "app" / "python" / "README.md").read_text()
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")


def examples():
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_what_is_in_the_wheel(wheel, installed):
    """Any Python 3, a platform by its glibc; classes, kernels and nothing else. No library of Qt or CUDA is asked for, none by a folder of this machine."""
    assert re.fullmatch(r"unroll-[\d.]+-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name)
    assert wheel.stat().st_size < 8e6
    names = zipfile.ZipFile(wheel).namelist()
    assert {pathlib.Path(name).suffix for name in names} <= {".py", ".so", ".1", ".txt", ""} and "unroll/_blocks/sru_kernels.py" in names
    plain = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"}
    for library, more in (("kernels", {"libtorch_cpu.so", "libc10.so", "libhwy.so.1", "libgomp.so.1"}), ("rules", set())):
        said = subprocess.run(["readelf", "-d", installed.site / "unroll" / "lib" / f"libunroll_{library}.so"], capture_output=True, text=True, check=True).stdout
        assert set(NEEDED.findall(said)) <= plain | more
        assert re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", said) in ([], ["$ORIGIN"])


def test_the_classes_are_the_blocks(installed):
    """Every pythonClass of a spec, from the text of its reference.py."""
    wanted = {re.search(r'\.pythonClass = "(\w+)"', spec.read_text()).group(1): spec.parent
              for spec in (ROOT / "nodes").glob("*/spec.cpp") if ".pythonClass = " in spec.read_text()}
    said = json.loads(installed.says("""
import inspect, json, unroll
print(json.dumps({name: inspect.getfile(getattr(getattr(unroll.nn, name), 'reference', getattr(unroll.nn, name))) for name in unroll.nn.__all__}))"""))
    assert set(said) == set(wanted) and len(said) > 40
    for name, file in said.items():
        ours = (wanted[name] / "reference.py").read_text().replace("from shared.", "from unroll._shared.")
        assert pathlib.Path(file).read_text() == ours, name


def test_numbers(installed):
    """Kernels beside references, in the environment of the wheel."""
    said = installed.run("-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "inside_numbers.py", HERE / "inside_ways.py", HERE / "inside_checks.py")
    assert re.search(r"\d{4} passed", said), said


def test_the_blocks_numbers(installed, tmp_path_factory):
    """Every case of every block, as C++ has computed it."""
    sys.path.insert(0, str(HERE.parent / "blocks"))
    from block_dumps import dump_program

    program = dump_program()
    if program is None or not program.exists():
        running.pytest.skip("unroll_block_dump is not built")
    folder = tmp_path_factory.mktemp("blocks")
    subprocess.run([program, folder], check=True)
    installed.run("-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "inside_blocks.py", UNROLL_DUMPS=str(folder))


def test_the_example_of_the_readme(installed):
    said = installed.says(examples()[0])
    assert float(re.search(r"loss (\S+)", said).group(1)) < 0.5 and "calls by kernels" in said


def test_loading_and_runs_as_in_the_readme(installed, trained):
    said = installed.says(examples()[1].replace("```", "") + "\nprint(type(model).__name__, type(table).__name__, len(table))", folder=trained)
    assert said.split()[0] == "Model" and said.split()[1] in ("list", "DataFrame") and said.split()[2] == "1"


LOAD = """
import json, sys, torch, unroll
from safetensors.torch import load_file
golden, worst = load_file("exported/golden.safetensors"), {}
for key, dtype in (("fp64", torch.float64), ("fp32", torch.float32)):
    model = unroll.load(sys.argv[1], dtype=dtype)
    states = None
    for chunk in (0, 1):
        with torch.no_grad():
            loss, logits, states = model(golden[f"{chunk}.tokens"], golden[f"{chunk}.targets"], states=states)
        got = {"loss": loss, "logits": logits} | {f"state.{n}.{i}": t for n, s in states.items() for i, t in enumerate(s)}
        for name, value in got.items():
            want = golden[f"{key}.{chunk}.{name}"]
            worst[key] = max(worst.get(key, 0), ((value - want).abs().max() / want.abs().max().clamp(min=1)).item())
print(json.dumps([worst, {name: record.by_kernels for name, record in unroll.kernels().items() if record.by_kernels}]))
"""


def test_a_loaded_model_has_the_goldens_numbers_and_our_kernels(installed, trained):
    """From the export's folder, and from the run's by the command line."""
    for source, more in (("exported", {}), ("runs/cells", {"UNROLL_CLI": running.program()})):
        worst, calls = json.loads(installed.run("-c", LOAD, source, folder=trained, **more))
        assert worst["fp64"] <= 1e-11 and worst["fp32"] <= 1e-4, worst  # fp32 rounds to eight bits on the way
        assert set(calls) == {"SRU", "MRU", "GRUMML", "LRU", "LSTM"} and set(calls.values()) == {4}


def test_a_run_without_the_command_line_is_a_clear_error(installed, trained):
    said = installed.says("""
import unroll
for folder in ("runs/cells", "runs"):
    try:
        unroll.load(folder)
    except FileNotFoundError as error:
        print(error)""", folder=trained, UNROLL_CLI="", PATH="/nowhere")
    first, second = said.splitlines()
    assert "exported by unroll-cli first, which is not found here" in first
    assert second == "runs: neither an export (model.py) nor a run (experiment.unroll)"


def test_runs_is_a_table(installed, trained):
    (row,) = json.loads(installed.says("import json, unroll, unroll_runs.table as t; print(json.dumps(t.rows_of('runs')))", folder=trained))
    assert row["run"] == "cells" and row["state"] == "finished" and row["step"] == 40 and row["steps"] == 40 and row["tags"] == "small"
    last = running.rows(trained / "runs" / "cells")[-1]
    assert row["train_loss"] == float(running.rows(trained / "runs" / "cells")[39]["train/loss"]) and row["tokens"] == float(last["tokens"])
    assert row["training.batch"] == 4 and row["parameters"] > 1000


def test_without_its_library_the_reference_form_computes(installed):
    said = installed.says("""
import torch
torch.__version__ = "2.10.0"
import unroll
y, _ = unroll.nn.GRU(4, units=5)(torch.ones(3, 2, 4))
print(unroll.kernels().missing)
print(unroll.kernels()["GRU"])""")
    assert "the kernels are built for torch 2.11, and this is torch 2.10.0" in said.splitlines()[0]
    assert "1 by the reference form: the kernels are built for torch 2.11" in said.splitlines()[1]

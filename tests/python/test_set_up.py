# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-up script's parts that can be tried without a fresh machine."""
import importlib.util
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def count():
    spec = importlib.util.spec_from_file_location("count_tests", ROOT / "cmake/dev/count_tests.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GTEST = """\
[==========] Running 5 tests from 2 test suites.
[ RUN      ] Wire.Connects
[       OK ] Wire.Connects (0 ms)
[ RUN      ] Wire.Refuses
graph_test.cpp:7: Failure
[  FAILED  ] Wire.Refuses (1 ms)
[ RUN      ] all/Text.Reads/1
[  FAILED  ] all/Text.Reads/1, where GetParam() = 2 (0 ms)
[ RUN      ] Text.Corpus
[  SKIPPED ] Text.Corpus (0 ms)
[==========] 5 tests from 2 test suites ran. (12 ms total)
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Wire.Refuses
"""
QT = """\
********* Start testing of Canvas *********
PASS   : Canvas::initTestCase()
PASS   : Canvas::pans()
FAIL!  : Canvas::zooms() Compared values are not the same
SKIP   : Canvas::prints() no printer
PASS   : Canvas::cleanupTestCase()
Totals: 3 passed, 1 failed, 1 skipped, 0 blacklisted, 3ms
"""


def log_entry(name, output, verdict):
    return (f'1/2 Testing: {name}\n1/2 Test: {name}\nCommand: "/b/{name}"\nDirectory: /b\n"{name}" start time: Nov 21 01:56 UTC\n'
            f"Output:\n{'-' * 58}\n{output}<end of output>\nTest time =   0.02 sec\n{'-' * 58}\n{verdict}\n"
            f'"{name}" end time: Nov 21 01:56 UTC\n"{name}" time elapsed: 00:00:00\n{"-" * 58}\n\n')


@pytest.mark.parametrize("output, failed, expected", [
    (GTEST, True, (1, 2, 1)),
    (QT, True, (1, 1, 1)),
    ("a plain program\n", False, (1, 0, 0)),
    ("a plain program\n", True, (0, 1, 0)),
    ("[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n[ RUN      ] A.Dies\n", True, (1, 1, 0)),
    ("[==========] Running 0 tests from 0 test suites.\n", False, (0, 0, 0)),
])
def test_one_program(count, output, failed, expected):
    assert count.count_program(output, failed) == expected


def test_log_of_ctest(count, tmp_path, capsys):
    log = tmp_path / "LastTest.log"
    log.write_text(log_entry("graph_test", GTEST, "Test Failed.") + log_entry("plain", "fine\n", "Test Passed."))
    (tmp_path / "LastTestsFailed.log").write_text("1:graph_test\n3:gone\n")
    count.read_ctest(log, tmp_path / "dev.txt")
    assert (tmp_path / "dev.txt").read_text() == "2 3 1\n"
    told = capsys.readouterr().out
    assert "graph_test.cpp:7: Failure" in told and "gone: could not be run" in told


def test_sum_ends_with_the_line_that_counts(count, tmp_path, capsys):
    (tmp_path / "dev.txt").write_text("5 0 1\n")
    (tmp_path / "python.txt").write_text("2 0 3\n")
    assert count.total(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 0 failed, 4 skipped"


def test_nothing_ran_is_a_failure(count, tmp_path):
    assert count.total(tmp_path) == 1


def test_scripts_are_clean():
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    scripts = [ROOT / "dev", ROOT / ".ci/run", *sorted((ROOT / "cmake/dev").glob("*.sh")), ROOT / "cmake/package/launch.sh"]
    done = subprocess.run(["shellcheck", "-x", *scripts], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_help_fits_a_screen():
    done = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 30


def test_unknown_command_is_a_usage_error():
    assert subprocess.run([ROOT / "dev", "fly"], capture_output=True).returncode == 2


def packages_script(folder, uid, tools):
    """need_packages on a machine of scripts: who runs it, and which programs there are. `apt-get` says how it was called."""
    folder.mkdir()
    said = {"id": f"echo {uid}", "dpkg-query": "exit 0", "apt-get": 'echo "apt-get $*" >&2', "apt-cache": "exit 1",
            "sudo": 'echo "sudo $*" >&2; exit 1'}
    for name in tools:
        (folder / name).write_text(f"#!/bin/sh\n{said[name]}\n")
        (folder / name).chmod(0o755)
    for name in ("bash", "sed", "tr", "sh", "env", "date", "mkdir", "cat", "dirname", "tail", "grep", "cut", "head", "sleep", "kill"):
        (folder / name).symlink_to(shutil.which(name))
    script = (f"root={folder}; preset=dev; logs={folder}; set -euo pipefail; cd {ROOT}; find_python() {{ false; }}; "
              "for part in say packages; do source cmake/dev/$part.sh; done; find_python() { false; }; need_packages")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={"PATH": str(folder)}, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def test_a_user_who_may_not_install_gets_the_list(tmp_path):
    code, said = packages_script(tmp_path / "bin", 1000, ["id", "dpkg-query", "apt-get", "apt-cache"])
    assert code == 1 and "apt-get update" not in said
    command = next(line for line in said.splitlines() if "sudo apt-get install" in line)
    assert {"g++", "cmake", "ninja-build", "libhwy-dev", "qt6-base-dev", "qt6-charts-dev", "python3-venv"} <= set(command.split())
    assert "|" not in command


def test_without_apt_the_list_is_printed_too(tmp_path):
    code, said = packages_script(tmp_path / "bin", 0, ["id"])
    assert code == 1 and "UNROLL_PACKAGES=skip" in said and "qt6-charts-dev" in said and "|" not in said


def test_root_installs_what_is_missing(tmp_path):
    code, said = packages_script(tmp_path / "bin", 0, ["id", "dpkg-query", "apt-get", "apt-cache"])
    assert code == 0, said
    logs = "".join(path.read_text() for path in (tmp_path / "bin").glob("apt-*.log"))
    assert "apt-get -q -o DPkg::Lock::Timeout=300 update" in logs and "libhwy-dev" in logs


def test_every_fuzzer_has_seeds_and_a_line():
    fuzz = ROOT / "tests/fuzz"
    names = {path.name.removesuffix("_fuzz.cpp") for path in fuzz.glob("*_fuzz.cpp")}
    assert names and names == {path.name for path in (fuzz / "corpus").iterdir()}
    assert {path.stem for path in (fuzz / "dictionaries").iterdir()} <= names
    told = (fuzz / "README.md").read_text()
    assert [name for name in sorted(names) if f"| `{name}` |" not in told or not any((fuzz / "corpus" / name).iterdir())] == []
    assert sum(path.stat().st_size for path in fuzz.rglob("*") if path.is_file()) < 200_000


@pytest.mark.parametrize("wheels", ["torch==2.11.0\n", "torch==2.11.0\nnvidia-cuda-runtime"], ids=["no wheel lacks", "one wheel lacks"])
def test_a_set_is_installed_once(tmp_path, wheels):
    (tmp_path / ".venv").mkdir()
    script = f"""
        root={tmp_path} python=/bin/true
        source {ROOT}/cmake/dev/python.sh
        make_venv() {{ :; }}
        step() {{ echo "$2"; }}
        for turn in 1 2; do install_set engine "$1" -; done
    """
    ended = subprocess.run(["bash", "-euc", script, "bash", wheels], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [f"LibTorch 2.11.0 into .venv (531 MB, and {wheels.count('nvidia')} NVIDIA libraries)"]

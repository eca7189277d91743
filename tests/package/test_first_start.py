# SPDX-License-Identifier: GPL-3.0-or-later
"""The launcher of an installed Unroll with a small program in place of the real one, and small wheels in place of torch."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest
from fake_index import ROOT, VERSION, Index, pinned, write_small_wheels

ENVIRONMENT = f"torch-{VERSION}"
PROGRAM = '#!/bin/sh\nprintf "%s\\n" "$LD_LIBRARY_PATH" "$@"\n'


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    return write_small_wheels(tmp_path_factory.mktemp("index") / "wheels")


@pytest.fixture(scope="module")
def quick_python(tmp_path_factory):
    """A Python whose `-m venv` copies an environment that is there: pip is not installed again for every test."""
    folder = tmp_path_factory.mktemp("python")
    subprocess.run([sys.executable, "-I", "-m", "venv", folder / "made"], check=True)
    Place.script(folder / "python3", f'#!/bin/sh\n[ "$2 $3" != "-m venv" ] || exec cp -a "{folder}/made/." "$4"\nexec "{sys.executable}" "$@"\n')
    return folder / "python3"


@pytest.fixture
def index(wheels):
    index = Index(wheels)
    yield index
    index.close()


class Place:
    """Unroll, installed in a folder with a space in its name, and a user who has nothing yet."""

    def __init__(self, folder, url, python):
        self.folder, self.data, self.tools = folder, folder / "home/.local/share/unroll", folder / "tools"
        self.private = folder / "some where/lib/unroll"
        self.private.mkdir(parents=True)
        self.tools.mkdir()
        (folder / "home").mkdir()
        (folder / "some where/bin").mkdir()
        shutil.copy(ROOT / "cmake/package/launch.sh", self.private / "launch")
        shutil.copy(ROOT / "cmake/package/torch_wheels.txt", self.private)
        self.script(self.private / "unroll-cli", PROGRAM)
        self.program = folder / "some where/bin/unroll-cli"
        self.program.symlink_to("../lib/unroll/launch")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "XDG_", "UNROLL_", "LD_"))}
        self.environment.pop("DISPLAY", None)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment |= {"HOME": str(folder / "home"), "PATH": f"{self.tools}:{os.environ['PATH']}", "PIP_CONFIG_FILE": os.devnull,
                             "PIP_INDEX_URL": url, "UNROLL_PYTHON": str(python)}
        self.tool("ldconfig", "exit 0")  # a machine without a driver

    @staticmethod
    def script(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def tool(self, name, text):
        self.script(self.tools / name, f"#!/bin/sh\n{text}\n")

    def begin(self, *arguments, **environment):
        return subprocess.Popen([self.program, *arguments], env=self.environment | environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start(self, *arguments, code=0, **environment):
        process = self.begin(*arguments, **environment)
        said, told = process.communicate(timeout=120)
        assert process.returncode == code, told
        return said.splitlines(), told

    def left(self):
        """What lies in the data folder besides the lock."""
        return sorted(path.name for path in self.data.glob("*") if path.name != "torch.lock") if self.data.exists() else []

    def torch(self, environment=ENVIRONMENT):
        return next((self.data / environment).glob("lib/python3*/site-packages/torch"))


@pytest.fixture
def place(tmp_path, index, quick_python):
    return Place(tmp_path, index.url, quick_python)


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def running_below(folder):
    """Processes that mention the folder in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def test_first_start_makes_it_and_the_second_nothing(place, index):
    del place.environment["UNROLL_PYTHON"]  # the machine's own
    said, told = place.start("train", "a b")
    assert said[1:] == ["train", "a b"]
    assert said[0].split(":")[0] == str(place.torch() / "lib")
    assert "first start: installing LibTorch" in told and "MB written" in told and "in place" in told
    assert place.left() == [ENVIRONMENT]
    # Of NVIDIA's libraries the two that torch cannot be loaded without, and nothing that torch itself would ask for.
    assert sorted(name.split("-")[0] for name in index.asked) == ["nvidia_cuda_cupti", "nvidia_cuda_runtime", "torch"]
    assert [name for name in ("bin", "tmp", "install.log") if (place.data / ENVIRONMENT / name).exists()] == []
    made = sorted((path, path.lstat().st_mtime_ns) for path in place.data.rglob("*"))
    index.close()
    again, told = place.start("list")
    assert told == "" and again[1:] == ["list"] and again[0] == said[0]
    assert sorted((path, path.lstat().st_mtime_ns) for path in place.data.rglob("*")) == made


def test_torch_without_its_cuda_half_wants_nothing_else(place, tmp_path):
    index = Index(write_small_wheels(tmp_path / "wheels", cuda=False))
    place.start(PIP_INDEX_URL=index.url)
    index.close()
    assert [name.split("-")[0] for name in index.asked] == ["torch"]


def test_a_gpu_asks_for_all_of_it(place, index):
    place.tool("ldconfig", "echo '\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1'")
    place.start()
    assert place.left() == [ENVIRONMENT]  # the package has no CUDA half
    (place.private / "libunroll_cuda.so").touch()
    said, _ = place.start()
    assert place.left() == [ENVIRONMENT, ENVIRONMENT + "-gpu"]
    assert {name.split("-")[0] for name in index.asked} == {name.replace("-", "_") for name, _ in pinned().values()}
    folders = said[0].split(":")
    assert folders[0] == str(place.torch(ENVIRONMENT + "-gpu") / "lib")
    assert sum("/nvidia/" in folder for folder in folders) == len(pinned()) - 1
    place.tool("ldconfig", "exit 0")
    shutil.rmtree(place.data / ENVIRONMENT)
    assert place.start()[0] == said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_leaves_nothing(place, index, how):
    index.way = "stalls"
    process = place.begin()
    wait_until(index.stalled.is_set)
    process.send_signal(how)
    said, told = process.communicate(timeout=30)
    assert process.returncode == 130 and said == "" and "interrupted" in told
    assert place.left() == []
    wait_until(lambda: running_below(place.data) == [], 10)
    index.way = "whole"
    place.start()
    assert place.left() == [ENVIRONMENT]


def test_killed_leaves_what_the_next_start_removes(place, index):
    index.way = "stalls"
    process = place.begin()
    wait_until(index.stalled.is_set)
    process.kill()
    process.communicate(timeout=30)
    assert place.left() == [ENVIRONMENT + ".part"]
    index.way = "whole"
    index.go_on.set()
    said, _ = place.start("list")
    assert said[1:] == ["list"] and place.left() == [ENVIRONMENT]
    wait_until(lambda: running_below(place.data) == [], 30)
    assert place.left() == [ENVIRONMENT]


def test_broken_download(place, index):
    index.way = "breaks"
    _, told = place.start(code=1)
    assert "broke off" in told and "Traceback" not in told
    assert place.left() == ["torch-failed.log"]
    index.way = "whole"
    place.start()
    assert place.left() == [ENVIRONMENT]


def test_no_network(place):
    _, told = place.start(code=1, PIP_INDEX_URL="http://127.0.0.1:1/simple")
    assert "Check the network" in told and place.left() == ["torch-failed.log"]


def test_an_index_without_that_torch(place, tmp_path):
    (tmp_path / "nothing").mkdir()
    index = Index(tmp_path / "nothing")
    _, told = place.start(code=1, PIP_INDEX_URL=index.url)
    index.close()
    assert f"has no torch=={VERSION} for Python 3." in told


def test_no_space(place, index):
    place.tool("df", "printf 'Filesystem 1048576-blocks Used Available\\n/dev/x 9000 8400 600 94%% /\\n'")
    _, told = place.start(code=1)
    assert "only 600 MB are free" in told and place.left() == [] and index.asked == []


def test_no_venv(place):
    place.tool("bare", "exit 1")
    _, told = place.start(code=1, UNROLL_PYTHON=str(place.tools / "bare"))
    assert "apt install python3-venv" in told and place.left() == []


def test_a_folder_that_cannot_be_written(place):
    (place.folder / "home/.local").touch()
    _, told = place.start(code=1)
    assert "cannot write to" in told


def test_two_starts_make_it_once(place, index):
    index.way = "stalls"
    first = place.begin("first")
    wait_until(index.stalled.is_set)
    second = place.begin("second")
    assert "being installed by another start" in second.stderr.readline()
    index.way = "whole"
    first.terminate()
    first.communicate(timeout=30)
    said, _ = second.communicate(timeout=120)
    assert said.splitlines()[1:] == ["second"] and place.left() == [ENVIRONMENT]
    index.asked.clear()
    shutil.rmtree(place.data / ENVIRONMENT)
    both = [place.begin("one"), place.begin("two")]
    assert [process.communicate(timeout=120)[0].splitlines()[1:] for process in both] == [["one"], ["two"]]
    assert sorted(name.split("-")[0] for name in index.asked) == ["nvidia_cuda_cupti", "nvidia_cuda_runtime", "torch"]


def test_a_torch_of_the_users_own(place, tmp_path, index):
    own = tmp_path / "own/torch"
    (own / "lib").mkdir(parents=True)
    (own / "lib/libtorch_cpu.so").touch()
    (own / "version.py").write_text(f"__version__ = '{VERSION}'\n")
    said, told = place.start("list", UNROLL_TORCH=str(own), LD_LIBRARY_PATH="/mine")
    assert said[0].split(":")[0] == str(own / "lib") and said[0].endswith(":/mine") and told == ""
    (own / "version.py").write_text(f"__version__ = '{VERSION}1'\n")
    _, told = place.start(code=1, UNROLL_TORCH=str(own))
    assert f"is not torch {VERSION}" in told
    assert place.left() == [] and index.asked == []


def test_a_window_where_there_is_no_terminal(place, tmp_path):
    place.tool("zenity", f'echo "$@" >>"{tmp_path}/zenity.txt"; exec cat >>"{tmp_path}/zenity.txt"')
    place.start(DISPLAY=":7")
    told = (tmp_path / "zenity.txt").read_text()
    assert told.startswith("--progress") and f"\n# LibTorch {VERSION} for Unroll:" in told
    (tmp_path / "zenity.txt").unlink()
    place.start(DISPLAY=":7")
    assert not (tmp_path / "zenity.txt").exists()


def test_cancel_in_the_window(place, tmp_path, index):
    index.way = "stalls"
    place.tool("zenity", "sleep 6; exit 1")
    process = place.begin(DISPLAY=":7")
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in told and place.left() == []
    wait_until(lambda: running_below(place.data) == [], 10)


def test_a_failure_is_told_in_a_window(place, tmp_path):
    place.tool("zenity", f'echo "$@" >>"{tmp_path}/zenity.txt"')
    place.start(code=1, DISPLAY=":7", PIP_INDEX_URL="http://127.0.0.1:1/simple")
    assert "--error" in (tmp_path / "zenity.txt").read_text()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The .deb of ./dev package (UNROLL_PACKAGE): what is in it, and that it runs where nothing of the source tree is."""
import csv
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
from fake_index import ROOT, VERSION, Index, pinned, write_wheel

PACKAGE = os.environ.get("UNROLL_PACKAGE", "")
SITE = pathlib.Path(importlib.util.find_spec("torch").submodule_search_locations[0]).parent
CUDA_HOME = os.environ.get("CUDA_HOME", "/usr/local/cuda")
MIME = "application/vnd.unroll.experiment+json"
pytestmark = pytest.mark.skipif(not PACKAGE, reason="UNROLL_PACKAGE names no package: ./dev test --all")


def output_of(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked") / "any where"
    folder.mkdir()
    output_of("dpkg-deb", "-x", PACKAGE, folder)
    return folder


def field(name):
    return output_of("dpkg-deb", "-f", PACKAGE, name).strip()


def elf_files(tree):
    return [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]


# --- What is in it.

def test_fields():
    version = re.search(r"project\(Unroll VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert (field("Package"), field("Version"), field("Section")) == ("unroll", version, "science")
    assert re.fullmatch(r".+ <.+@.+>", field("Maintainer")) and "recurrent" in field("Description")
    needed = {word.split()[0].split(":")[0] for word in field("Depends").split(",")}
    assert {"python3", "python3-venv", "libc6", "libstdc++6", "zlib1g"} <= needed
    assert any(name.startswith("libqt6widgets6") for name in needed) and any(name.startswith("libqt6charts6") for name in needed)
    assert not [name for name in needed if "torch" in name or "cuda" in name or "python3-torch" in name]


def test_files(tree):
    assert os.readlink(tree / "usr/bin/unroll") == os.readlink(tree / "usr/bin/unroll-cli") == "../lib/unroll/launch"
    experiments = {path.name for path in (ROOT / "resources/experiments").iterdir()}
    assert {path.name for path in (tree / "usr/share/unroll/experiments").iterdir()} == experiments
    study = {path.name for path in (ROOT / "app/study").iterdir() if path.is_file()}
    assert {path.name for path in (tree / "usr/share/unroll/study").iterdir()} == study
    assert "either version 3 of the License, or (at your option) any later version" in (tree / "usr/share/doc/unroll/copyright").read_text()
    assert not list(tree.rglob("libtorch*")) and not list(tree.rglob("libc10*"))
    loose = [path for path in tree.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o022]
    assert loose == []
    assert pathlib.Path(PACKAGE).stat().st_size < 48_000_000


def test_no_library_is_looked_for_where_it_was_built(tree):
    files = elf_files(tree)
    assert {"unroll", "unroll-cli", "libunroll_kernels.so"} <= {path.name for path in files}
    for path in files:
        dynamic = output_of("readelf", "-d", path)
        assert re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) == ["$ORIGIN"], path


def test_desktop_entry(tree):
    entry = tree / "usr/share/applications/unroll.desktop"
    lines = dict(line.split("=", 1) for line in entry.read_text().splitlines() if "=" in line)
    assert lines["Exec"] == "unroll %f" and lines["MimeType"] == MIME + ";"
    assert (tree / f"usr/share/icons/hicolor/scalable/apps/{lines['Icon']}.svg").exists()
    if shutil.which("desktop-file-validate") is None:
        pytest.skip("desktop-file-validate is not installed")
    output_of("desktop-file-validate", entry)


def test_metainfo(tree):
    file = next((tree / "usr/share/metainfo").iterdir())
    root = xml.parse(file).getroot()
    assert root.findtext("id") + ".metainfo.xml" == file.name and root.findtext("project_license") == "GPL-3.0-or-later"
    assert root.findtext("launchable") == "unroll.desktop" and root.findtext("provides/mediatype") == MIME
    if shutil.which("appstreamcli") is None:
        pytest.skip("appstreamcli is not installed")
    output_of("appstreamcli", "validate", "--no-net", file)


def test_mime_type(tree, tmp_path):
    if shutil.which("update-mime-database") is None:
        pytest.skip("update-mime-database is not installed")
    shutil.copytree(tree / "usr/share/mime", tmp_path / "mime")
    output_of("update-mime-database", tmp_path / "mime")
    assert f":{MIME}:*.unroll" in (tmp_path / "mime/globs2").read_text()
    assert f"{MIME} application/json" in (tmp_path / "mime/subclasses").read_text()


# --- That it runs.

class Unpacked:
    """In any folder, by any user, without installing."""

    def __init__(self, tree, folder):
        self.tree, self.folder = tree, folder

    def run(self, program, *arguments, **environment):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                       "UNROLL_TORCH": str(SITE / "torch"), "CUDA_HOME": CUDA_HOME} | environment
        words = [str(self.tree / "usr/bin" / program), *map(str, arguments)]
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done


class Installed:
    """By dpkg in a copy of this system that keeps what is written to it apart (an overlay), and in which the source tree cannot be seen."""

    IN = """
set -e
mkdir -p "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/opt/site" "$1/root/opt/out"
mount --bind "$2" "$1/root/opt/site"
mount --bind "$1/out" "$1/root/opt/out"
mount -t tmpfs hidden "$1/root$3"
cuda=$4
shift 4
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/opt/out LANG=C.UTF-8 QT_QPA_PLATFORM=offscreen UNROLL_TORCH=/opt/site/torch CUDA_HOME="$cuda" "$@"
"""

    def __init__(self, folder):
        self.base, self.folder = folder, folder / "out"
        self.folder.mkdir()
        shutil.copy(PACKAGE, self.folder / "unroll.deb")
        done = self.enter("dpkg", "-i", "/opt/out/unroll.deb")
        if done.returncode != 0:
            raise OSError(done.stdout + done.stderr)

    def enter(self, *words):
        own = [] if os.geteuid() == 0 else ["--map-root-user"]
        return subprocess.run(["unshare", *own, "--mount", "sh", "-c", self.IN, "sh", self.base, SITE, ROOT, CUDA_HOME, "chroot", self.base / "root", *words],
                              capture_output=True, text=True, timeout=300)

    def run(self, program, *arguments):
        done = self.enter("sh", "-c", 'cd /opt/out && exec "$@"', "sh", program, *map(str, arguments))
        assert done.returncode == 0, done.stdout + done.stderr
        return done


@pytest.fixture(scope="module", params=["unpacked", "installed"])
def place(request, tree, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "unpacked":
        return Unpacked(tree, folder)
    try:
        return Installed(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no overlay, or dpkg refuses: {str(error)[-300:]}")


def test_version(place):
    assert place.run("unroll-cli", "--version").stdout.split() == ["unroll-cli", field("Version")]
    assert place.run("unroll", "--version").stdout.split() == ["unroll", field("Version")]


def test_its_own_experiments_are_listed(place):
    listed = place.run("unroll-cli", "list").stdout
    assert [path.stem for path in (ROOT / "resources/experiments").iterdir() if path.stem not in listed] == []
    found = [json.loads(line) for line in place.run("unroll-cli", "doctor", "--json").stdout.splitlines()]
    found = {line["name"]: line for line in found}
    assert found["experiments"]["found"] and found["experiments"]["detail"].endswith("usr/share/unroll/experiments")
    assert str(ROOT) not in found["experiments"]["detail"]
    assert VERSION in found["torch"]["detail"]


def test_two_steps_of_training(place):
    place.run("unroll-cli", "train", "fable", "--run", "run", "--steps", 2)
    with (place.folder / "run/metrics.csv").open() as file:
        assert {int(row["step"]) for row in csv.DictReader(file)} >= {1, 2}
    assert list((place.folder / "run").rglob("*.safetensors"))


def test_a_picture_of_the_studio(place):
    place.run("unroll", "--shot", "studio.png", "--open", "fable", "--steps", 2)
    assert (place.folder / "studio.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (place.folder / "studio.png").stat().st_size > 50_000


# --- The first start with the real torch, packed into wheels.

def library_path(name):
    """Where the loader finds a library that torch links to."""
    told = output_of("ldd", SITE / "torch/lib/libtorch_cpu.so")
    found = re.search(rf"{re.escape(name)} => (/\S+)", told)
    toolkit = pathlib.Path(CUDA_HOME) / ("extras/CUPTI/lib64" if "cupti" in name else "lib64") / name
    return pathlib.Path(found[1]) if found else toolkit


def test_first_start_with_torch(tree, tmp_path):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    lib = SITE / "torch/lib"
    files = {f"torch/lib/{name}": lib / name for name in ("libtorch_cpu.so", "libc10.so")}
    files |= {f"torch/lib/{path.name}": path for path in lib.glob("libgomp*")}
    write_wheel(wheels, "torch", VERSION, files | {"torch/version.py": SITE / "torch/version.py", "torch/lib/libtorch_cuda.so": b"x"})
    for library in ("libcudart.so.13", "libcupti.so.13"):
        name, version = pinned()[library]
        write_wheel(wheels, name, version, {f"nvidia/cu13/lib/{library}": library_path(library)})
    index = Index(wheels)
    place = Unpacked(tree, tmp_path)
    pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index.url, "UNROLL_TORCH": "", "CUDA_HOME": "/nonexistent"}
    done = place.run("unroll-cli", "train", "fable", "--run", "run", "--steps", 2, **pip)
    index.close()
    assert "first start" in done.stderr
    assert "first start" not in place.run("unroll-cli", "--version", **pip).stderr
    found = json.loads(place.run("unroll-cli", "doctor", "--json", **pip).stdout.splitlines()[1])
    assert found["name"] == "torch" and str(tmp_path) in found["detail"]
    shutil.rmtree(tmp_path / ".local")
    shutil.rmtree(wheels)

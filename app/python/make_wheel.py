# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the wheel of what assemble.py and CMake have put into a folder: make_wheel.py FOLDER. It lies in FOLDER/dist,
and its name says with which glibc it runs: the oldest that has every symbol the libraries ask for."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

GLIBC = re.compile(rb"GLIBC_(\d+)\.(\d+)")


def oldest_glibc(libraries):
    """(2, 32): the newest version that a library names."""
    return max(tuple(map(int, found)) for library in libraries for found in GLIBC.findall(library.read_bytes()))


def make_wheel(folder):
    libraries = sorted((folder / "unroll" / "lib").glob("*.so*"))
    if not libraries:
        sys.exit(f"{folder / 'unroll' / 'lib'} holds no library")
    major, minor = oldest_glibc(libraries)
    tag = f"manylinux_{major}_{minor}_{platform.machine()}"
    for name in ("build", "dist", "unroll.egg-info"):
        shutil.rmtree(folder / name, ignore_errors=True)
    words = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--wheel-dir",
        folder / "dist",
        folder,
    ]
    subprocess.run(words, check=True, env=dict(os.environ, UNROLL_WHEEL_PLATFORM=tag))


if __name__ == "__main__":
    make_wheel(pathlib.Path(sys.argv[1]).resolve())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads and processes that share an output: each line of it comes whole."""

import json
import pathlib
import subprocess
import sys

STUDY = pathlib.Path(__file__).resolve().parents[3] / "app" / "study"
WRITERS, LINES = 4, 500

PROGRAM = f"""
import os, sys, threading
sys.path.insert(0, {str(STUDY)!r})
from lines import write_json
os.fork()  # two processes
def write(writer):
    for number in range({LINES}):
        write_json({{"writer": writer, "number": number, "words": "x" * 150}})
threads = [threading.Thread(target=write, args=(each,)) for each in range({WRITERS})]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_lines_do_not_mix_where_python_does_not_buffer():
    out = subprocess.run([sys.executable, "-u", "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 2 * WRITERS * LINES
    for writer in range(WRITERS):
        assert sorted(line["number"] for line in lines if line["writer"] == writer) == sorted([*range(LINES)] * 2)

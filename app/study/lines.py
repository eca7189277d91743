# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines on a stream that threads and worker processes share: text and newline in one write, so that no two lines mix. print() makes
two writes of them where Python does not buffer (PYTHONUNBUFFERED)."""

import json
import sys
import threading

_LOCK = threading.Lock()


def write_line(text, stream=None):
    stream = stream or sys.stdout
    with _LOCK:
        stream.write(text + "\n")
        stream.flush()


def write_json(line):
    write_line(json.dumps(line))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a run was sent where: synced.json in its folder, so that nothing is sent twice."""

import contextlib
import fcntl
import hashlib
import json
import os

from ..folder import NotARun

FILE = "synced.json"


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Sent:
    """What was sent of one file that grows: how many bytes, and which."""

    def __init__(self, entry, name):
        self.entry = entry.setdefault(name, {"bytes": 0, "sha256": digest(b"")})

    def is_kept(self, data):
        """Whether the file still begins with what was sent. A run taken back to a checkpoint has other rows."""
        return digest(data[: self.entry["bytes"]]) == self.entry["sha256"]

    def new(self, data):
        return data[self.entry["bytes"] :]

    def note(self, data):
        self.entry["bytes"], self.entry["sha256"] = len(data), digest(data)


class Ledger:
    """The entries of a run by place; locked while it is open."""

    def __init__(self, file, entries):
        self.file, self.entries = file, entries

    def entry(self, place):
        return self.entries.setdefault(place, {})

    def forget(self, place):
        self.entries[place] = {}
        return self.entries[place]

    def save(self):
        text = json.dumps(self.entries, indent=1) + "\n"
        self.file.seek(0)
        self.file.write(text)
        self.file.truncate()
        self.file.flush()
        os.fsync(self.file.fileno())


@contextlib.contextmanager
def opened(run):
    path = run.path / FILE
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8")
    except OSError as error:
        raise NotARun(
            f"{path}: {error.strerror}. What was sent is noted there, so that nothing is sent twice."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotARun(f"{run.path}: another program is sending this run at the moment") from None
        text = file.read()
        try:
            entries = json.loads(text) if text.strip() else {}
        except ValueError as error:
            raise NotARun(f"{path}: {error}. Without the file all is sent anew.") from None
        yield Ledger(file, entries)

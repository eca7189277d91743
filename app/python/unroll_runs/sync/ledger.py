# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a run was sent where: synced.json in its folder, so that nothing is sent twice."""

import contextlib
import fcntl
import hashlib
import json
import os
import struct

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


PLACES = 1 << 32  # bytes that are locked for places begin here, far behind the text


def lock(file, kind, first, wait):
    """A lock of one byte that belongs to this opening of the file: Linux's open file description locks."""
    wanted = struct.pack("@hhqqi", kind, os.SEEK_SET, first, 1, 0)
    fcntl.fcntl(file, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK, wanted)


class Ledger:
    """The entries of a run by place, of which this program sends to one. Others may send the run to other places meanwhile, so the file is read
    again where it is written."""

    def __init__(self, file, place):
        self.file, self.place = file, place
        self.entries = {}
        with self.alone():
            self.entries = self.read()

    def entry(self):
        return self.entries.setdefault(self.place, {})

    def forget(self):
        self.entries[self.place] = {}
        return self.entries[self.place]

    @contextlib.contextmanager
    def alone(self):
        """Nobody else reads or writes the file."""
        lock(self.file, fcntl.F_WRLCK, 0, wait=True)
        try:
            yield
        finally:
            lock(self.file, fcntl.F_UNLCK, 0, wait=True)

    def read(self):
        self.file.seek(0)
        text = self.file.read()
        return json.loads(text) if text.strip() else {}

    def save(self):
        with self.alone():
            self.entries = {**self.read(), self.place: self.entry()}
            self.file.seek(0)
            self.file.write(json.dumps(self.entries, indent=1) + "\n")
            self.file.truncate()
            self.file.flush()
            os.fsync(self.file.fileno())


@contextlib.contextmanager
def opened(run, place):
    """The ledger of a run, for one place; no other program sends the run there while it is open."""
    path = run.path / FILE
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8")
    except OSError as error:
        raise NotARun(
            f"{path}: {error.strerror}. What was sent is noted there, so that nothing is sent twice."
        ) from None
    with file:
        try:
            lock(file, fcntl.F_WRLCK, PLACES + int(digest(place.encode())[:8], 16), wait=False)
        except (BlockingIOError, PermissionError):
            raise NotARun(f"{run.path}: another program is sending this run to {place} at the moment") from None
        try:
            ledger = Ledger(file, place)
        except ValueError as error:
            raise NotARun(f"{path}: {error}. Without the file everything is sent again.") from None
        yield ledger

# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as they are published, piece by piece: .txt, .raw and the like, .jsonl, .parquet, zip archives and folders of them."""

import io
import json
import re
import zipfile
from pathlib import Path

from . import Refused

ROLES = {"train": ("train",), "validation": ("valid", "validation", "val", "dev"), "test": ("test",)}
PIECE = 1 << 20  # characters


def role_of(name):
    name = name.lower()
    for role, words in ROLES.items():
        if any(re.search(rf"(?<![a-z]){word}(?![a-z])", name) for word in words):
            return role
    return None


def by_role(names, place):
    """{role: [names]}: one name alone is for training, several by their words; those of a part in several files in their order."""
    if not names:
        raise Refused(f"{place}: contains no text")
    if len(names) == 1:
        return {"train": names}
    found = {role: sorted(name for name in names if role_of(Path(name).name) == role) for role in ROLES}
    plain = [name for name in names if name.lower().endswith(".txt")]
    if not found["train"] and len(plain) == 1 and role_of(Path(plain[0]).name) is None:
        found["train"] = plain
    if not found["train"]:
        raise Refused(f"{place}: contains {len(names)} texts, none of them called train: name one of them, such as {place}/{names[0]}")
    return {role: names for role, names in found.items() if names}


def is_readme(name):
    return Path(name).name.lower().startswith((".", "readme"))


def names_in(archive):
    return [n for n in archive.namelist() if not n.endswith("/") and not n.startswith("__MACOSX/")]


def in_archive(path):
    """The file of ARCHIVE.zip/NAME; None where it is no such path."""
    around = next((parent for parent in path.parents if parent.is_file()), None)
    if around is None or not zipfile.is_zipfile(around):
        return None
    archive, name = zipfile.ZipFile(around), path.relative_to(around).as_posix()
    if name not in names_in(archive):
        raise Refused(f"{around}: has no file {name}; it has {', '.join(names_in(archive)[:6]) or 'none'}")
    return {"train": [(str(path), lambda: archive.open(name))]}


def parts_of(source):
    """{role: [(name, open)]}: `open()` gives a binary file."""
    path = Path(source)
    if path.is_dir():
        names = [p.name for p in sorted(path.iterdir()) if p.is_file() and not is_readme(p.name)]
        return {role: [(str(path / name), lambda p=path / name: open(p, "rb")) for name in names]
                for role, names in by_role(names, source).items()}
    if not path.is_file():
        if parts := in_archive(path):
            return parts
        raise Refused(f"{source}: there is no such file")
    if zipfile.is_zipfile(path):
        archive = zipfile.ZipFile(path)
        names = [name for name in names_in(archive) if not is_readme(name)]
        return {role: [(f"{source}/{name}", lambda n=name: archive.open(n)) for name in names]
                for role, names in by_role(names, source).items()}
    parts = {"train": [(str(path), lambda: open(path, "rb"))]}
    if role_of(path.name) == "train":
        at = path.name.lower().rindex("train")
        for role in ("validation", "test"):
            for word in ROLES[role]:
                other = path.with_name(path.name[:at] + word + path.name[at + 5 :])
                if other.is_file() and role not in parts:
                    parts[role] = [(str(other), lambda p=other: open(p, "rb"))]
    return parts


class Stretch(io.RawIOBase):
    """The bytes of a file from `begin` on, before `end`."""

    def __init__(self, file, begin, end):
        self.file, self.left = file, end - begin
        file.seek(begin)

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self.file.read(min(len(buffer), self.left))
        buffer[: len(piece)] = piece
        self.left -= len(piece)
        return len(piece)

    def close(self):
        self.file.close()
        super().close()


def places(text):
    """Two numbers of bytes: "90,95"."""
    training, validation = map(int, text.split(","))
    return training, validation


def character_before(opened, at):
    """The last place up to `at` where a character of UTF-8 begins, not between CR and LF."""
    begin = max(at - 3, 0)
    with opened() as file:
        file.seek(begin)
        near = file.read(at - begin + 1)
    starts = [begin + i for i, byte in enumerate(near) if byte & 0xC0 != 0x80]
    if begin + len(near) <= at or not starts:  # the end, or no UTF-8
        return at
    place = starts[-1]
    return place - 1 if near[: place - begin + 1].endswith(b"\r\n") else place


def divided(parts, training, validation):
    """One text as three parts, which end after so many bytes, the last one at its end."""
    (name, opened), *others = parts["train"]
    if others or len(parts) > 1 or is_records(name):
        raise Refused(f"{name}: is not one text that could be cut")
    with opened() as file:
        size = file.seek(0, io.SEEK_END)
    ends = [0, character_before(opened, min(training, size)), character_before(opened, min(validation, size)), size]
    return {role: [(name, lambda a=a, b=b: io.BufferedReader(Stretch(opened(), a, b)))] for role, a, b in zip(ROLES, ends, ends[1:])}


def is_parquet(name):
    return name.lower().endswith(".parquet")


def is_records(name):
    return name.lower().endswith((".jsonl", ".ndjson", ".json", ".parquet"))


def rows_of(name, file):
    """The rows of a Parquet file as dicts, some hundred at a time in memory."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise Refused(f"{name}: Parquet is read by the Python package pyarrow: pip install pyarrow") from None
    try:
        table = pyarrow.parquet.ParquetFile(file)
        for batch in table.iter_batches(batch_size=512):
            yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise Refused(f"{name}: cannot be read as Parquet: {error}") from None


def objects_of(name, file):
    """The objects of JSON Lines, with their lines."""
    for number, line in enumerate(io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except ValueError as error:
            raise Refused(f"{name}: line {number}: is not a JSON object: {error}") from None


def kind_of(value):
    """Of a value that is no text, for a sentence."""
    if value is None:
        return "null"
    for kinds, words in ((bool, "true or false"), ((int, float), "a number"), (list, "a list"), (dict, "an object")):
        if isinstance(value, kinds):
            return words
    return f"of type {type(value).__name__}"


def field_of(record, field, place):
    if not isinstance(record, dict):
        raise Refused(f"{place}: expected an object")
    if field not in record:
        raise Refused(f"{place}: has no field {field}; it has {', '.join(map(str, record)) or 'none'}")
    if not isinstance(record[field], str):
        raise Refused(f"{place}: the field {field} is {kind_of(record[field])}; expected a text")
    return record[field]


def records_of(name, file, field):
    """The texts under `field` of JSON Lines."""
    for number, record in objects_of(name, file):
        yield field_of(record, field, f"{name}: line {number}")


def pieces_of(file):
    """The text in pieces, as they come: UTF-8 with CR LF as LF."""
    reader = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline=None)
    while piece := reader.read(PIECE):
        yield piece

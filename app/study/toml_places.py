# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML with the line of every key: what is wrong in a file is told with its place."""

import re
import tomllib

from refused import Refused

PART = r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|[\w-]+)"""
KEY = re.compile(rf"\s*({PART}(?:\s*\.\s*{PART})*)\s*=")
TABLE = re.compile(rf"\s*\[\s*({PART}(?:\s*\.\s*{PART})*)\s*\]")
INLINE = re.compile(rf"[{{,]\s*({PART}(?:\s*\.\s*{PART})*)\s*=")


def parts_of(key):
    """'"lstm.units".min' -> ("lstm.units", "min")."""
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in re.findall(PART, key))


class Document:
    """The values of a file; `place(keys)` is where one of them is written."""

    def __init__(self, path):
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
            self.values = tomllib.loads(text)
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise Refused(f"{path}: is not UTF-8 text") from None
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"^(.*) \(at line (\d+), column \d+\)$", str(error))
            raise Refused(f"{path}:{found[2]}: {found[1]}" if found else f"{path}: {error}") from None
        self.lines = {}
        self._read(text)

    def _read(self, text):
        table = ()
        for number, line in enumerate(text.splitlines(), 1):
            if begins := TABLE.match(line):
                table = parts_of(begins[1])
                self.lines.setdefault(table, number)
            elif key := KEY.match(line):
                name = table + parts_of(key[1])
                for length in range(len(table) + 1, len(name) + 1):
                    self.lines.setdefault(name[:length], number)
                for inner in INLINE.findall(line[key.end():]):
                    self.lines.setdefault(name + parts_of(inner), number)

    def place(self, keys):
        """FILE:LINE of the key, or of the nearest one around it that is known."""
        for length in range(len(keys), 0, -1):
            if tuple(keys[:length]) in self.lines:
                return f"{self.path}:{self.lines[tuple(keys[:length])]}"
        return str(self.path)

    def refuse(self, keys, sentence):
        raise Refused(f"{self.place(keys)}: {sentence}")

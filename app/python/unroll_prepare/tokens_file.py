# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of tokens: safetensors with one row of unsigned numbers, `tokens`, and metadata that say what they are."""

import array
import hashlib
import json
import os
import sys

ROOM = 64  # bytes for numbers that are known at the end


class TokensFile:
    """There whole or not at all."""

    def __init__(self, path, vocabulary, metadata):
        self.path, self.begun = path, f"{path}.part"
        self.width = 1 if len(vocabulary) <= 256 else 2 if len(vocabulary) <= 65536 else 4
        self.kind = {1: "B", 2: "H", 4: "I"}[self.width]
        pieces = json.dumps([piece.decode("latin-1") for piece in vocabulary], separators=(",", ":"))
        self.metadata = {"unroll_tokens": "1", "unit": "token", "vocabulary": pieces, **metadata}
        self.hash = hashlib.sha256(pieces.encode())
        self.count, self.seen = 0, set()
        self.room = (len(self.header({"counts": "", "hash": "0" * 64})) + 3 * ROOM + 7) // 8 * 8
        self.file = open(self.begun, "wb")
        self.file.write(b" " * (8 + self.room))

    def header(self, more):
        tensor = {"dtype": f"U{8 * self.width}", "shape": [self.count], "data_offsets": [0, self.count * self.width]}
        return json.dumps({"__metadata__": {**self.metadata, **more}, "tokens": tensor}, separators=(",", ":")).encode()

    def add(self, tokens):
        row = array.array(self.kind, tokens)
        self.seen.update(tokens)
        if sys.byteorder == "big":
            row.byteswap()
        self.file.write(row)
        self.hash.update(row)
        self.count += len(row)

    def finish(self, counts):
        """`counts`: tokens to train on, to validate, to test."""
        header = self.header({"counts": json.dumps(counts), "hash": self.hash.hexdigest()})
        self.file.seek(0)
        self.file.write(self.room.to_bytes(8, "little") + header.ljust(self.room))
        self.file.close()
        os.replace(self.begun, self.path)

    def discard(self):
        self.file.close()
        if os.path.exists(self.begun):
            os.unlink(self.begun)

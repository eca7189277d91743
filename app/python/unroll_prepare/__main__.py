# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m unroll_prepare SOURCE --out OUT [--tokenizer tokenizer.json] [--field NAME] [--end TOKEN]
[--cut BYTES,BYTES]."""

import argparse
import json
import os
import sys
import zipfile
from pathlib import Path

from . import Refused, sources, tokens
from .losses import Losses
from .tokens_file import TokensFile

BATCH = 32  # texts that are divided at a time
ROLES = ("train", "validation", "test")
SAID = {"train": "training"}  # in sentences


def texts_of(options, tokenizer, files):
    """Texts to divide, one by one; each with what follows it."""
    for name, opened in files:
        with opened() as file:
            if sources.is_parquet(name):
                yield from ((text, True) for text in texts_of_rows(options.field or "text", name, file))
            elif sources.is_records(name):
                yield from ((text, True) for text in sources.records_of(name, file, options.field or "text"))
            else:
                yield from ((text, False) for text in tokens.cut(tokenizer, sources.pieces_of(file), name))


def texts_of_rows(field, name, file):
    report = RowsReport(field)
    yield from (row[field] for number, row in enumerate(sources.rows_of(name, file), 1) if report.takes(row, name, number))
    report.warn()


def batches_of(texts):
    batch, size = [], 0
    for text in texts:
        batch.append(text)
        size += len(text[0])
        if len(batch) == BATCH or size > 8 * sources.PIECE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def write_part(options, tokenizer, files, end, out, losses):
    for batch in batches_of(texts_of(options, tokenizer, files)):
        separated = [text + ("\n" if record and end is None else "") for text, record in batch]
        for (_, record), text, entry in zip(batch, separated, tokens.entries(tokenizer, separated)):
            losses.add(text, entry)
            out.add(entry.ids + [end] if record and end is not None else entry.ids)


def end_of(options, tokenizer):
    if options.end is None:
        return None
    end = tokenizer.token_to_id(options.end)
    if end is None:
        raise Refused(f"{options.tokenizer}: has no token {options.end}")
    return end


def write_tokens(options, parts):
    if Path(options.out).suffix != ".safetensors":
        raise Refused(f"{options.out}: tokens are written to a .safetensors file")
    tokenizer = tokens.load(options.tokenizer)
    end, pieces = end_of(options, tokenizer), tokens.vocabulary(tokenizer)
    losses = {role: Losses(tokenizer, pieces) for role in ROLES}
    out = TokensFile(options.out, pieces, {"source": os.path.basename(options.source)})
    counts = []
    try:
        for role in ROLES:
            before = out.count
            write_part(options, tokenizer, parts.get(role, []), end, out, losses[role])
            counts.append(out.count - before)
        if counts[0] == 0:
            nothing = "the tokenizer has no token for its text" if losses["train"].bytes else "contains no text"
            raise Refused(f"{options.source}: {nothing}")
        out.finish(counts)
    except BaseException:
        out.discard()
        raise
    for role in ROLES:
        for sentence in losses[role].sentences(SAID.get(role, role)):
            print(f"warning: {sentence}", file=sys.stderr)
    print(f"{options.out}: {sum(counts):,} tokens of a vocabulary of {len(pieces):,}, of which {len(out.seen):,} occur; "
          + ", ".join(f"{role} {count:,}" for role, count in zip(ROLES, counts) if count))


class RowsReport:
    """Of rows that are written: what is no text where one may be meant. With `field`, rows in which it is null are left out."""

    def __init__(self, field):
        self.field, self.rows = field, 0
        self.odd = {}  # (column, kind): how many rows, and the first

    def takes(self, row, name, number):
        """Whether the row is written. Refuses one whose field is there and no text."""
        self.rows += 1
        place = f"{name}: row {number}"
        if self.field is None:
            for column, value in row.items():
                if value is None or isinstance(value, (list, dict)):
                    self.note(column, value, place)
            return True
        if row.get(self.field, "") is None:
            self.note(self.field, None, place)
            return False
        sources.field_of(row, self.field, place)
        return True

    def note(self, column, value, place):
        found = (column, sources.kind_of(value))
        count, first = self.odd.get(found, (0, place))
        self.odd[found] = count + 1, first

    def sentences(self):
        end = "it cannot be read as a text" if self.field is None else "left out"
        for (column, kind), (count, first) in self.odd.items():
            yield f"{first}: {column} is {kind}, as in {count:,} of {self.rows:,} rows: {end}."

    def warn(self):
        for sentence in self.sentences():
            print(f"warning: {sentence}", file=sys.stderr)


def write_rows(out, files, field):
    count, begun, report = 0, f"{out}.part", RowsReport(field)
    try:
        with open(begun, "w", encoding="utf-8") as file:
            for name, opened in files:
                with opened() as rows:
                    for number, row in enumerate(sources.rows_of(name, rows), 1):
                        if report.takes(row, name, number):
                            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
                            count += 1
        if report.rows > 0 and count == 0:
            raise Refused(f"{files[0][0]}: the field {field} is null in all of {report.rows:,} rows")
        os.replace(begun, out)
    finally:
        if os.path.exists(begun):
            os.unlink(begun)
    report.warn()
    print(f"{out}: {count:,} rows")


def write_lines(options, parts):
    for files in parts.values():
        for name, _ in files:
            if not sources.is_parquet(name):
                raise Refused(f"{name}: is read by Unroll as it is; a tokenizer.json (--tokenizer) turns it into tokens")
    if len(parts) == 1:
        if Path(options.out).suffix != ".jsonl":
            raise Refused(f"{options.out}: rows are written to a .jsonl file")
        return write_rows(options.out, parts["train"], options.field)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    for role, files in parts.items():
        write_rows(str(Path(options.out) / f"{role}.jsonl"), files, options.field)


def main():
    parser = argparse.ArgumentParser(prog="unroll-cli prepare")
    parser.add_argument("source")
    parser.add_argument("--out", required=True)
    parser.add_argument("--tokenizer")
    parser.add_argument("--field")
    parser.add_argument("--end")
    parser.add_argument("--cut", type=sources.places, help="bytes after which training and validation end, of one text")
    options = parser.parse_args()
    try:
        parts = sources.parts_of(options.source)
        if options.cut:
            parts = sources.divided(parts, *options.cut)
        if options.tokenizer:
            write_tokens(options, parts)
        else:
            write_lines(options, parts)
    except (Refused, OSError, zipfile.BadZipFile) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

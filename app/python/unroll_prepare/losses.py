# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a text its tokens do not give back, and how many of them stand for what the vocabulary lacks."""

import difflib
import functools
import json


@functools.lru_cache(maxsize=1 << 16)
def common(text, given):
    """Bytes of `text` that `given` has in the same order; a blank that a token writes before a word counts for nothing."""
    if given in (text, b" " + text):
        return len(text)
    blocks = difflib.SequenceMatcher(None, text, given, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def unknown_of(tokenizer):
    """Number and name of the token that stands for all that the vocabulary lacks; (None, None): it has none."""
    model = json.loads(tokenizer.to_str()).get("model", {})
    name = model.get("unk_token")
    number = model.get("unk_id") if name is None else tokenizer.token_to_id(name)
    return number, None if number is None else tokenizer.id_to_token(number)


class Losses:
    """Counted over the texts of one part; nothing is kept but numbers."""

    def __init__(self, tokenizer, pieces):
        self.pieces = pieces
        self.unknown, self.unknown_name = unknown_of(tokenizer)
        self.bytes = self.lost = self.tokens = self.unknowns = 0

    def add(self, text, entry):
        """`entry`: the tokens of `text` with the characters that each stands for."""
        ids, whole = entry.ids, text.encode()
        self.tokens += len(ids)
        self.unknowns += ids.count(self.unknown)
        self.bytes += len(whole)
        if b"".join([self.pieces[i] for i in ids]) not in (whole, b" " + whole):
            self.lost += len(whole) - self.given_back(text, ids, entry.offsets)

    def given_back(self, text, ids, spans):
        """Bytes of `text`, compared from token to token; tokens of one character go together."""
        count = begin = end = 0
        given = b""
        for number, (first, last) in zip(ids, spans):
            if first >= end and last > end:
                count += common(text[begin:end].encode(), given) if given else 0
                begin, given = end, b""
            end = max(end, last)
            piece = self.pieces[number]
            # The token itself may be what the text says.
            given += piece if number != self.unknown or text[first:last].encode() == piece else b""
        return count + (common(text[begin:end].encode(), given) if given else 0)

    def sentences(self, part):
        said = []
        if self.lost:
            said.append(f"{self.lost:,} of {self.bytes:,} bytes of the {part} part ({100 * self.lost / self.bytes:.2f} %) are not "
                        "given back by its tokens: the tokenizer has none for them, or changes the text.")  # fmt: skip
        if self.unknowns:
            said.append(f"{self.unknowns:,} of {self.tokens:,} tokens of the {part} part ({100 * self.unknowns / self.tokens:.2f} %) are "
                        f"{self.unknown_name}, which stands for all that the vocabulary of {len(self.pieces):,} lacks.")  # fmt: skip
        return said

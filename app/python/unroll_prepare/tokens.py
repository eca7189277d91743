# SPDX-License-Identifier: GPL-3.0-or-later
"""A text as tokens of a tokenizer.json, by the package tokenizers."""

import json
import re

from . import Refused

LONGEST = 64 << 20  # characters that are kept where a text cannot be cut
WINDOW = 200  # characters on both sides of a cut that decide whether it changes a token
TRIES = 200


def load(path):
    try:
        import tokenizers
    except ImportError:
        raise Refused(f"{path}: is read by the Python package tokenizers: pip install tokenizers") from None
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises Exception itself
        raise Refused(f"{path}: cannot be read as a tokenizer: {error}") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def kinds_in(description, part):
    """The types of a part of a tokenizer, those of a sequence too."""
    entry = description.get(part) or {}
    entries = [entry, *entry.get("decoders", []), *entry.get("pretokenizers", [])]
    return {each.get("type") for each in entries}


def byte_of_character():
    """The bytes that the characters of a byte-level vocabulary stand for (GPT-2's table)."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


def vocabulary(tokenizer):
    """The bytes of each token."""
    description = json.loads(tokenizer.to_str())
    decoders = kinds_in(description, "decoder")
    byte_level = "ByteLevel" in decoders | kinds_in(description, "pre_tokenizer")
    blanks = bool(decoders & {"Metaspace", "Replace"}) or "Metaspace" in kinds_in(description, "pre_tokenizer")
    fallback = description.get("model", {}).get("byte_fallback", False)
    table, added = byte_of_character(), {entry["id"] for entry in description.get("added_tokens", [])}
    entries = {number: token for token, number in tokenizer.get_vocab(with_added_tokens=True).items()}
    pieces = []
    for number in range(max(entries) + 1):
        token = entries.get(number, "")
        if number in added:
            pieces.append(token.encode())
        elif byte_level and all(character in table for character in token):
            pieces.append(bytes(table[character] for character in token))
        elif fallback and (byte := re.fullmatch("<0x([0-9A-Fa-f]{2})>", token)):
            pieces.append(bytes([int(byte[1], 16)]))
        elif "WordPiece" in decoders:
            pieces.append(token.removeprefix("##").encode() if token.startswith("##") else f" {token}".encode())
        else:
            pieces.append((token.replace("\u2581", " ") if blanks else token).encode())
    return pieces


def entries(tokenizer, texts):
    """Of each text its tokens (`ids`) and the characters that each stands for (`offsets`)."""
    return tokenizer.encode_batch(texts, add_special_tokens=False)


def encode(tokenizer, texts):
    return [entry.ids for entry in entries(tokenizer, texts)]


def changes_nothing(tokenizer, text, at):
    """Whether the tokens around a cut are the same with and without it."""
    left, right = text[max(at - WINDOW, 0) : at], text[at : at + WINDOW]
    whole, before, after = encode(tokenizer, [left + right, left, right])
    return whole == before + after


def place_to_cut(tokenizer, text):
    """The last place where a cut changes no token: behind a line end, else before a blank; 0: there is none."""
    tries = 0
    for pattern in (r"(?<=\S\n)(?=\S)", r"(?<=\S)(?= \S)"):
        places = [match.start() for match in re.finditer(pattern, text[-(1 << 18) :])]
        for place in reversed(places[-TRIES:]):
            at = place + max(len(text) - (1 << 18), 0)
            if at < len(text) - WINDOW and changes_nothing(tokenizer, text, at):
                return at
            tries += 1
    return 0


def cut(tokenizer, pieces, name):
    """The text in pieces that have together the tokens of the whole."""
    kept = ""
    for piece in pieces:
        kept += piece
        at = place_to_cut(tokenizer, kept)
        if at == 0 and len(kept) > LONGEST:
            raise Refused(f"{name}: nowhere in {LONGEST} characters can it be cut without another token at the cut; "
                          "give it as JSON Lines, a text a record")
        if at > 0:
            yield kept[:at]
            kept = kept[at:]
    if kept:
        yield kept

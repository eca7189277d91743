# SPDX-License-Identifier: GPL-3.0-or-later
"""Data for Unroll by libraries of Python: Parquet files as JSON Lines (pyarrow), texts as tokens of a tokenizer.json (tokenizers)."""


class Refused(Exception):
    """What cannot be done, in a sentence that begins with the file."""

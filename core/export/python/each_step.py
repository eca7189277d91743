# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of sequences, for loops."""


def each_step(*sequences):
    """The steps of sequences [T, B, ...] one after the other, each [1, B, ...]. None stays None at every step."""
    length = next(len(sequence) for sequence in sequences if sequence is not None)
    return zip(*([None] * length if sequence is None else sequence.split(1) for sequence in sequences))

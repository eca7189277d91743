# SPDX-License-Identifier: GPL-3.0-or-later


def class_bands(cutoffs, classes):
    """The first class of each tail, from "2000, 10000", then the number of classes. Empty: a fifth of the classes; of 1,000 or more a
    fifteenth and a fifth."""
    if cutoffs.strip():
        return [int(cut) for cut in cutoffs.split(",")] + [classes]
    if classes < 2:
        return [classes]
    return ([max(1, classes // 5)] if classes < 1000 else [classes // 15, classes // 5]) + [classes]


def tail_width(width, div_value, tail):
    """Of the vectors of a tail, the first of which is 0."""
    return max(1, int(width // div_value ** (tail + 1)))

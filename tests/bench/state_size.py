# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of a recurrent state: the formulas of the blocks' family.json, which tests/python/blocks/test_family.py holds to the references."""


def sum_of_powers(base, end):
    """base + base² + ... + base^(end - 1)."""
    return sum(base**exponent for exponent in range(1, end))


def attending(layers, every, last):
    """Layers of SRU++ with attention: a single one has it, of several the last ones or each of so many."""
    if layers == 1:
        return 1
    return min(last, layers) if last else layers // every


def numbers(formula, params):
    """params: a mapping of the names that the formula has."""
    return eval(formula, {"__builtins__": {}, "sum_of_powers": sum_of_powers, "attending": attending}, params)  # noqa: S307

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in every form, and bootstrap intervals beside numpy's quantiles."""

import csv
import io
import itertools
import json
import math

import numpy
import pytest
from bootstrap import interval, mean
from tables import written

HEADS = ["lane", "loss", "runs"]
ROWS = [["a|b_c", 0.123456789, 3], ["d", None, 1]]


def test_a_table_in_every_form():
    assert written("text", HEADS, ROWS).splitlines() == ["lane   loss      runs", "a|b_c  0.123457  3", "d      n/a       1"]
    read = list(csv.reader(io.StringIO(written("csv", HEADS, ROWS))))
    assert read[0] == HEADS and float(read[1][1]) == ROWS[0][1] and read[2][1] == ""
    assert [json.loads(line)["loss"] for line in written("json", HEADS, ROWS).splitlines()] == [ROWS[0][1], None]
    assert written("markdown", HEADS, ROWS).splitlines()[1:3] == ["| --- | --- | --- |", "| a\\|b_c | 0.123457 | 3 |"]
    latex = written("latex", HEADS, ROWS)
    assert r"\begin{tabular}{lrr}" in latex and r"a|b\_c & 0.1235 & 3 \\" in latex


@pytest.mark.parametrize("values", [[1.0, 2.0], [0.3, 0.1, 0.7], [5.0, 1.0, 2.0, 8.0, 3.0]])
def test_intervals_of_few_seeds_are_exact(values):
    means = [numpy.mean(draw) for draw in itertools.product(values, repeat=len(values))]
    low, high = interval(values)
    assert low == pytest.approx(numpy.quantile(means, 0.025)) and high == pytest.approx(numpy.quantile(means, 0.975))
    assert low <= mean(values) <= high


def test_intervals_of_many_seeds_and_of_one():
    values = [math.sin(index) for index in range(10)]
    low, high = interval(values)
    error = numpy.std(values) / math.sqrt(10)
    assert (low, high) == interval(values)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)
    assert interval([1.0]) == (None, None) and interval([2.0, 2.0]) == (2.0, 2.0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in every form."""

import csv
import io
import json

from tables import written

HEADS = ["lane", "loss", "runs"]
ROWS = [["a|b_c", 0.123456789, 3], ["d", None, 1]]


def test_a_table_in_every_form():
    assert written("text", HEADS, ROWS).splitlines() == ["lane   loss      runs", "a|b_c  0.123457  3", "d      n/a       1"]
    read = list(csv.reader(io.StringIO(written("csv", HEADS, ROWS))))
    assert read[0] == HEADS and float(read[1][1]) == ROWS[0][1] and read[2][1] == ""
    assert [json.loads(line)["loss"] for line in written("json", HEADS, ROWS).splitlines()] == [ROWS[0][1], None]
    assert written("markdown", HEADS, ROWS).splitlines()[1:3] == ["| --- | --- | --- |", "| a\\|b_c | 0.123457 | 3 |"]

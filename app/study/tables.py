# SPDX-License-Identifier: GPL-3.0-or-later
"""A table as text, CSV, Markdown and JSON. Cells are values; what is not known is None."""

import csv
import io
import json
import math

FORMATS = ("text", "csv", "json", "markdown")


def cell_text(value, digits=6):
    if value is None:
        return "n/a"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.{digits}g}" if math.isfinite(value) else str(value)
    return str(value)


def _padded(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def as_text(heads, rows):
    return "\n".join(_padded([list(heads)] + [[cell_text(cell) for cell in row] for row in rows]))


def as_csv(heads, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([["" if cell is None else cell_text(cell, 17) for cell in row] for row in rows])
    return out.getvalue().rstrip("\n")


def as_json(heads, rows):
    """A line a row."""
    return "\n".join(json.dumps(dict(zip(heads, row))) for row in rows)


def as_markdown(heads, rows):
    def line(cells):
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    return "\n".join([line(heads), line(["---"] * len(heads)), *(line([cell_text(cell) for cell in row]) for row in rows)])


def written(form, heads, rows):
    return {"text": as_text, "csv": as_csv, "json": as_json, "markdown": as_markdown}[form](heads, rows)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the reports of these programs have alike: the machine in words, and tables in Markdown."""

import pathlib
import platform


def processor():
    facts = pathlib.Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def table(heads, rows):
    """Cells are words."""
    head, *others = (f"| {' | '.join(cells)} |" for cells in (heads, *rows))
    return "\n".join([head, "|---" * len(heads) + "|", *others])

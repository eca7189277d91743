# SPDX-License-Identifier: GPL-3.0-or-later
"""What the reports of these programs have alike: the machine in words, and tables in Markdown."""

import pathlib
import platform


def processor():
    """Its name, and where the system tells them, the family and model: one name is sold with many kinds of cores."""
    facts = pathlib.Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in reversed(lines))}
    kind = f" (family {told['cpu family']}, model {told['model']})" if "cpu family" in told and "model" in told else ""
    return told.get("model name", platform.machine()) + kind


def table(heads, rows):
    """Cells are words."""
    head, *others = (f"| {' | '.join(cells)} |" for cells in (heads, *rows))
    return "\n".join([head, "|---" * len(heads) + "|", *others])

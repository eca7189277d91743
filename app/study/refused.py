# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user is told instead of a traceback."""

import difflib


class Refused(Exception):
    """A sentence, with the file and line it is about."""


def near(word, names):
    """', did you mean lstm.units?', or the names where they are few; else nothing."""
    names = sorted(names)
    found = difflib.get_close_matches(word, names, 1, 0.6)
    if found:
        return f"; did you mean {found[0]}?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 12 else ""

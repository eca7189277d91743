# SPDX-License-Identifier: GPL-3.0-or-later
"""States of one copy of a group."""


def within(states, prefix):
    """The states whose names begin with prefix, under the rest of their names."""
    return {name[len(prefix):]: state for name, state in states.items() if name.startswith(prefix)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""A vector is no signal: it has no steps."""


def made(case, shown):
    return {}, None

# SPDX-License-Identifier: GPL-3.0-or-later
from delta_signals import made  # noqa: F401

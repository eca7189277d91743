# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that model.py lies in."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))

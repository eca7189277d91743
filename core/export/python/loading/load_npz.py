# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads an exported file of NumPy arrays; "exported" stands for its path."""

import numpy

weights = numpy.load("exported")
for name in weights.files:
    print(name, weights[name].shape)

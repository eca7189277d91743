# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the folder of an exported Python model; "exported" stands for its path."""

import sys

sys.path.insert(0, "exported")
from model import example, load

model = load()
# Time first. Pass the states in again to continue.
loss, prediction, states = model(example())
print(prediction.shape)

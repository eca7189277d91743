# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the ONNX model of an exported folder; "exported" stands for its path."""

import os

import numpy
import onnxruntime  # pip install onnxruntime

session = onnxruntime.InferenceSession(os.path.join("exported", "sequence.onnx"))
# Zeros of 12 steps of 2 sequences; the states begin as zeros. Outputs next.* go in again as state.* to continue.
sizes, types = {"T": 12, "B": 2}, {"tensor(int64)": "int64", "tensor(float)": "float32", "tensor(bool)": "bool"}
inputs = session.get_inputs()
given = {each.name: numpy.zeros([sizes.get(n, n) for n in each.shape], types[each.type]) for each in inputs}
for each, value in zip(session.get_outputs(), session.run(None, given)):
    print(each.name, value.shape)

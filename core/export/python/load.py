# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the weights beside model.py."""

import json
import os

import torch

from .here import HERE
from .stand_ins import Model


DTYPES = {"BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
          "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}


def read_safetensors(path):
    """{name: tensor} of a safetensors file: the header's length, a JSON header, then the numbers."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        piece = data[begin:end]
        flat = torch.frombuffer(piece, dtype=DTYPES[entry["dtype"]]) if piece else torch.empty(0, dtype=DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def load(folder=HERE, dtype=torch.float32):
    """The trained model, with weights.safetensors of the folder. Every weight must be there, with its shape."""
    model = Model().to(dtype)
    model.load_state_dict(read_safetensors(os.path.join(folder, "weights.safetensors")))
    return model.eval()

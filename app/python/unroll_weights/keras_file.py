# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that Keras 3 saves: .keras (weights and settings) and .weights.h5. Nothing in them is executed, and Keras is not needed."""

import io
import json
import re
import zipfile

import torch

from .mapping import Refused, Weights


def snake(name):
    """As Keras calls the folder of a layer's weights: SimpleRNN simple_rnn, of a package that registers it without the package."""
    name = name.rsplit(">", 1)[-1]
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


def named(layer):
    """Class and settings."""
    return layer["class_name"].rsplit(">", 1)[-1], layer.get("config") or {}


def layers_in(config, before=""):
    """{prefix: (class, settings)} of the layers of a model and of the models in it, under the names that the file has for them."""
    found, used = {}, {}
    for layer in config.get("layers") or []:
        name = snake(layer["class_name"])
        used[name] = used.get(name, -1) + 1
        prefix = f"{before}layers.{name}{f'_{used[name]}' if used[name] else ''}."
        settings = layer.get("config") or {}
        found[prefix] = named(layer)
        for side in ("layer", "backward_layer"):
            if name == "bidirectional" and isinstance(settings.get(side), dict):
                found[f"{prefix}{side if side == 'backward_layer' else 'forward_layer'}."] = named(settings[side])
        found |= layers_in(settings, prefix)
    return found


def tensors_in(file, h5py, path):
    """{path with dots: tensor}; single numbers and lists of bytes are tensors too."""
    found = {}

    def visit(name, entry):
        if isinstance(entry, h5py.Dataset):
            if entry.dtype.kind not in "fiu":
                raise Refused(f"{path}: {name} is of type {entry.dtype}, not numbers")
            found[name.replace("/", ".")] = torch.from_numpy(entry[()].copy()) if entry.shape else torch.tensor(entry[()].item())

    file.visititems(visit)
    return found


def read_h5(source, path, layers=None):
    try:
        import h5py
    except ImportError:
        raise Refused(f"{path}: needs the Python package h5py: pip install h5py") from None
    try:
        with h5py.File(source, "r") as file:
            if "model_weights" in file or "layer_names" in file.attrs:
                raise Refused(f"{path}: this is the older form of Keras; save it again by Keras 3: model.save('model.keras')")
            tensors = tensors_in(file, h5py, path)
    except OSError as error:
        raise Refused(f"{path}: it cannot be read as HDF5: {error}") from None
    if not tensors:
        raise Refused(f"{path}: no weights are in it")
    return Weights(tensors, "keras", layers)


def read_keras(path):
    """Of a .keras file or of one with weights alone."""
    if path.suffix != ".keras":
        return read_h5(path, path)
    try:
        with zipfile.ZipFile(path) as packed:
            config = json.loads(packed.read("config.json"))
            weights = packed.read("model.weights.h5")
        layers = layers_in(config.get("config") or {})
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise Refused(f"{path}: this is not a .keras file of Keras 3: {error}") from None
    return read_h5(io.BytesIO(weights), path, layers)

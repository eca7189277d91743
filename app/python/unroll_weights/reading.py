# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of weights: {name: tensor}."""

import pathlib
import pickle

import torch

from .keras_file import read_keras
from .mapping import Refused

INSIDE = ("state_dict", "model_state_dict", "model", "weights", "params")


def state_in(found, path):
    """The tensors of a state_dict, or of the one that a checkpoint holds under a usual name."""
    if isinstance(found, dict):
        tensors = {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}
        if tensors:
            return {name: tensor.detach() for name, tensor in tensors.items()}
        for name in INSIDE:
            if isinstance(found.get(name), dict):
                return state_in(found[name], path)
    raise Refused(f"{path}: no state_dict was found in it; save one: torch.save(model.state_dict(), path)")


def read_weights(path):
    """Of a .safetensors file, of one that torch.save has written, or of one of Keras 3; nothing in it is executed."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise Refused(f"{path}: there is no such file")
    if path.suffix in (".h5", ".keras"):
        return read_keras(path)
    if path.suffix == ".safetensors":
        try:
            from safetensors.torch import load_file
        except ImportError:
            raise Refused(f"{path}: needs the Python package safetensors: pip install safetensors") from None
        try:
            return load_file(path)
        except Exception as error:  # SafetensorError, which its own package alone names
            raise Refused(f"{path}: {error}") from None
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise Refused(
            f"{path}: it is not a file of torch.save, or contains more than weights, which is not executed; save the "
            "state_dict: torch.save(model.state_dict(), path)"
        ) from None
    except (RuntimeError, EOFError, ValueError, KeyError) as error:
        raise Refused(f"{path}: it cannot be read by torch.load: {' '.join(str(error).split())}") from None
    return state_in(found, path)

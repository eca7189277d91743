# SPDX-License-Identifier: GPL-3.0-or-later
"""A trained model from an export's folder, or from a run's by way of unroll-cli."""

import ast
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import tempfile
import warnings

import torch
import unroll_weights

from . import nn
from ._checks import Checked


def _program(cli):
    found = cli or os.environ.get("UNROLL_CLI") or shutil.which("unroll-cli")
    if not found:
        raise FileNotFoundError(
            "A run is exported by unroll-cli first, which is not found here: name it (cli=..., or UNROLL_CLI), or load "
            "the folder that `unroll-cli export RUN --format python --out FOLDER` has written."
        )
    return found


def _exported(run, checkpoint, cli, out):
    words = [_program(cli), "export", str(run), "--format", "python", "--out", str(out)]
    words += ["--checkpoint", str(checkpoint)] if checkpoint is not None else []
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise ValueError(ended.stderr.strip() or f"unroll-cli export ended with {ended.returncode}")


def _class_texts(file):
    """{class name: text} of a Python file."""
    text = pathlib.Path(file).read_text(encoding="utf-8")
    classes = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    return {node.name: ast.get_source_segment(text, node) for node in classes}


def _take_classes(module, texts):
    """Puts the classes of unroll.nn in the place of those of model.py that have the same text, before any is made."""
    for name in set(texts) & set(nn.__all__):
        ours = getattr(nn, name)
        if issubclass(ours, Checked) and texts[name] == _class_texts(inspect.getfile(ours.reference)).get(name):
            setattr(module, name, ours)


def _load_export(folder, dtype, kernels):
    spec = importlib.util.spec_from_file_location("unroll_exported_model", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if kernels:
        _take_classes(module, _class_texts(folder / "model.py"))
    return module.load(str(folder), dtype)


def take_weights(cell, file, prefix=None):
    """Takes the weights of another package's module from a .safetensors, .pt (of a state_dict), .keras or .weights.h5
    file into a cell of unroll.nn, by the mapping that its block states: torch.nn's LSTM, GRU, RNN and layers, the
    package sru, mru-lm, Keras's LSTM, GRU and SimpleRNN, Keras-MML. `prefix` is what stands before their names where
    the file has several. Gives the mapping: (ours, theirs, sizes, what was done). What the file does not tell is a
    warning."""
    block = getattr(cell, "reference", type(cell)).__module__.rsplit(".", 1)[1].removesuffix("_reference")
    params = {"bidirectional": getattr(cell, "dirs", 1) == 2, "maker": getattr(cell, "maker", "ldu")}
    turned = "rope" if getattr(cell, "xpos_scale", None) is None else "xpos"
    params["positions"] = "none" if getattr(cell, "rope_base", None) is None else turned
    taken = unroll_weights.mapped(block, unroll_weights.read_weights(file), params, prefix)
    if taken.form and getattr(cell, "convention", None) not in (None, taken.form.split()[-1]):
        raise unroll_weights.Refused(f"these are of {taken.form}, and the cell has {cell.convention}")
    cell.load_state_dict(taken.weights)
    for note in taken.notes:
        warnings.warn(f"{file}: {note}", stacklevel=2)
    return taken.lines


def load(folder, checkpoint=None, dtype=torch.float32, kernels=True, cli=None):
    """The trained model of an export's folder (model.py and weights.safetensors), or of a run's folder: this one is
    exported by unroll-cli, which `cli` names, else UNROLL_CLI, else the search path. `checkpoint` as in
    `unroll-cli export`.

    Gives a torch module in evaluation mode: loss, prediction, states = model(inputs, targets, mask, states). With
    `kernels` its blocks are those of unroll.nn where the export's reference has the same text."""
    folder = pathlib.Path(folder).expanduser()
    if (folder / "model.py").exists():
        return _load_export(folder, dtype, kernels)
    if not (folder / "experiment.unroll").exists():
        raise FileNotFoundError(f"{folder}: neither an export (model.py) nor a run (experiment.unroll)")
    with tempfile.TemporaryDirectory(prefix="unroll-") as place:
        _exported(folder, checkpoint, cli, pathlib.Path(place) / "export")
        return _load_export(pathlib.Path(place) / "export", dtype, kernels)

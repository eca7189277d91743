# SPDX-License-Identifier: GPL-3.0-or-later
"""The eight-bit codes of models that round their rows, in model.py and in the files of ONNX.

A number beside the middle of two integers is rounded to either side by the last bit of a sum, and one step of it moves all that follows. So what
a file computes is compared in two parts. Given the codes of the reference in the place of its own, its outputs are held to the same bound as
those of a model that does not round; and its own codes are held to them: they differ beside a middle alone, and by one."""
import contextlib

import numpy
import onnx
import torch
from torch.overrides import TorchFunctionMode

# How far from a middle a code may differ. What is rounded is 127 at most, with the relative error of what was computed
# so far.
BESIDE = {"fp32": 5e-3, "fp64": 1e-5}
FEW = 2e-3  # share of codes that differ


class RowCodes(TorchFunctionMode):
    """Notes what a pass of model.py rounds its rows to, site by site: a layer rounds what it reads, [T, B, width], and then its weight."""

    def __init__(self):
        super().__init__()
        self.rounded = []

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        if function in (torch.round, torch.Tensor.round):
            self.rounded.append(result.detach())
        return result

    def sites(self, steps, sequences):
        rows = self.rounded[::2]
        assert all(codes.shape[:2] == (steps, sequences) for codes in rows)
        return [codes.numpy() for codes in rows]


def of_model(model, given, sequences, turning=None):
    """What model.py gives, and its codes. `turning`: the roundings of a golden run, which decide in the middle."""
    with torch.no_grad(), turning or contextlib.nullcontext(), RowCodes() as codes:
        made = model(*given)
    return made, codes.sites(len(given[0]), sequences)


def rounding_nodes(graph):
    return [node for node in graph.node if node.op_type == "Round"]


def scan_of(model):
    """The Scan of sequence.onnx and its body."""
    scan = next(node for node in model.graph.node if node.op_type == "Scan")
    return scan, next(each for each in scan.attribute if each.name == "body").g


def port(name, kind, shape):
    return onnx.helper.make_tensor_value_info(name, kind, shape)


def given_codes(model, kind=onnx.TensorProto.FLOAT):
    """sequence.onnx with an input code.I more for each place I that rounds, taken instead of its own code, and the outputs exact.I, what was to be
    rounded, and own.I, its own code."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    scan, body = scan_of(changed)
    sites = rounding_nodes(body)
    for i, node in enumerate(sites):
        taken, own, exact = node.output[0], f"step/own.{i}", f"step/exact.{i}"
        later = [each for each in body.node if each is not node]
        for each in later:
            for k, name in enumerate(each.input):
                if name == taken:
                    each.input[k] = f"step/code.{i}"
        node.output[0] = own
        body.node.append(onnx.helper.make_node("Identity", [node.input[0]], [exact]))
        body.input.append(port(f"step/code.{i}", kind, ["B", None]))
        changed.graph.input.append(port(f"code.{i}", kind, ["T", "B", None]))
        scan.input.append(f"code.{i}")
        for name in (f"exact.{i}", f"own.{i}"):
            body.output.append(port(f"step/{name}", kind, ["B", None]))
            changed.graph.output.append(port(name, kind, ["T", "B", None]))
            scan.output.append(name)
    next(each for each in scan.attribute if each.name == "num_scan_inputs").i += len(sites)
    return changed, len(sites)


class OwnCodes:
    """The codes that a file made beside those that it was given."""

    def __init__(self, told, codes, kind):
        self.wrong, self.differ, self.count, self.farthest = [], 0, 0, 0.0
        self.first = numpy.full(codes[0].shape[1], codes[0].shape[0])  # by sequence, the first step where one differs
        for i, wanted in enumerate(codes):
            self.compare(i, told[f"own.{i}"], told[f"exact.{i}"], wanted, BESIDE[kind])

    def compare(self, site, own, exact, wanted, beside):
        differ = own != wanted
        self.differ, self.count = self.differ + int(differ.sum()), self.count + own.size
        far = numpy.abs(exact - wanted) - 0.5  # beyond the middle towards the other code
        self.farthest = max(self.farthest, float(far.max()))
        if (numpy.abs(own - wanted) > 1).any():
            self.wrong.append(f"site {site}: codes differ by up to {numpy.abs(own - wanted).max():g}")
        if (numpy.abs(own - exact) > 0.5).any():
            self.wrong.append(f"site {site}: a code is not the nearest integer")
        if (far > beside).any():
            self.wrong.append(f"site {site}: {int((far > beside).sum())} codes differ farther than {beside:g} from a middle, the farthest by {far.max():.2g}")
        for sequence in range(own.shape[1]):
            steps = numpy.flatnonzero(differ[:, sequence].any(-1))
            if len(steps):
                self.first[sequence] = min(self.first[sequence], steps[0])

    @property
    def faults(self):
        many = [f"{self.differ} of {self.count} codes differ"] if self.differ > FEW * self.count + 1 else []
        return self.wrong + many

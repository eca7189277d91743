# SPDX-License-Identifier: GPL-3.0-or-later
"""A run exported as ONNX and as Python, and ways to run the former: onnxruntime in float32, onnx.reference in float64."""
import numpy
import onnx
import onnx_codes
import onnxruntime
import safetensors.numpy
import torch
from conftest import Exported
from onnx.reference import ReferenceEvaluator
from running import run

NUMBERS = {1: numpy.float32, 7: numpy.int64, 9: numpy.bool_, 11: numpy.float64}


def graphs_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def in_double(model):
    """The same model with float64 in the place of float32."""
    double = onnx.ModelProto()
    double.CopyFrom(model)
    for graph in graphs_of(double.graph):
        for tensor in graph.initializer:
            if tensor.data_type == onnx.TensorProto.FLOAT:
                tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype(numpy.float64), tensor.name))
        for port in (*graph.input, *graph.output):
            if port.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
                port.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    return double


class Runner:
    """Inputs by name, outputs by name; states that are not given are zeros."""

    def __init__(self, model, evaluator):
        self.inputs = {port.name: port.type.tensor_type for port in model.graph.input}
        self.outputs = [port.name for port in model.graph.output]
        self.evaluator = evaluator

    @classmethod
    def of_file(cls, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return cls(onnx.load(path), onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]))

    @classmethod
    def of_bytes(cls, model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return cls(model, onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]))

    @classmethod
    def in_double(cls, path):
        model = in_double(onnx.load(path))
        return cls(model, ReferenceEvaluator(model))

    def states(self, sequences):
        return {name: numpy.zeros([dim.dim_value or sequences for dim in port.shape.dim], NUMBERS[port.elem_type])
                for name, port in self.inputs.items() if name.startswith("state.")}

    def __call__(self, sequences, given):
        given = {name: numpy.asarray(value, NUMBERS[self.inputs[name].elem_type]) for name, value in {**self.states(sequences), **given}.items()}
        if "mask" in self.inputs and "mask" not in given:
            first = next(value for name, value in given.items() if not name.startswith("state."))
            given["mask"] = numpy.ones(first.shape[:len(self.inputs["mask"].shape.dim)], bool)
        return dict(zip(self.outputs, self.evaluator.run(None, given)))


def carried(told):
    """The states that a run ended with, as those that the next begins with."""
    return {"state" + name[4:]: value for name, value in told.items() if name.startswith("next.")}


class OnnxExport(Exported):
    """A run of a few steps and both its exports; `refused` is the sentence where it has no form in ONNX."""

    def __init__(self, folder, experiment, *options):
        super().__init__(folder, experiment, *options)
        self.onnx = folder / "onnx"
        ended = run("export", self.run, "--format", "onnx", "--out", self.onnx)
        self.refused = ended.err.strip().removeprefix("error: ") if ended.code else ""
        if not self.refused:
            self.look()

    def look(self):
        self.golden = safetensors.numpy.load_file(self.onnx / "golden.safetensors")
        self.read = "tokens" if "0.tokens" in self.golden else "features"
        self.told = "logits" if "fp64.0.logits" in self.golden else "prediction"
        self.rounds = any(name.endswith(".rounded") for name in self.golden)

    def random_inputs(self, steps, sequences):
        draw, first = numpy.random.default_rng(7), self.golden["0." + self.read]
        if self.read == "tokens":
            return draw.integers(0, first.max() + 1, (steps, sequences))
        return draw.normal(size=(steps, sequences, first.shape[2])).astype(numpy.float32)

    def by_torch(self, inputs, dtype=torch.float64):
        """What model.py makes of them, and the codes of a model that rounds."""
        x = torch.from_numpy(inputs)
        (_, prediction, states), codes = onnx_codes.of_model(self.module().load(dtype=dtype), [x if self.read == "tokens" else x.to(dtype)], inputs.shape[1])
        told = {self.told: prediction.numpy(), **{f"next.{node}.{i}": part.numpy() for node, parts in states.items() for i, part in enumerate(parts)}}
        return told, codes


def distance(ours, theirs):
    """The largest difference of two results, relative to 1 or to the largest number of an output."""
    assert set(theirs) <= set(ours)
    return max(float(numpy.abs(ours[name] - value).max() / max(1.0, numpy.abs(value).max())) for name, value in theirs.items())


# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported ONNX files are drawn in the window of Netron: its page, in Chromium without a display, shows every input, output and operator of the file and of
the graphs inside, and no message. UNROLL_NETRON_PICTURES names a folder for pictures of the windows."""

import collections
import os
import pathlib

import netron_window
import onnx
import pytest
from conftest import QUICK
from onnx_models import OnnxExport, graphs_of
from running import gallery

pytestmark = pytest.mark.skipif(bool(netron_window.missing()), reason=netron_window.missing())
GRAPH_BUTTONS = collections.Counter("○+")  # of the box of a graph inside: show, expand; beside its name


@pytest.fixture(scope="session")
def window(tmp_path_factory):
    with netron_window.Window(tmp_path_factory.mktemp("netron-window")).served() as window:
        yield window


def shown_names(values):
    """Of a long name the window shows what follows its last stroke."""
    return [value.name if len(value.name) <= 16 else value.name.split("/")[-1] for value in values]


def graphs_in(node):
    return [attribute.g for attribute in node.attribute if attribute.type == onnx.AttributeProto.GRAPH]


def edges_of(graph):
    """One from box to box, however many values go that way; the box of a graph inside has those of values that it takes from outside."""
    made_by = {name: number for number, node in enumerate(graph.node) for name in node.output} | {value.name: value.name for value in graph.input}
    between = {(made_by[name], number) for number, node in enumerate(graph.node) for name in node.input if name in made_by}
    for number, node in enumerate(graph.node):
        for inner in graphs_in(node):
            between |= {(made_by[name], (number, inner.name)) for each in inner.node for name in each.input if name in made_by}
    return between | {(made_by[value.name], value.name) for value in graph.output}


def assert_drawn(told, graph):
    operators = collections.Counter(node.op_type for node in graph.node)
    inner = [each for node in graph.node for each in graphs_in(node)]
    for each in inner:
        operators += GRAPH_BUTTONS + collections.Counter([each.name])
    assert collections.Counter(told["operators"]) == operators
    assert told["inputs"] == shown_names(graph.input) and told["outputs"] == shown_names(graph.output)
    assert told["boxes"] == len(graph.node) + len(graph.input) + len(graph.output) + len(inner)
    assert told["edges"] == len(edges_of(graph))


@pytest.mark.parametrize("name", gallery("fable"))
def test_a_file_of_the_gallery_is_drawn(name, window, tmp_path):
    exported = OnnxExport(tmp_path, name, *QUICK)
    if exported.refused:
        pytest.skip(exported.refused)
    pictures = pathlib.Path(os.environ.get("UNROLL_NETRON_PICTURES", tmp_path))
    for form in ("model", "sequence"):
        file = exported.onnx / f"{form}.onnx"
        told = window.show(file, pictures / f"{name}-{form}.png")
        assert told["problem"] == ""
        graphs = list(graphs_of(onnx.load(file).graph))
        assert len(told["graphs"]) == len(graphs) == (2 if form == "sequence" else 1)
        for drawn, graph in zip(told["graphs"], graphs, strict=True):
            assert_drawn(drawn, graph)
        print(f"{name} {form}.onnx: {' and '.join(str(len(graph.node)) for graph in graphs)} operators drawn")


def test_a_file_that_is_cut_off_is_told_by_a_message(window, tmp_path):
    """What the window says where it cannot open a file is seen."""
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    told = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1])
    whole = onnx.helper.make_model(onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "one", [value], [told])).SerializeToString()
    (tmp_path / "cut.onnx").write_bytes(whole[:-30])
    assert "onnx.ModelProto" in window.show(tmp_path / "cut.onnx", tmp_path / "cut.png")["problem"]

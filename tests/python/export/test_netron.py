# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported ONNX files open in Netron: its own readers, which are JavaScript of the package netron, run by node, find every input, output, operator
and tensor of the file, and the graph inside Scan."""

import collections
import importlib.util
import json
import pathlib
import shutil
import subprocess

import onnx
import pytest
from conftest import QUICK
from onnx_models import OnnxExport
from running import gallery

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def netron(tmp_path_factory):
    """A copy of its scripts, which node takes for modules there."""
    found, node = importlib.util.find_spec("netron"), shutil.which("node")
    if found is None or node is None:
        pytest.skip("node runs the scripts of the package netron: both are needed")
    folder = tmp_path_factory.mktemp("netron") / "netron"
    shutil.copytree(pathlib.Path(found.origin).parent, folder)
    (folder / "package.json").write_text('{"type": "module"}')

    def read(file):
        ended = subprocess.run([node, HERE / "netron_reads.mjs", folder, file], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return read


def assert_same(told, graph, outer=frozenset()):
    """What Netron tells of a graph beside what the file has; `outer`: tensors of the graph around it."""
    assert [each.split(":")[0] for each in told["inputs"]] == [value.name for value in graph.input]
    assert [each.split(":")[0] for each in told["outputs"]] == [value.name for value in graph.output]
    assert told["operators"] == dict(collections.Counter(node.op_type for node in graph.node)) and told["unknown"] == []
    made = outer | {tensor.name for tensor in graph.initializer}
    assert told["tensors"] == sum(name in made for node in graph.node for name in node.input)
    bodies = [attribute.g for node in graph.node for attribute in node.attribute if attribute.type == onnx.AttributeProto.GRAPH]
    assert len(bodies) == len(told["inner"])
    for each, body in zip(told["inner"], bodies):
        assert_same(each, body, made)


@pytest.mark.parametrize("name", gallery("char-lstm", "char-mru", "char-sru-attention", "fable", "waves-lstm"))
def test_a_file_of_the_gallery_opens(name, netron, tmp_path):
    exported = OnnxExport(tmp_path, name, *QUICK)
    if exported.refused:
        pytest.skip(exported.refused)
    for form in ("model", "sequence"):
        file = exported.onnx / f"{form}.onnx"
        told = netron(file)
        assert told["format"] == "ONNX v8" and told["producer"].startswith("Unroll ") and told["problems"] == []
        (graph,) = told["graphs"]
        assert_same(graph, onnx.load(file).graph)
        assert len(graph["inner"]) == (form == "sequence")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m unroll_weights WEIGHTS EXPERIMENT [--all] [--node NODE[=PREFIX]]... [--out FILE.safetensors] [--json]."""

import argparse
import json
import os
import sys

from .mapping import Refused, mapped, prefixes_of


def nodes_of(graph, before=""):
    """{name: node} of a document, in groups as GROUP.NODE, in copies with weights of their own as GROUP.COPY.NODE."""
    found = {}
    for node in graph.get("nodes", []):
        name, group = before + node["name"], node.get("group", {})
        found[name] = node
        numbered = group.get("repeat", 1) > 1 and not group.get("shared_weights")
        for copy in [f".{i}" for i in range(1, group["repeat"] + 1)] if numbered else [""]:
            found |= nodes_of(group, f"{name}{copy}.")
    return found


def experiment_nodes(path):
    try:
        with open(path, encoding="utf-8") as file:
            return nodes_of(json.load(file)["graph"])
    except (OSError, ValueError, KeyError) as error:
        raise Refused(f"{path}: no experiment can be read: {error}") from None


def weights_in(path):
    try:
        from .reading import read_weights
    except ModuleNotFoundError as error:
        raise Refused(f"{sys.executable} has no package {error.name}: pip install {error.name}, or name another Python: UNROLL_PYTHON=/path/to/python") from None
    return read_weights(path)


def sizes(numbers):
    return "x".join(map(str, numbers))


class Words:
    """What is said of an import, for people."""

    def node(self, name, block, taken, notes):
        print(f"{name} ({block}) from {taken.source}:")
        for ours, theirs, shape, done in taken.lines:
            print(f"  {name}.{ours} {sizes(shape)}  <-  {theirs}{f', {done}' if done else ''}")
        if taken.form:
            print(f"  {taken.form}")
        for note in notes:
            print(f"  note: {note}")

    def end(self, kept, unused, tensors, options):
        if kept:
            print(f"left at their initial values, since the file has nothing behind their names: {', '.join(kept)}")
        if unused:
            print(f"not taken: {', '.join(unused)}")
        if options.out:
            print(f"written: {options.out}. Start from it: unroll-cli train {options.experiment} --init {options.out}")

    def refused(self, sentence):
        print(f"error: {sentence}", file=sys.stderr)


class Lines(Words):
    """The same as one JSON object a line: "node" for each that takes weights, and "end"."""

    def node(self, name, block, taken, notes):
        weights = [{"name": f"{name}.{ours}", "shape": shape, "from": theirs, "done": done} for ours, theirs, shape, done in taken.lines]
        print(json.dumps({"kind": "node", "node": name, "block": block, "source": taken.source, "form": taken.form, "weights": weights, "notes": notes}))

    def end(self, kept, unused, tensors, options):
        print(json.dumps({"kind": "end", "tensors": tensors, "left": kept, "unused": unused, "out": options.out or ""}))

    def refused(self, sentence):
        super().refused(sentence)
        print(json.dumps({"kind": "end", "failure": sentence}))


def compared(node, taken, expected):
    """Refuses weights of other sizes than the node's, where these are known; notes on what it also has."""
    own = {name.removeprefix(node + "."): shape for name, shape in expected.items() if name.startswith(node + ".")}
    if not own:
        return ["sizes are not compared, since the experiment has errors"]
    for ours, theirs, shape, _ in taken.lines:
        if ours not in own:
            raise Refused(f"{node} has no weight {ours}, which {theirs} would be; it has {', '.join(own)}")
        if own[ours] != shape:
            raise Refused(f"{node}.{ours} is {sizes(own[ours])}, and {theirs} gives {sizes(shape)}")
    left = [ours for ours in own if ours not in taken.weights]
    return [f"not in the file, so left at the initial values: {', '.join(left)}"] if left else []


def write(path, weights, metadata, read):
    if os.path.exists(path) and os.path.samefile(path, read):
        raise Refused(f"{path}: it is the file that the weights are read from; name another one")
    try:
        from safetensors.torch import save_file
    except ImportError:
        raise Refused(f"{path}: needs the Python package safetensors: pip install safetensors") from None
    try:
        save_file(weights, path, metadata)
    except Exception as error:  # SafetensorError, which its own package alone names
        raise Refused(f"{path}: it cannot be written: {error}") from None


def name_in_torch(node):
    """What a module list would call the copies of a group: they count from 0, ours from 1."""
    return ".".join(str(int(part) - 1) if part.isdecimal() else part for part in node.split("."))


def wanted_of_all(nodes, weights, expected, named):
    """{node: prefix} of the nodes whose names the file has: a prefix that is the node's name, or else ends with it and is no other node's. Tells
    which nodes keep theirs."""
    found, kept = {}, []
    names = {name_in_torch(name) for name in nodes}
    for name, node in nodes.items():
        if name in named:
            continue
        wanted = name_in_torch(name)
        there = [prefix for prefix in prefixes_of(node["block"], weights) if f".{prefix.rstrip('.')}".endswith("." + wanted)]
        there = [prefix for prefix in there if prefix.rstrip(".") == wanted] or [prefix for prefix in there if prefix.rstrip(".") not in names]
        if len(there) > 1:
            raise Refused(f"{name} may be {' or '.join(repr(prefix.rstrip('.')) for prefix in there)}; name one as {name}=PREFIX")
        if there:
            found[name] = there[0]
        elif any(weight.startswith(name + ".") for weight in expected):
            kept.append(f"{name} ({node['block']})")
    if not found and not named:
        raise Refused(f"no weights of the file stand behind the name of a node that takes them; nodes: {', '.join(nodes)}")
    return found, kept


def wanted_of(options, nodes, weights, expected):
    """{node: prefix or None}, and the nodes that --all has found nothing for."""
    wanted, kept = {}, []
    for word in options.node:
        name, given, prefix = word.partition("=")
        if name not in nodes:
            raise Refused(f"there is no node {name}; nodes: {', '.join(nodes)}")
        wanted[name] = prefix if given else None
    if options.all:
        found, kept = wanted_of_all(nodes, weights, expected, wanted)
        wanted |= found
    if not wanted:
        raise Refused("which nodes take weights? --node NODE[=PREFIX], or --all for those whose names the file has")
    return wanted, kept


def run(options, say):
    weights, nodes = weights_in(options.weights), experiment_nodes(options.experiment)
    expected = None if options.sizes is None else json.loads(options.sizes)
    made, metadata, used = {}, {"format": "pt"}, set()
    wanted, kept = wanted_of(options, nodes, weights, expected or {})
    for name, prefix in wanted.items():
        block = nodes[name]["block"]
        taken = mapped(block, weights, nodes[name].get("params", {}), prefix, whole=True)
        say.node(name, block, taken, taken.notes + ([] if expected is None else compared(name, taken, expected)))
        made |= {f"{name}.{ours}": tensor for ours, tensor in taken.weights.items()}
        metadata |= {f"form {name}.{ours}": taken.form for ours in taken.weights if taken.form}
        used |= taken.used
    if options.out:
        write(options.out, made, metadata, options.weights)
    say.end(kept, [name for name in weights if name not in used], len(made), options)


def main(words=None):
    options = argparse.ArgumentParser(prog="unroll-cli import", description="Map weights of PyTorch or Keras modules to nodes of an experiment.")
    options.add_argument("weights", metavar="WEIGHTS", help=".safetensors, .pt of a state_dict, or .keras and .weights.h5 of Keras 3")
    options.add_argument("experiment", metavar="FILE", help="the experiment whose nodes take them")
    options.add_argument("--node", action="append", default=[], help="NODE, or NODE=PREFIX of its names in WEIGHTS")
    options.add_argument("--all", action="store_true", help="every node whose name is a prefix in WEIGHTS, or its end")
    options.add_argument("--sizes", help=argparse.SUPPRESS)  # of the nodes' weights, as JSON: unroll-cli knows them
    options.add_argument("--out", help="a .safetensors file for train --init; without it the mapping is only shown")
    options.add_argument("--json", action="store_true", help="JSON, one object per line")
    options = options.parse_args(words)
    say = Lines() if options.json else Words()
    try:
        run(options, say)
    except Refused as error:
        say.refused(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

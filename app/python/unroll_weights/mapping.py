# SPDX-License-Identifier: GPL-3.0-or-later
"""The mapping of a block, and what of a file it takes."""

import importlib.util
import pathlib
import re
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent


class Refused(ValueError):
    """A sentence for the user."""


class Weights(dict):
    """{name: tensor} of a file. `format` says whose names they are; `layers`, of a .keras file, the class and the settings behind each prefix."""

    def __init__(self, tensors=(), format="torch", layers=None):
        super().__init__(tensors)
        self.format, self.layers = format, layers or {}


@dataclass
class Taken:
    """What one node takes."""

    source: str
    weights: dict = field(default_factory=dict)  # by our names
    lines: list = field(default_factory=list)  # (ours, theirs, sizes, what was done)
    form: str = ""  # the convention that the source has, as the check of --init compares it
    notes: list = field(default_factory=list)  # what the file does not tell
    used: set = field(default_factory=set)  # their names


@dataclass
class Given:
    """What a mapping reads: the weights of one module by their names, the settings of the node that are known (`whole`: what is not there has its
    default), and of a .keras file the class and the settings of the layer. It adds what it finds out to `form` and `notes`."""

    weights: dict
    params: dict
    whole: bool = False
    layer: tuple | None = None
    form: str = ""
    notes: list = field(default_factory=list)

    def param(self, name, default):
        """A setting of the node; None where it is not known, or where an expression is behind it."""
        value = self.params.get(name, default if self.whole else None)
        return value if isinstance(value, type(default)) else None

    def demand(self, name, default, wanted, of):
        """Refuses a node whose setting is another than the file needs."""
        value = self.param(name, default)
        if value is not None and value != wanted:
            raise ValueError(f"{of} {shown(wanted)}, and the node has {name} = {shown(value)}")


def shown(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def mappings():
    """{block: file of its mapping}: beside this file where it is installed, else in nodes/."""
    installed = {path.stem: path for path in (HERE / "blocks").glob("*.py") if path.stem != "__init__"}
    if installed:
        return installed
    return {path.parent.name: path for path in (HERE.parents[2] / "nodes").glob("*/foreign.py")}


def mapping_of(block):
    known = mappings()
    if block not in known:
        raise Refused(f"the block {block} states no mapping; these do: {', '.join(sorted(known))}")
    spec = importlib.util.spec_from_file_location(f"unroll_weights_of_{block}", known[block])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source_of(block, format):
    """The source of the block whose names a file of this format has."""
    sources = mapping_of(block).SOURCES
    for source in sources:
        if source.get("format", "torch") == format:
            return source
    raise Refused(f"the block {block} takes weights of {', '.join(each['source'] for each in sources)}, and the file is of {'PyTorch' if format == 'torch' else 'Keras'}")


def behind(weights, prefix, pattern):
    """The weights of this kind behind a prefix, by the rest of their names."""
    own = {name[len(prefix) :]: tensor for name, tensor in weights.items() if name.startswith(prefix)}
    return {name: tensor for name, tensor in own.items() if re.fullmatch(pattern, name)}


def prefixes_in(weights, source):
    """What weights of this kind stand behind."""
    found = dict.fromkeys(
        match.group(1) for name in weights if (match := re.fullmatch(rf"(|.*?\.)({source['names']})", name))
    )
    fits = source.get("fits", lambda own: True)
    return [prefix for prefix in found if fits(behind(weights, prefix, source["names"]))]


def prefixes_of(block, weights):
    """What a node of this block could take its weights from; none where the block states no mapping from such a file."""
    sources = mapping_of(block).SOURCES if block in mappings() else ()
    format = getattr(weights, "format", "torch")
    return next((prefixes_in(weights, source) for source in sources if source.get("format", "torch") == format), [])


def chosen_prefix(weights, source, prefix):
    """What is behind is ours: the prefix named, or the only one there is."""
    found = prefixes_in(weights, source)
    if prefix is not None:
        wanted = prefix if prefix == "" or prefix.endswith(".") else prefix + "."
        if wanted not in found:
            there = ", ".join(sorted(found)) or "none"
            raise Refused(f'no weights of {source["source"]} behind "{wanted}"; prefixes of such: {there}')
        return wanted
    if len(found) != 1:
        many = f"several: {', '.join(repr(name) for name in sorted(found))}; name one: NODE=PREFIX" if found else "none"
        raise Refused(f"of {source['source']} the file has {many}")
    return found[0]


def demand_numbers(name, tensor):
    """Weights are real and finite: a complex number would lose a part, and NaN would end the first training step."""
    if not tensor.is_floating_point():
        raise ValueError(f"{name} has numbers of type {str(tensor.dtype).removeprefix('torch.')}; weights are floating-point numbers")
    wrong = tensor.numel() - int(tensor.float().isfinite().sum())
    if wrong:
        raise ValueError(f"{name} has {wrong} of {tensor.numel()} values that are NaN or infinite")


def mapped(block, weights, params=None, prefix=None, whole=False):
    """What a node of this block takes of the weights {name: tensor} of a file, by its mapping. `params`: the settings of the node, with which the
    file is compared; `whole`: those that are not among them have their defaults."""
    if not isinstance(weights, Weights):
        weights = Weights(weights)
    source = source_of(block, weights.format)
    before = chosen_prefix(weights, source, prefix)
    given = Given(behind(weights, before, source["names"]), params or {}, whole, weights.layers.get(before), source.get("form", ""))
    taken = Taken(source["source"])
    try:
        for ours, theirs, tensor, done in source["taken"](given):
            demand_numbers(theirs, tensor)
            taken.weights[ours] = tensor.contiguous()
            taken.lines.append((ours, before + theirs, list(tensor.shape), done))
    except ValueError as error:
        raise Refused(f"{before}: {error}" if before else str(error)) from None
    taken.form, taken.notes = given.form, given.notes
    taken.used = {before + name for name in given.weights}
    return taken

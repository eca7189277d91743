# SPDX-License-Identifier: GPL-3.0-or-later
"""The mapping of a block, and what of a file it takes."""

import importlib.util
import pathlib
import re
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent


class Refused(ValueError):
    """A sentence for the user."""


@dataclass
class Taken:
    """What one node takes."""

    source: str
    weights: dict = field(default_factory=dict)  # by our names
    lines: list = field(default_factory=list)  # (ours, theirs, sizes, what was done)
    form: str = ""  # the convention that the source has, as the check of --init compares it


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


def prefixes_in(weights, pattern):
    """What weights of this kind stand behind: {prefix: how many}."""
    found = {}
    for name in weights:
        match = re.fullmatch(rf"(|.*?\.)({pattern})", name)
        if match:
            found[match.group(1)] = found.get(match.group(1), 0) + 1
    return found


def chosen_prefix(weights, mapping, prefix):
    """What is behind is ours: the prefix named, or the only one there is."""
    found = prefixes_in(weights, mapping.NAMES)
    if prefix is not None:
        wanted = prefix if prefix == "" or prefix.endswith(".") else prefix + "."
        if wanted not in found:
            there = ", ".join(sorted(found)) or "none"
            raise Refused(f'no weights of {mapping.SOURCE} behind "{wanted}"; prefixes of such: {there}')
        return wanted
    if len(found) != 1:
        many = f"several: {', '.join(repr(name) for name in sorted(found))}; name one: NODE=PREFIX" if found else "none"
        raise Refused(f"of {mapping.SOURCE} the file has {many}")
    return next(iter(found))


def mapped(block, weights, params=None, prefix=None):
    """What a node of this block takes of the weights {name: tensor} of a file, by its mapping."""
    mapping = mapping_of(block)
    before = chosen_prefix(weights, mapping, prefix)
    own = {name[len(before) :]: tensor for name, tensor in weights.items() if name.startswith(before)}
    own = {name: tensor for name, tensor in own.items() if re.fullmatch(mapping.NAMES, name)}
    taken = Taken(mapping.SOURCE, form=getattr(mapping, "FORM", ""))
    try:
        for ours, theirs, tensor, done in mapping.taken(own, params or {}):
            taken.weights[ours] = tensor.contiguous()
            taken.lines.append((ours, before + theirs, list(tensor.shape), done))
    except ValueError as error:
        raise Refused(f"{before}: {error}" if before else str(error)) from None
    return taken

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mappings from torch.nn's recurrent modules share: the same names and the same order of rows as ours."""

import re

NAMES = r"(weight|bias)_(ih|hh|hr)_l\d+(_reverse)?"


def places_of(weights):
    """Layers and directions of a module: ["_l0", "_l0_reverse", ...]."""
    return sorted({re.search(r"_l\d+(_reverse)?$", name).group() for name in weights})


def expected_names(layers, both, bias):
    places = [f"_l{i}{end}" for i in range(layers) for end in (("", "_reverse") if both else ("",))]
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh") if bias else ("weight_ih", "weight_hh")
    return [kind + place for place in places for kind in kinds]


def same_names(given, module):
    """Yields the lines of a module with `gates` parts in its rows, once its sizes and those of the node agree."""
    weights = given.weights
    places = places_of(weights)
    layers, both = 1 + max(int(re.search(r"\d+", place).group()) for place in places), any(place.endswith("_reverse") for place in places)
    bias = any(name.startswith("bias") for name in weights)
    given.demand("num_layers", 1, layers, f"the {module} has num_layers")
    given.demand("bidirectional", False, both, f"the {module} has bidirectional")
    given.demand("bias", True, bias, f"the {module} has bias")
    missing = [name for name in expected_names(layers, both, bias) if name not in weights]
    if missing:
        raise ValueError(f"{', '.join(missing)} missing: this is not a whole {module}")


def of_torch(gates, module):
    """The mapping of torch.nn's `module`, whose matrices have so many parts of `units` rows."""

    def taken(given):
        if any("_hr_" in name for name in given.weights):
            raise ValueError(f"this {module} projects its states (proj_size), which the block does not")
        for name, tensor in given.weights.items():
            if name.startswith("weight_hh") and (tensor.dim() != 2 or len(tensor) != gates * tensor.shape[1]):
                times = f"{gates} times as many rows as columns" if gates > 1 else "as many rows as columns"
                raise ValueError(f"{name} is {list(tensor.shape)}, expected {times}: this is no {module}")
        same_names(given, module)
        units = next(tensor.shape[1] for name, tensor in given.weights.items() if name.startswith("weight_hh"))
        given.demand("units", 128, units, f"the {module} has units")
        for name, tensor in given.weights.items():
            rows = gates * units
            if len(tensor) != rows:
                raise ValueError(f"{name} is {list(tensor.shape)}, expected {rows} rows: {gates} x units {units}")
            yield name, name, tensor, ""

    return taken
